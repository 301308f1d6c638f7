"""Keep whom comments name, and which comment a notice is about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0111"
down_revision = "0110"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "comment_mentions",
        sa.Column("comment_id", INT64, autoincrement=False, nullable=False),
        sa.Column("place", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, nullable=False),
        sa.Column("nickname", sa.Text(), nullable=False),
        sa.Column("author_id", INT64, nullable=False),
        sa.Column("notified_at_ms", INT64, nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_comment_mentions_author_id")),
        sa.ForeignKeyConstraint(["comment_id"], ["comments.id"], name=op.f("fk_comment_mentions_comment_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_comment_mentions_user_id")),
        sa.PrimaryKeyConstraint("comment_id", "place", name=op.f("pk_comment_mentions")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_comment_mentions_author_id_notified_at_ms", "comment_mentions", ["author_id", "notified_at_ms"])
    op.create_index(op.f("ix_comment_mentions_user_id"), "comment_mentions", ["user_id"])
    op.add_column("notices", sa.Column("comment_id", INT64, nullable=True))
