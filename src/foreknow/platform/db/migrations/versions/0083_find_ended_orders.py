"""Find pools that have ended with open orders."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0083"
down_revision = "0082"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_pools_orders_finish", "pools", ["finish_at_ms"], where="open_orders > 0 AND finish_at_ms IS NOT NULL")
