"""Know what people followed, and wanted to be notified of, before they changed it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0106"
down_revision = "0105"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("event_follows", sa.Column("earlier_from_ms", INT64, nullable=True))
    op.add_column("event_follows", sa.Column("earlier_until_ms", INT64, nullable=True))
    op.add_column("notification_settings", sa.Column("changed_at_ms", INT64, nullable=True))
    op.add_column("notification_settings", sa.Column("app_before", FLAG, nullable=True))
    op.add_column("notification_settings", sa.Column("email_before", sa.Text(), nullable=True))
