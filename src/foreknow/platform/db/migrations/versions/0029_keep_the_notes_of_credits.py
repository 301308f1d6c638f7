"""Keep the notes of credits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    op.add_column("transfers", sa.Column("note", sa.Text(), nullable=True))
