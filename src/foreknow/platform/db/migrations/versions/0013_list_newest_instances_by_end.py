"""List the newest instances of series by their end."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_events_newest_finish", "events", ["status", "finish_at_ms", "id"], where="is_newest")
