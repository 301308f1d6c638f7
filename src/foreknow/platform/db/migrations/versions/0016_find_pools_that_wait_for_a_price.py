"""Find pools that wait for a price."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    waiting = "state = 'open' AND resolution_kind = 'price' AND decided_at_ms IS NULL AND attention_reason IS NULL"
    add_index("ix_pools_waiting_for_price", "pools", ["finish_at_ms"], where=waiting)
