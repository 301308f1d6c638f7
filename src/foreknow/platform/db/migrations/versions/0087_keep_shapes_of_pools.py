"""Keep the shapes of pools."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0087"
down_revision = "0086"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("pools", sa.Column("shape", sa.Text(), nullable=True))
