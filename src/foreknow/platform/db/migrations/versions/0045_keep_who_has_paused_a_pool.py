"""Keep who has paused a pool."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0045"
down_revision = "0044"

FLAG = sa.Boolean().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("pools", sa.Column("creator_has_paused", FLAG, server_default=sa.text("false"), nullable=False))
