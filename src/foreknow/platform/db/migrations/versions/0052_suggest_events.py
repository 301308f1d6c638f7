"""Let admins run series that others suggest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0052"
down_revision = "0051"

FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("series", sa.Column("waits_for_role", FLAG, server_default=sa.text("true"), nullable=False))
