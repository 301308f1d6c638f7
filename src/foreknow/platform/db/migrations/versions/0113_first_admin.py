"""Keep the link with which the first admin is made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0113"
down_revision = "0112"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "first_admin",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column("expires_at_ms", INT64, nullable=True),
        sa.Column("is_made", FLAG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_first_admin")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
