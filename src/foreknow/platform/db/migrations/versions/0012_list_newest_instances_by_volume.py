"""List the newest instances of series by volume."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_events_newest_volume", "events", ["status", "volume_kopecks", "id"], where="is_newest")
