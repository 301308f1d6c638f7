"""Give each instance of a series its own index."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("uq_events_series", "events", ["series_id", "series_index"], unique=True, where="series_id IS NOT NULL")
