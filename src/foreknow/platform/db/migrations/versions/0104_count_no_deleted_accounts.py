"""Take deleted accounts back out of the days of their sign-ups."""

from __future__ import annotations

from alembic import op

revision = "0104"
down_revision = "0103"


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.execute(
        "UPDATE stats_days SET sign_ups = sign_ups - (SELECT count(*) FROM users WHERE deleted_at_ms IS NOT NULL "
        "AND partner_id IS NULL AND created_at_ms / 86400000 = stats_days.day) "
        "WHERE slot = (SELECT min(other.slot) FROM stats_days AS other WHERE other.day = stats_days.day)"
    )
