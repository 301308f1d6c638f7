"""Count what people's positions came to, and who trades in a creator's events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0097"
down_revision = "0096"
#: Followers of older code would count on without these.
oldest_code = "0097"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

#: Counts what is there. Positions in holdings are not counted yet.
FILL = (
    """UPDATE trader_sums SET settled = counted.settled, earned = counted.earned
    FROM (
        SELECT user_id, count(*) AS settled, sum(CASE WHEN pnl_kopecks > 0 THEN 1 ELSE 0 END) AS earned
        FROM positions
        WHERE settled_shares > 0 AND NOT EXISTS (SELECT 1 FROM holdings WHERE holdings.position_id = positions.id)
        GROUP BY user_id
    ) AS counted
    WHERE trader_sums.user_id = counted.user_id AND period = 'all' AND number = 0""",
    """INSERT INTO creator_traders (creator_id, user_id) SELECT DISTINCT events.creator_id, event_traders.user_id
    FROM event_traders JOIN events ON events.id = event_traders.event_id""",
    """INSERT INTO creator_activity (creator_id, traders)
    SELECT creator_id, count(*) FROM creator_traders GROUP BY creator_id""",
)


def upgrade() -> None:
    """Lead there, with what is counted so far. No way leads back."""
    for name in ("settled", "earned"):
        op.add_column("trader_sums", sa.Column(name, INT64, server_default="0", nullable=False))
    op.create_table(
        "creator_traders",
        sa.Column("creator_id", INT64, autoincrement=False, nullable=False),
        sa.Column("user_id", INT64, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("creator_id", "user_id", name=op.f("pk_creator_traders")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "creator_activity",
        sa.Column("creator_id", INT64, autoincrement=False, nullable=False),
        sa.Column("traders", INT64, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("creator_id", name=op.f("pk_creator_activity")),
        sqlite_strict=True,
    )
    for statement in FILL:
        op.execute(statement)
