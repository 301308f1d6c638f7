"""Pay each position once."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index(
        "uq_transfers_settled_position", "transfers", ["position_id"], unique=True, where="position_id IS NOT NULL"
    )
