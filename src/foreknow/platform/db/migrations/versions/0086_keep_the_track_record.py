"""Keep the track record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0086"
down_revision = "0085"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLOAT64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.create_table(
        "record_bins",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("horizon", sa.Text(), nullable=False),
        sa.Column("bin", INT64, autoincrement=False, nullable=False),
        sa.Column("markets", INT64, nullable=False),
        sa.Column("won", INT64, nullable=False),
        sa.Column("probability", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tag", "horizon", "bin", name=op.f("pk_record_bins")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record_cursor",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("resolved_since_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "record_sums",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("horizon", sa.Text(), nullable=False),
        sa.Column("pools", INT64, nullable=False),
        sa.Column("markets", INT64, nullable=False),
        sa.Column("brier", sa.Text(), nullable=False),
        sa.Column("base_brier", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tag", "horizon", name=op.f("pk_record_sums")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "recorded_pools",
        sa.Column("pool_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_recorded_pools")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
