"""Find pools that were decided with open orders."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0084"
down_revision = "0083"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index(
        "ix_pools_orders_decided", "pools", ["decided_at_ms"], where="open_orders > 0 AND decided_at_ms IS NOT NULL"
    )
