"""Total what orders of a partner's users hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0082"
down_revision = "0081"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("statement_totals", sa.Column("held_kopecks", INT64, server_default="0", nullable=False))
