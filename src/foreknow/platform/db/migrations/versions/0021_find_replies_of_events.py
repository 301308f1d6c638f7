"""Find the replies of an event's comments."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_comments_replies", "comments", ["event_id", "id"], where="parent_id IS NOT NULL")
