"""Find what admins did, by action."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_admin_log_action", "admin_log", ["action", "id"])
