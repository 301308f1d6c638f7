"""Counting trades: each in one transaction with the cursor that says so, so none is counted twice or left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import add

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, MINUTE_MS
from foreknow.market.events.tables import events
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import Insert, adding, apply, on_conflict, written_keys
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.activity import holdings
from foreknow.site.activity.periods import PERIODS, number_of
from foreknow.site.activity.tables import (
    CURSOR,
    creator_activity,
    creator_traders,
    event_activity,
    event_minutes,
    event_traders,
    pool_activity,
    pool_traders,
    trader_sums,
)
from foreknow.site.activity.trades import TradePiece, TraderMinute

#: Traded events are renewed at most this often (`windows`).
RENEW_EVERY_MS = MINUTE_MS


def count(tx: WriteTx, piece: TradePiece) -> None:
    """Count a piece of trades, the next after the cursor."""
    at_ms = now_ms(tx)
    _count_pools(tx, piece.minutes)
    _count_events(tx, piece.minutes, at_ms=at_ms)
    holdings.follow(tx, piece.sold_pnl_kopecks)
    add_to_traders(tx, piece.minutes)
    CURSOR.move(tx, seq=piece.through)


def _count_pools(tx: WriteTx, minutes: Sequence[TraderMinute]) -> None:
    new = written_keys(tx, _POOL_TRADERS, _distinct((one.pool_id, one.user_id) for one in minutes))
    new_traders = Counter(pool_id for pool_id, _ in new)
    trades: Counter[int] = Counter()
    for one in minutes:
        trades[one.pool_id] += one.trades
    apply(tx, _POOLS, [(pool_id, count, new_traders[pool_id]) for pool_id, count in sorted(trades.items())])


def _count_events(tx: WriteTx, minutes: Sequence[TraderMinute], *, at_ms: int) -> None:
    new = written_keys(tx, _EVENT_TRADERS, _distinct((one.event_id, one.user_id) for one in minutes))
    new_traders = Counter(event_id for event_id, _ in new)
    recent: Counter[tuple[int, int]] = Counter()
    for one in minutes:
        if one.minute > oldest_minute(at_ms):
            recent[one.minute, one.event_id] += one.volume_kopecks
    apply(tx, _MINUTES, [(*key, volume) for key, volume in sorted(recent.items())])
    volumes: Counter[int] = Counter()
    for (_, event_id), volume in recent.items():
        volumes[event_id] += volume
    rows = [
        (event_id, new_traders[event_id], volumes[event_id], at_ms)
        for event_id in sorted({one.event_id for one in minutes})
    ]
    apply(tx, _EVENTS, rows)
    _count_creators(tx, new)
    people = {one.user_id for one in minutes if one.is_person}
    events_of: Counter[int] = Counter(user_id for _, user_id in new if user_id in people)
    apply(tx, _EVENTS_OF_TRADERS, [("all", 0, user_id, count) for user_id, count in sorted(events_of.items())])


def _count_creators(tx: WriteTx, new: Sequence[Sequence[int]]) -> None:
    """Count who trades in the first event of a creator: `new` are events with who had not traded in them before."""
    if not new:
        return
    ids = sorted({event_id for event_id, _ in new})
    creators: dict[int, int] = {event_id: creator_id for event_id, creator_id in _CREATORS.fetch(tx, {"ids": ids})}  # noqa: C416 - rows
    pairs = _distinct((creators[event_id], user_id) for event_id, user_id in new)
    traders = Counter(creator_id for creator_id, _ in written_keys(tx, _CREATOR_TRADERS, pairs))
    apply(tx, _CREATOR_ACTIVITY, sorted(traders.items()))


def add_to_traders(tx: WriteTx, minutes: Iterable[TraderMinute]) -> None:
    """Add what people did to the sums of its periods."""
    by_minute: Mapping[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in minutes:
        if one.is_person:
            added = by_minute[one.minute, one.user_id]
            added[0] += one.realized_kopecks
            added[1] += one.volume_kopecks
            added[2] += one.trades
    sums: Mapping[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for (minute, user_id), added in by_minute.items():
        for period in PERIODS:
            total = sums[period, number_of(period, minute * MINUTE_MS), user_id]
            total[:] = map(add, total, added)
    apply(tx, _TRADERS, [(*key, *added) for key, added in sorted(sums.items())])


def oldest_minute(at_ms: int) -> int:
    """Return the newest minute that is no part of the last 24 h."""
    return (at_ms - DAY_MS) // MINUTE_MS


def _distinct(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(set(pairs))


_POOL_TRADERS = Insert(pool_traders, ("pool_id", "user_id"), conflict=on_conflict(pool_traders))
_EVENT_TRADERS = Insert(event_traders, ("event_id", "user_id"), conflict=on_conflict(event_traders))
_CREATORS = CompiledQuery(sa.select(events.c.id, events.c.creator_id).where(in_array(events.c.id)))
_CREATOR_TRADERS = Insert(creator_traders, ("creator_id", "user_id"), conflict=on_conflict(creator_traders))
_CREATOR_ACTIVITY = Insert(creator_activity, ("creator_id", "traders"), conflict=adding(creator_activity, "traders"))
_POOLS = Insert(pool_activity, ("pool_id", "trades", "traders"), conflict=adding(pool_activity, "trades", "traders"))
_MINUTES = Insert(
    event_minutes, ("minute", "event_id", "volume_kopecks"), conflict=adding(event_minutes, "volume_kopecks")
)
_SOON_MS = f"excluded.renew_at_ms + {RENEW_EVERY_MS}"
#: An event without trades of late is renewed at once, another one within a minute.
_EVENTS = Insert(
    event_activity,
    ("event_id", "traders", "volume_24h_kopecks", "renew_at_ms"),
    conflict=on_conflict(
        event_activity,
        traders="event_activity.traders + excluded.traders",
        volume_24h_kopecks="event_activity.volume_24h_kopecks + excluded.volume_24h_kopecks",
        renew_at_ms=f"CASE WHEN coalesce(event_activity.renew_at_ms, 0) > {_SOON_MS} THEN {_SOON_MS}"
        " ELSE coalesce(event_activity.renew_at_ms, excluded.renew_at_ms) END",
    ),
)
_TRADERS = Insert(
    trader_sums,
    ("period", "number", "user_id", "realized_kopecks", "volume_kopecks", "trades"),
    conflict=adding(trader_sums, "realized_kopecks", "volume_kopecks", "trades"),
)
_EVENTS_OF_TRADERS = Insert(
    trader_sums, ("period", "number", "user_id", "events"), conflict=adding(trader_sums, "events")
)
