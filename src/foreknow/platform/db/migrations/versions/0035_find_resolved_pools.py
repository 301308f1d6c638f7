"""Find resolved pools."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_pools_resolved", "pools", ["resolved_at_ms"], where="resolved_at_ms IS NOT NULL")
