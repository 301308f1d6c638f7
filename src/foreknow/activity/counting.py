"""Counting trades: each in one transaction with the cursor that says so, so none is counted twice or left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from foreknow.activity import holdings
from foreknow.activity.periods import PERIODS, number_of
from foreknow.activity.tables import (
    activity_cursor,
    event_activity,
    event_minutes,
    event_traders,
    pool_activity,
    pool_traders,
    trader_sums,
)
from foreknow.activity.trades import Piece, TraderMinute
from foreknow.activity.upserts import Upsert, adding
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import DAY_MS, MINUTE_MS

_ONE_ROW = 1
_CURSOR = activity_cursor.c
#: Traded events are renewed at most this often (`windows`).
RENEW_EVERY_MS = MINUTE_MS


def cursor_seq(tx: ReadTx) -> int:
    """Return up to which trade everything is counted; 0 for none."""
    return tx.execute(sa.select(_CURSOR.seq)).scalar() or 0


def lock_cursor(tx: WriteTx) -> int | None:
    """Lock the follower's row and return its seq; None while another process works.

    Every transaction of the follower begins with it.
    """
    seq: int | None = tx.execute(sa.select(_CURSOR.seq).with_for_update(skip_locked=True)).scalar()
    if seq is None and tx.execute(sa.select(_CURSOR.id)).first() is None:
        # A process that loses the race for the key runs its transaction again.
        tx.execute(activity_cursor.insert().values(id=_ONE_ROW))
        return 0
    return seq


def count(tx: WriteTx, piece: Piece) -> bool:
    """Count a piece of trades; False, and no change, where another process has counted it or is about to."""
    if lock_cursor(tx) != piece.after:
        return False
    at_ms = now_ms(tx)
    _count_pools(tx, piece.minutes)
    _count_events(tx, piece.minutes, at_ms=at_ms)
    holdings.follow(tx, piece.positions)
    add_to_traders(tx, piece.minutes)
    tx.execute(activity_cursor.update().values(seq=piece.through))
    return True


def _count_pools(tx: WriteTx, minutes: Sequence[TraderMinute]) -> None:
    new = _POOL_TRADERS.run(tx, _distinct((one.pool_id, one.user_id) for one in minutes))
    new_traders = Counter(pool_id for pool_id, _ in new)
    trades: Counter[int] = Counter()
    for one in minutes:
        trades[one.pool_id] += one.trades
    _POOLS.run(tx, [(pool_id, count, new_traders[pool_id]) for pool_id, count in sorted(trades.items())])


def _count_events(tx: WriteTx, minutes: Sequence[TraderMinute], *, at_ms: int) -> None:
    new = _EVENT_TRADERS.run(tx, _distinct((one.event_id, one.user_id) for one in minutes))
    new_traders = Counter(event_id for event_id, _ in new)
    recent: Counter[tuple[int, int]] = Counter()
    for one in minutes:
        if one.minute > oldest_minute(at_ms):
            recent[one.minute, one.event_id] += one.volume_kopecks
    _MINUTES.run(tx, [(*key, volume) for key, volume in sorted(recent.items())])
    volumes: Counter[int] = Counter()
    for (_, event_id), volume in recent.items():
        volumes[event_id] += volume
    rows = [
        (event_id, new_traders[event_id], volumes[event_id], at_ms)
        for event_id in sorted({one.event_id for one in minutes})
    ]
    _EVENTS.run(tx, rows)
    people = {one.user_id for one in minutes if one.is_person}
    events_of: Counter[int] = Counter(user_id for _, user_id in new if user_id in people)
    _EVENTS_OF_TRADERS.run(tx, [("all", 0, user_id, count) for user_id, count in sorted(events_of.items())])


def add_to_traders(tx: WriteTx, minutes: Iterable[TraderMinute]) -> None:
    """Add what people did to the sums of its periods."""
    sums: Mapping[tuple[str, int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in minutes:
        if one.is_person:
            for period in PERIODS:
                added = sums[period, number_of(period, one.minute * MINUTE_MS), one.user_id]
                added[0] += one.realized_kopecks
                added[1] += one.volume_kopecks
                added[2] += one.trades
    _TRADERS.run(tx, [(*key, *added) for key, added in sorted(sums.items())])


def oldest_minute(at_ms: int) -> int:
    """Return the newest minute that is no part of the last 24 h."""
    return (at_ms - DAY_MS) // MINUTE_MS


def _distinct(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(set(pairs))


_POOL_TRADERS = Upsert(pool_traders, ("pool_id", "user_id"))
_EVENT_TRADERS = Upsert(event_traders, ("event_id", "user_id"))
_POOLS = Upsert(pool_activity, ("pool_id", "trades", "traders"), adding("trades", "traders"))
_MINUTES = Upsert(event_minutes, ("minute", "event_id", "volume_kopecks"), adding("volume_kopecks"))
#: An event without trades of late is renewed at once, another one within a minute.
_EVENTS = Upsert(
    event_activity,
    ("event_id", "traders", "volume_24h_kopecks", "renew_at_ms"),
    lambda old, new: {
        "traders": old.traders + new.traders,
        "volume_24h_kopecks": old.volume_24h_kopecks + new.volume_24h_kopecks,
        "renew_at_ms": sa.case(
            (sa.func.coalesce(old.renew_at_ms, 0) > new.renew_at_ms + RENEW_EVERY_MS, new.renew_at_ms + RENEW_EVERY_MS),
            else_=sa.func.coalesce(old.renew_at_ms, new.renew_at_ms),
        ),
    },
)
_TRADERS = Upsert(
    trader_sums,
    ("period", "number", "user_id", "realized_kopecks", "volume_kopecks", "trades"),
    adding("realized_kopecks", "volume_kopecks", "trades"),
)
_EVENTS_OF_TRADERS = Upsert(trader_sums, ("period", "number", "user_id", "events"), adding("events"))
