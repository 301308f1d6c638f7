"""Find reactions of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0070"
down_revision = "0069"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_comment_reactions_user_id", "comment_reactions", ["user_id", "comment_id"])
