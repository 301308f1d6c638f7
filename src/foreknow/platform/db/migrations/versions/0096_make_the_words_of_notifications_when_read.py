"""Make the words of notifications when they are read."""

from __future__ import annotations

from alembic import op

revision = "0096"
down_revision = "0095"
oldest_code = "0096"


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.drop_column("notifications", "text")
