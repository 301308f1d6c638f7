"""Keep what authors of comments held when they wrote them, and whether they show it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0112"
down_revision = "0111"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("comments", sa.Column("held_market_id", INT64, nullable=True))
    op.add_column("comments", sa.Column("held_side", sa.Text(), nullable=True))
    op.add_column("comments", sa.Column("held_shares", INT64, nullable=True))
    op.add_column("users", sa.Column("show_holds", FLAG, server_default=sa.text("true"), nullable=False))
