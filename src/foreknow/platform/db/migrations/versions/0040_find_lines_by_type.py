"""Find the lines of statements by type and time."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    columns = ["partner_id", "type", "created_at_ms", "id"]
    add_index("ix_partner_transactions_by_type", "partner_transactions", columns)
