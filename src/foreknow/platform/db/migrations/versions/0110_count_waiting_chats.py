"""Count the chats whose visitors wait for an operator."""

from __future__ import annotations

from foreknow.platform.db.migrations.operations import add_index

revision = "0110"
down_revision = "0108"


def upgrade() -> None:
    """Lead there. No way leads back."""
    add_index("ix_chat_sessions_waiting", "chat_sessions", ["id"], where="waiting_since_ms IS NOT NULL")
