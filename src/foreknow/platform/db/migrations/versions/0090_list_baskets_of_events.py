"""List the trades of an event that are baskets'."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0090"
down_revision = "0089"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_trades_baskets_of_event", "trades", ["event_id", "id"], where="basket_id IS NOT NULL")
