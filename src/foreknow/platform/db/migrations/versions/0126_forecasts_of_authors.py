"""Keep what authors of comments thought when they wrote them, and whether they show it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0126"
down_revision = "0125"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("comments", sa.Column("forecast_pool_id", INT64, nullable=True))
    op.add_column("comments", sa.Column("forecast_outcome_index", INT64, nullable=True))
    op.add_column("comments", sa.Column("forecast_probability", FLOAT64, nullable=True))
    op.add_column("users", sa.Column("show_forecast", FLAG, server_default=sa.text("true"), nullable=False))
