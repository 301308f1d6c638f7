"""Find chats of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0063"
down_revision = "0062"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_chat_sessions_user_id", "chat_sessions", ["user_id"])
