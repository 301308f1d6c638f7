"""Which pools are to be scored, and which forecasts have stood for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.market.events.store import load_events
from foreknow.market.pools.tables import pools
from foreknow.people import notifications
from foreknow.people.notifications.kinds.forecasts import ForecastOld
from foreknow.platform.db.changes import Insert, apply
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.follower import OVERLAP_MS, is_to_move
from foreknow.site.forecast_scores.tables import CURSOR, forecast_scorings
from foreknow.site.forecasts.tables import forecasts
from foreknow.trading.settlement.store import all_final_before_ms

#: Pools found at a time.
PIECE_POOLS = 50
#: Age at which, and again at its multiples, a person is asked whether they still think so.
OLD_MS = 30 * DAY_MS
#: Forecasts looked at in one transaction.
PIECE_OLD = 200

_P, _F = pools.c, forecasts.c


@dataclass(frozen=True, slots=True)
class FinalPools:
    """The next final pools that have forecasts, and the moment before which all are found."""

    next_ms: int
    pool_ids: Sequence[int]

    @property
    def is_full(self) -> bool:
        """Whether there may be more."""
        return len(self.pool_ids) == PIECE_POOLS


def next_final(tx: ReadTx) -> FinalPools | None:
    """Return the pools that became final next; None: there are none, and the cursor is not to be moved on."""
    since_ms, at_ms = CURSOR.get(tx, "final_since_ms"), now_ms(tx)
    query = (
        sa.select(_P.id, _P.resolved_at_ms)
        .where(
            # The clock may have been ahead, and set back.
            _P.resolved_at_ms >= min(since_ms, at_ms) - OVERLAP_MS,
            _P.won_side >= 0,
            sa.exists().where(_F.pool_id == _P.id),
            sa.not_(sa.exists().where(forecast_scorings.c.pool_id == _P.id)),
        )
        .order_by(_P.resolved_at_ms, _P.id)
        .limit(PIECE_POOLS)
    )
    found = tx.execute(query).all()
    next_ms: int = found[-1].resolved_at_ms if len(found) == PIECE_POOLS else all_final_before_ms(tx, now_ms=at_ms)
    if not found and not is_to_move(since_ms, next_ms):
        return None
    return FinalPools(next_ms, [row.id for row in found])


def schedule(tx: WriteTx, found: FinalPools, *, trading: bool) -> None:
    """Let pools be scored, by their traders or their forecasters, under the lock of the worker's row."""
    at_ms = now_ms(tx)
    apply(tx, _SCHEDULED, [(pool_id, at_ms, trading) for pool_id in found.pool_ids])
    CURSOR.move(tx, final_since_ms=found.next_ms)


class OldForecasts(NamedTuple):
    """Forecasts that were last said long ago: who is asked about which pools, and the last one looked at."""

    asked: Sequence[tuple[int, int]]
    last_ms: int
    last_id: int
    is_full: bool


def next_old(tx: ReadTx) -> OldForecasts | None:
    """Return the standing forecasts that have become old; None where there are none."""
    at_ms = now_ms(tx)
    since = (CURSOR.get(tx, "old_since_ms"), CURSOR.get(tx, "old_since_id"))
    is_open = sa.and_(
        _P.state == "open", _P.decided_at_ms.is_(None), sa.or_(_P.finish_at_ms.is_(None), _P.finish_at_ms > at_ms)
    )
    query = (
        sa.select(_F.id, _F.user_id, _F.pool_id, _F.created_at_ms, sa.case((is_open, 1), else_=0).label("is_open"))
        .join_from(forecasts, pools, _P.id == _F.pool_id)
        .where(
            _F.ended_at_ms.is_(None),
            _F.created_at_ms <= at_ms - OLD_MS,
            sa.tuple_(_F.created_at_ms, _F.id) > since,
        )
        .order_by(_F.created_at_ms, _F.id)
        .limit(PIECE_OLD)
    )
    rows = tx.execute(query).all()
    if not rows:
        return None
    asked = [(row.user_id, row.pool_id) for row in rows if row.is_open]
    return OldForecasts(asked, rows[-1].created_at_ms, rows[-1].id, len(rows) == PIECE_OLD)


def ask(tx: WriteTx, found: OldForecasts) -> None:
    """Ask who has not said for long whether they still think so, under the lock of the worker's row."""
    at_ms = now_ms(tx)
    named = {
        row.id: row
        for row in tx.execute(
            sa.select(_P.id, _P.event_id, _P.name, _P.name_ru).where(_P.id.in_({pool_id for _, pool_id in found.asked}))
        )
    }
    events = load_events(tx, {row.event_id for row in named.values()})
    for user_id, pool_id in found.asked:
        pool = named[pool_id]
        new = notifications.NewNotifications(events[pool.event_id], at_ms=at_ms)
        content = ForecastOld(pool_name=pool.name, pool_name_ru=pool.name_ru)
        notifications.record(tx, new.add(user_id, content))
    CURSOR.move(tx, old_since_ms=found.last_ms, old_since_id=found.last_id)


_SCHEDULED = Insert(forecast_scorings, ("pool_id", "due_at_ms", "trading"), conflict="ON CONFLICT DO NOTHING")
