"""Keep what a site sets from the browser, and what newcomers who wait were promised."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0108"
down_revision = "0107"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "site_settings",
        sa.Column("id", INT64, autoincrement=False, nullable=False),
        sa.Column("version", INT64, nullable=False),
        sa.Column("stored", sa.Text(), nullable=False),
        sa.Column("currency_code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_settings")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.add_column("waiting_newcomers", sa.Column("welcome_kopecks", INT64, nullable=True))
