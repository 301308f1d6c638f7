"""List a partner's sub-accounts."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_users_sub_accounts", "users", ["partner_id", "id"], where="partner_id IS NOT NULL")
