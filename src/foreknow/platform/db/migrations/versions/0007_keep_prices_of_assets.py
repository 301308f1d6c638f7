"""Keep prices of assets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0007"
down_revision = "0006"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "asset_prices",
        sa.Column("id", INT64, autoincrement=True, nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("price_usd", FLOAT64, nullable=False),
        sa.Column("observed_at_ms", INT64, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("counts", FLAG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset_prices")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_asset_prices_observed", "asset_prices", ["observed_at_ms"], unique=False)
    op.create_index("ix_asset_prices_symbol_id", "asset_prices", ["symbol", "id"], unique=False)
    op.create_index("ix_asset_prices_symbol_observed", "asset_prices", ["symbol", "observed_at_ms", "id"], unique=False)
