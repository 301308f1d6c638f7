"""Keep what a pool's finish_at was when it was published."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0125"
down_revision = "0124"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("pools", sa.Column("first_finish_at_ms", INT64, nullable=True))
