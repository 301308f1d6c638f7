"""Keep when pools were paused, and the priors that they had before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0127"
down_revision = "0126"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "pool_pauses",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("from_ms", INT64, autoincrement=False, nullable=False),
        sa.Column("until_ms", INT64, nullable=True),
        sa.PrimaryKeyConstraint("pool_id", "from_ms", name=op.f("pk_pool_pauses")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pool_priors",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.Column("until_ms", INT64, autoincrement=False, nullable=False),
        sa.Column("weights", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("pool_id", "until_ms", name=op.f("pk_pool_priors")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    # When they were paused no one kept, nor does it matter: before this release there were no forecasts.
    op.execute(
        "INSERT INTO pool_pauses (pool_id, from_ms) SELECT id, published_at_ms FROM pools "
        "WHERE paused AND state = 'open' AND published_at_ms IS NOT NULL"
    )
