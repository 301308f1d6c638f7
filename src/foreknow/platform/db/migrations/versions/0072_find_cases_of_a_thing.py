"""Find the cases of a thing that was reported."""

from __future__ import annotations

from foreknow.platform.db.migration_ops import add_index

revision = "0072"
down_revision = "0071"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    add_index("ix_report_cases_target", "report_cases", ["kind", "target_id"])
