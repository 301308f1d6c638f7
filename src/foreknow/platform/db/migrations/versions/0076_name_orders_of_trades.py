"""Let trades name their limit order, and its part in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0076"
down_revision = "0075"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("trades", sa.Column("order_id", INT64, nullable=True))
    op.add_column("trades", sa.Column("role", sa.Text(), nullable=True))
