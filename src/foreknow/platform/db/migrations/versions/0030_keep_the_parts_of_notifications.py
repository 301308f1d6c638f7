"""Keep the parts of notifications; find the roots of replies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0030"
down_revision = "0029"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("notifications", sa.Column("params", sa.Text(), nullable=True))
    op.add_column("notifications", sa.Column("comment_id", INT64, nullable=True))
    op.add_column("comments", sa.Column("root_id", INT64, nullable=True))
