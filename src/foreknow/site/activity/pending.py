"""What there is to count: two statements, in place of those of every step that has nothing to do."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.events.tables import event_changes
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity import holdings, traders
from foreknow.site.activity.counting import oldest_minute
from foreknow.site.activity.splits import IS_UNCOUNTED
from foreknow.site.activity.tables import (
    active_events,
    activity_cursor,
    counted_splits,
    event_activity,
    event_minutes,
    trader_sums,
)
from foreknow.site.feed.tables import feed_order
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import position_splits


class _Firsts(NamedTuple):
    """What each step looks at first, by its index; None where there is nothing."""

    counted_seq: int | None
    resolved_since_ms: int | None
    newest_seq: int | None
    #: On PostgreSQL: the first trade that the feed has numbered.
    first_seq: int | None
    change_id: int | None
    end_ms: int | None
    renewal_ms: int | None
    #: Positions made by splits: the first that is not counted, and the first that is noted as counted.
    uncounted_split: int | None
    noted_split: int | None
    minute: int | None
    week: int | None
    month: int | None


class Pending(NamedTuple):
    """Which steps of the follower may have something to do."""

    trades: bool
    splits: bool
    paid: bool
    events: bool
    past: bool
    renewals: bool
    sums: bool


def what_is_pending(tx: ReadTx) -> Pending:
    """Return which steps may have something to do."""
    at_ms = now_ms(tx)
    firsts = _Firsts(*_FIRSTS.fetch(tx, {})[0])
    counted = firsts.counted_seq or 0
    return Pending(
        trades=(firsts.newest_seq or 0) > counted or (firsts.first_seq or 0) - 1 > counted,
        splits=firsts.uncounted_split is not None or firsts.noted_split is not None,
        paid=holdings.is_any_pending(tx, since_ms=firsts.resolved_since_ms or 0, at_ms=at_ms),
        events=firsts.change_id is not None or _has_come(firsts.end_ms, at_ms),
        past=_has_come(firsts.minute, oldest_minute(at_ms)),
        renewals=_has_come(firsts.renewal_ms, at_ms),
        sums=(firsts.week is not None and traders.is_past("week", firsts.week, at_ms=at_ms))
        or (firsts.month is not None and traders.is_past("month", firsts.month, at_ms=at_ms)),
    )


def _has_come(first: int | None, now: int) -> bool:
    return first is not None and first <= now


def _firsts(dialect: str) -> sa.Select[Any]:
    is_numbered = dialect != "sqlite"
    newest = feed_order.c.seq if is_numbered else trades.c.id
    sums = trader_sums.c
    values = (
        sa.select(activity_cursor.c.seq),
        sa.select(activity_cursor.c.resolved_since_ms),
        sa.select(sa.func.max(newest)),
        sa.select(sa.func.min(feed_order.c.seq)) if is_numbered else sa.select(sa.null()),
        sa.select(sa.func.min(event_changes.c.id)),
        sa.select(sa.func.min(active_events.c.ends_at_ms)),
        sa.select(sa.func.min(event_activity.c.renew_at_ms)),
        sa.select(sa.func.min(position_splits.c.id)).where(IS_UNCOUNTED),
        sa.select(sa.func.min(counted_splits.c.split_id)),
        sa.select(sa.func.min(event_minutes.c.minute)),
        *(sa.select(sa.func.min(sums.number)).where(sums.period == period) for period in ("week", "month")),
    )
    return sa.select(
        *(value.scalar_subquery().label(name) for name, value in zip(_Firsts._fields, values, strict=True))
    )


_FIRSTS = CompiledQuery(_firsts)
