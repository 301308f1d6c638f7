"""Find the pools that a person resolves and has not."""

from __future__ import annotations

from foreknow.platform.db.migrations.operations import add_index

revision = "0121"
down_revision = "0120"


def upgrade() -> None:
    """Lead there. No way leads back."""
    add_index(
        "ix_pools_waiting_for_verdict",
        "pools",
        ["finish_at_ms"],
        where="state = 'open' AND resolution_kind = 'manual' AND decided_at_ms IS NULL",
    )
