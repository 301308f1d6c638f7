"""Find messages of operators."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0064"
down_revision = "0063"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_chat_messages_operator", "chat_messages", ["author_id", "id"], where="sender = 'operator'")
