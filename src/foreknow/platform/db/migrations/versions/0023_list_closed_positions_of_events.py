"""List the closed positions of events."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    columns = ["user_id", "event_id", "closed_at_ms", "id"]
    add_index("ix_positions_closed_event", "positions", columns, where="closed_at_ms IS NOT NULL")
