"""List the instances of a series by their end."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index(
        "ix_events_series_finish",
        "events",
        ["series_id", "status", "finish_at_ms", "id"],
        where="series_id IS NOT NULL",
    )
