"""List the trades of events."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_trades_event_id", "trades", ["event_id", "id"])
