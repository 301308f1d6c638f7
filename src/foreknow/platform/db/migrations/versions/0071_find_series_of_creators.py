"""Find series of creators."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0071"
down_revision = "0070"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_series_creator_id", "series", ["creator_id"])
