"""Post lines again to partners' webhooks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0046"
down_revision = "0045"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("webhooks", sa.Column("resent_id", INT64, nullable=True))
    op.add_column("webhooks", sa.Column("resend_until_id", INT64, nullable=True))
