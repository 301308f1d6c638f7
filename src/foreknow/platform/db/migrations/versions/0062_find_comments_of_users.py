"""Find comments of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_comments_user_id", "comments", ["user_id", "id"])
