"""List the comments that most like."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_comments_most_liked", "comments", ["event_id", "likes_count", "id"], where="parent_id IS NULL")
