"""List grants of users."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_transfers_grants", "transfers", ["target_account_id", "id"], where="kind = 'grant'")
