"""List the instances of a series by volume."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index(
        "ix_events_series_volume",
        "events",
        ["series_id", "status", "volume_kopecks", "id"],
        where="series_id IS NOT NULL",
    )
