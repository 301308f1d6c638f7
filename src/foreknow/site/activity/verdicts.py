"""What became of the results of a creator's pools: how many there are, were corrected, and are overdue."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.events.tables import events
from foreknow.market.pools.rows import OVERDUE_MS
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.tables import pools
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx


class VerdictCounts(NamedTuple):
    """Numbers of a creator's pools."""

    #: With a final result.
    resolved: int
    #: Of these, with more than one result.
    corrected: int
    #: Without a result, long after their end.
    overdue: int


def verdict_counts(tx: ReadTx, user_id: int, *, now_ms: int) -> VerdictCounts:
    """Count the published pools of a person's events."""
    p = pools.c
    as_json = "pools.verdicts::json" if tx.dialect.name == "postgresql" else "pools.verdicts"
    results = sa.literal_column(f"json_array_length({as_json})", Int64)
    is_final = sa.or_(p.state == "resolved", p.disputable_until_ms <= now_ms)
    is_overdue = sa.and_(
        p.state == "open",
        p.resolution_kind == ManualRule.kind,
        p.decided_at_ms.is_(None),
        p.finish_at_ms <= now_ms - OVERDUE_MS,
    )
    counts = [
        sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)
        for condition in (is_final, sa.and_(is_final, results > 1), is_overdue)
    ]
    query = sa.select(*counts).join_from(events, pools, pools.c.event_id == events.c.id)
    row = tx.execute(query.where(events.c.creator_id == user_id, p.published_at_ms.is_not(None))).one()
    return VerdictCounts(*map(int, row))
