"""Keep the looks of a site that an admin sets, and the text of every version of its terms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0115"
down_revision = "0114"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "site_looks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_site_looks")),
        sqlite_strict=True,
    )
    op.create_table(
        "site_terms",
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("texts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_site_terms")),
        sqlite_strict=True,
    )
    op.add_column("site_settings", sa.Column("looks_version", INT64, nullable=False, server_default="0"))
    op.add_column("site_settings", sa.Column("terms_version", sa.Text(), nullable=True))
