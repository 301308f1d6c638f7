"""What changes by time alone: volumes of the last 24 h, and the columns of events that are renewed by the minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market import charts
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.store import EventStatus, load_events
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.store import load_pools, pool_ids_of_events
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.counting import oldest_minute
from foreknow.site.activity.tables import event_activity, event_minutes

#: Minutes of events that one transaction takes out of the last 24 h.
PIECE_MINUTES = 500
#: Events renewed by one transaction: their pools are read before it.
PIECE_EVENTS = 50
#: Without trades, the prices of 24 h ago change this often (`charts.DAY_AGO_STEP_MS`).
COOLING_MS = charts.DAY_AGO_STEP_MS
PPM = 1_000_000

_M, _E = event_minutes.c, event_activity.c


def take_past_out(tx: WriteTx) -> None:
    """Take some past minutes out of the volumes of the last 24 h."""
    query = sa.select(_M.minute, _M.event_id, _M.volume_kopecks).where(_M.minute <= oldest_minute(now_ms(tx)))
    found = tx.execute(query.order_by(_M.minute, _M.event_id).limit(PIECE_MINUTES)).all()
    volumes: Counter[int] = Counter()
    for _, event_id, volume_kopecks in found:
        volumes[event_id] += volume_kopecks
    apply(tx, _TAKE_OUT, sorted(volumes.items()))
    if found:
        last = found[-1]
        tx.execute(event_minutes.delete().where(sa.tuple_(_M.minute, _M.event_id) <= (last.minute, last.event_id)))


class Renewal(NamedTuple):
    """New values of an event's columns; `renew_at_ms` None: not before its next trade."""

    event_id: int
    moved_ppm: int
    is_over: bool
    renew_at_ms: int | None


def due_renewals(tx: ReadTx) -> list[Renewal]:
    """Return the new values of some events whose columns are to be renewed."""
    at_ms = now_ms(tx)
    query = sa.select(_E.event_id).where(_E.renew_at_ms <= at_ms).order_by(_E.renew_at_ms).limit(PIECE_EVENTS)
    event_ids = tx.execute(query).scalars().all()
    if not event_ids:
        return []
    events = load_events(tx, event_ids)
    pool_ids = pool_ids_of_events(tx, event_ids)
    moved = _moved_ppm(tx, {main_pool_id(events[one], pool_ids[one]): one for one in event_ids}, at_ms=at_ms)
    traded = set(
        tx.execute(sa.select(_E.event_id).where(_E.event_id.in_(event_ids), _E.volume_24h_kopecks > 0)).scalars()
    )
    found: list[Renewal] = []
    for event_id in event_ids:
        is_over = events[event_id].status_at(at_ms) is not EventStatus.ACTIVE
        # The end of the next quarter of an hour, and a moment more for the trades counted late.
        later_ms = (at_ms // COOLING_MS + 1) * COOLING_MS + MINUTE_MS
        is_warm = event_id in traded or moved[event_id] > 0
        found.append(Renewal(event_id, moved[event_id], is_over, later_ms if is_warm else None))
    return found


def renew(tx: WriteTx, found: Sequence[Renewal]) -> None:
    """Write the new values."""
    apply(tx, _RENEW, found)


def _moved_ppm(tx: ReadTx, events_by_pool: Mapping[int, int], *, at_ms: int) -> dict[int, int]:
    rows = load_pools(tx, events_by_pool.keys())
    prices = {pool_id: current_prices(row) for pool_id, row in rows.items()}
    before = charts.day_ago(tx, prices, now_ms=at_ms)
    return {
        event_id: max(
            round(abs(now - then) * PPM)
            for now, then in zip(prices[pool_id].probabilities, before[pool_id], strict=True)
        )
        for pool_id, event_id in events_by_pool.items()
    }


_TAKE_OUT = Insert(
    event_activity,
    ("event_id", "volume_24h_kopecks"),
    conflict=on_conflict(
        event_activity, volume_24h_kopecks="event_activity.volume_24h_kopecks - excluded.volume_24h_kopecks"
    ),
)
_RENEWED = ("moved_ppm", "is_over", "renew_at_ms")
_RENEW = Insert(
    event_activity,
    ("event_id", *_RENEWED),
    conflict=on_conflict(event_activity, **{name: f"excluded.{name}" for name in _RENEWED}),
)
