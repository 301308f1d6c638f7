"""Find the lines of statements by user, type and time."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    columns = ["user_id", "type", "created_at_ms", "id"]
    add_index("ix_partner_transactions_by_user", "partner_transactions", columns, where="user_id IS NOT NULL")
