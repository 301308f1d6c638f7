"""List the instances of a series."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_events_series_id", "events", ["series_id", "status", "id"], where="series_id IS NOT NULL")
