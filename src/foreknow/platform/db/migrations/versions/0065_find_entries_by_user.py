"""Find entries of the log by user."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_admin_log_user_id", "admin_log", ["user_id", "id"])
