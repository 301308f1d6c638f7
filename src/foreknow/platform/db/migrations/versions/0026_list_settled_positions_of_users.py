"""List the settled positions of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    columns = ["user_id", "closed_at_ms", "id"]
    add_index("ix_positions_settled_user", "positions", columns, where="settled_shares > 0")
