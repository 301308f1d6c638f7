"""Note since when mailboxes are called dead, and judge those that were refused anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0100"
down_revision = "0099"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "dead_mailboxes",
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("since_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "address", name=op.f("pk_dead_mailboxes")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    # Some were refused for what their server had against the site.
    op.execute("UPDATE users SET refused_email = NULL WHERE refused_email IS NOT NULL")
