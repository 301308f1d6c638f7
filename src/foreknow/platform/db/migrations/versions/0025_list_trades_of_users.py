"""List the trades of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_trades_user_id", "trades", ["user_id", "id"])
