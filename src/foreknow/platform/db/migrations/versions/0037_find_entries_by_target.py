"""Find what admins did, by target."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_admin_log_target", "admin_log", ["target", "id"])
