"""Keep all results that a pool was given, each with its reasons."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0116"
down_revision = "0115"

#: Pools that one statement reads.
_PIECE_ROWS = 1_000


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("pools", sa.Column("verdicts", sa.Text(), nullable=True))
    fill(op.get_bind())


def fill(connection: sa.Connection) -> None:
    """Give each pool with a result that has no verdicts the one that is known; what a correction replaced is not."""
    after_id = 0
    write = sa.text("UPDATE pools SET verdicts = :verdicts WHERE id = :id")
    while rows := connection.execute(_DECIDED, {"after_id": after_id, "limit": _PIECE_ROWS}).mappings().all():
        connection.execute(write, [{"id": row["id"], "verdicts": json.dumps([_verdict(row)])} for row in rows])
        after_id = rows[-1]["id"]


def _verdict(row: Any) -> dict[str, Any]:
    by_id = row["creator_id"] if row["decided_by"] == "creator" else row["admin_id"]
    return {
        "resolution": json.loads(row["resolution"]),
        "at_ms": row["resolved_at_ms"] if row["decided_at_ms"] is None else row["decided_at_ms"],
        "by": row["decided_by"],
        "by_id": None if row["decided_by"] == "rule" else by_id,
        "decider_trades": None if row["decided_by"] == "rule" else bool(row["creator_traded"] or row["admin_traded"]),
        "void_at_ms": row["void_at_ms"],
    }


_ADMIN = """SELECT user_id FROM admin_log WHERE pools.decided_by = 'admin' AND (
    (target = 'pool:' || pools.id AND action IN ('pool.resolve', 'pool.correct'))
    OR (target = 'event:' || pools.event_id AND action = 'event.cancel')
) ORDER BY id DESC LIMIT 1"""
#: Each person's positions, open and closed, have an index.
_TRADED = """EXISTS (SELECT 1 FROM positions WHERE user_id = {user} AND pool_id = pools.id AND closed_at_ms IS NULL)
    OR EXISTS (SELECT 1 FROM positions WHERE user_id = {user} AND event_id = pools.event_id
               AND pool_id = pools.id AND closed_at_ms IS NOT NULL)"""
_DECIDED = sa.text(
    f"""SELECT id, creator_id, resolution, decided_at_ms, resolved_at_ms, decided_by, void_at_ms,
               ({_ADMIN}) AS admin_id,
               pools.decided_by = 'creator' AND ({_TRADED.format(user="pools.creator_id")}) AS creator_traded,
               pools.decided_by = 'admin' AND ({_TRADED.format(user=f"({_ADMIN})")}) AS admin_traded
        FROM pools WHERE resolution IS NOT NULL AND verdicts IS NULL AND id > :after_id ORDER BY id LIMIT :limit"""  # noqa: S608 - constants
)
