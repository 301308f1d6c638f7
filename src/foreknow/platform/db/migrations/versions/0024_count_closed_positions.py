"""Count closed positions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0024"
down_revision = "0023"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("pnl_totals", sa.Column("closed_positions", INT64, nullable=True))
    op.add_column("pnl_totals", sa.Column("closed_ordinal", INT64, nullable=True))
