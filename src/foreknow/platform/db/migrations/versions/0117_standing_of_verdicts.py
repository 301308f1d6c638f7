"""Keep when a pool's first result was given, when its present window ends, and what holds or confirms the result.

A process of the release before moves no end of a window and counts no objections: what it leaves NULL is read from
`disputable_until_ms`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0117"
down_revision = "0116"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    for name in ("first_verdict_at_ms", "window_ends_ms", "confirmed_number"):
        op.add_column("pools", sa.Column(name, INT64, nullable=True))
    for name in ("open_objections", "holding_objections"):
        op.add_column("pools", sa.Column(name, INT64, server_default="0", nullable=False))
