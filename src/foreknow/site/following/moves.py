"""Moves of an event's main pool by ten points, of which its followers are notified once in 24 h."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.market import charts
from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.store import EventRow, EventStatus, load_events
from foreknow.market.pools.charting import current_prices
from foreknow.market.pools.liquidity import publication_step
from foreknow.market.pools.store import PoolRow, load_pools, pool_ids_of_events
from foreknow.people.follows import news
from foreknow.people.follows.store import followed_events, was_followed
from foreknow.people.follows.tables import event_news
from foreknow.people.notifications.kinds.followed import EventMoved
from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: The least move of a market's price, less what doubles round.
MOVED_MIN = 0.1 - 1e-9
#: Least time between two notifications of moves of an event.
PAUSE_MS = DAY_MS
#: Events looked at together once their pause has ended.
PIECE_EVENTS = 50
_N = event_news.c


class Move(NamedTuple):
    """A main pool that has moved since the last notification of a move; the market is the one that moved most."""

    event_id: int
    #: When it was moved there, or looked at again.
    moved_at_ms: int
    #: When there may be a notification; the present for now.
    due_at_ms: int | None
    #: The prices that were compared, as the row has them; None for those of the publication.
    compared: Sequence[float] | None
    now: Sequence[float]
    market_name: str
    before: float
    after: float
    actor_id: int | None


def of_events(
    tx: ReadTx,
    event_ids: Collection[int],
    last_traders: Mapping[int, int | None] | None = None,
    *,
    at_ms: int,
    followed: Collection[int] = (),
    moved_at_ms: Mapping[int, int] | None = None,
) -> list[Move]:
    """Return the moves of followed events among these; with who traded last in which pools, only moves of those.

    `followed` are those that are about to be followed; `moved_at_ms`, by event, is when no trade has moved them.
    """
    event_ids = followed_events(tx, event_ids) | ({*event_ids} & {*followed})
    return _moves(tx, event_ids, last_traders, at_ms=at_ms, moved_at_ms=moved_at_ms or {}) if event_ids else []


def of_due(tx: ReadTx) -> list[Move]:
    """Return the moves of events whose pause has ended with one, also of those that have moved back meanwhile."""
    at_ms = now_ms(tx)
    query = sa.select(_N.event_id).where(_N.moved_due_at_ms <= at_ms).order_by(_N.moved_due_at_ms).limit(PIECE_EVENTS)
    event_ids = set(tx.execute(query).scalars())
    if not event_ids:
        return []
    return _moves(tx, event_ids, None, at_ms=at_ms, moved_at_ms=dict.fromkeys(event_ids, at_ms), with_small=True)


def _moves(
    tx: ReadTx,
    event_ids: Collection[int],
    last_traders: Mapping[int, int | None] | None,
    *,
    at_ms: int,
    moved_at_ms: Mapping[int, int],
    with_small: bool = False,
) -> list[Move]:
    events = load_events(tx, event_ids)
    pool_ids = pool_ids_of_events(tx, event_ids)
    main = {one: main_pool_id(events[one], pool_ids[one]) for one in events}
    if last_traders is not None:
        main = {event_id: pool_id for event_id, pool_id in main.items() if pool_id in last_traders}
    pools = load_pools(tx, main.values())
    rows = tx.execute(sa.select(event_news).where(in_array(_N.event_id)), {"ids": main.keys()}).mappings()
    noted = {row["event_id"]: row for row in rows}
    found: list[Move] = []
    for event_id, pool_id in main.items():
        actor_id = None if last_traders is None else last_traders[pool_id]
        pool = pools[pool_id]
        moved_ms = moved_at_ms.get(event_id) or pool.last_trade_at_ms or at_ms
        move = _move(events[event_id], pool, noted.get(event_id), actor_id, moved_at_ms=moved_ms, at_ms=at_ms)
        if with_small or abs(move.after - move.before) >= MOVED_MIN:
            found.append(move)
    return found


def _move(
    event: EventRow,
    pool: PoolRow,
    noted: Mapping[Any, Any] | None,
    actor_id: int | None,
    *,
    moved_at_ms: int,
    at_ms: int,
) -> Move:
    compared = None if noted is None else noted["moved_prices"]
    current = current_prices(pool)
    now = current.probabilities
    # An outcome that came since had its part of Other's price.
    before = charts.filled(compared or _first_prices(pool), current.splits)
    most = max(range(len(now)), key=lambda index: abs(now[index] - before[index]))
    last_ms = None if noted is None else noted["moved_at_ms"]
    due_at_ms = None if last_ms is None or last_ms + PAUSE_MS <= at_ms else last_ms + PAUSE_MS
    if event.status_at(at_ms) is not EventStatus.ACTIVE:
        # No one can do anything with it: what was decided is news of its own.
        return Move(event.id, moved_at_ms, None, compared, now, "", 0, 0, actor_id)
    name = pool.markets[most].name
    return Move(event.id, moved_at_ms, due_at_ms, compared, now, name, before[most], now[most], actor_id)


def _first_prices(pool: PoolRow) -> Sequence[float]:
    if pool.liquidity:
        return pool.liquidity[0].probabilities
    step = publication_step(
        b=pool.b, weights=pool.weights, markets=len(pool.markets), loss_bound_kopecks=0, published_at_ms=0
    )
    return step.probabilities


def write(tx: WriteTx, found: Collection[Move], *, at_ms: int) -> None:
    """Write news of moves, under the lock of the cursor; those within a pause wait for its end."""
    ids = [one.event_id for one in found]
    rows = tx.execute(sa.select(_N.event_id, _N.moved_prices).where(in_array(_N.event_id)), {"ids": ids})
    compared = dict(map(tuple, rows))
    for one in found:
        if compared.get(one.event_id) != one.compared:
            # Another process was faster.
            continue
        if abs(one.after - one.before) < MOVED_MIN:
            tx.execute(event_news.update().where(_N.event_id == one.event_id).values(moved_due_at_ms=None))
        elif one.due_at_ms is not None:
            tx.execute(event_news.update().where(_N.event_id == one.event_id).values(moved_due_at_ms=one.due_at_ms))
        else:
            _write(tx, one, at_ms=at_ms)


def _write(tx: WriteTx, move: Move, *, at_ms: int) -> None:
    if not was_followed(tx, move.event_id, from_ms=move.moved_at_ms, until_ms=move.moved_at_ms):
        # A later trade may find it again, for who follows then.
        tx.execute(event_news.update().where(_N.event_id == move.event_id).values(moved_due_at_ms=None))
        return
    moved = EventMoved(
        market_name=move.market_name, before_bps=round(move.before * 10_000), after_bps=round(move.after * 10_000)
    )
    without = [] if move.actor_id is None else [move.actor_id]
    news.write(tx, move.event_id, moved, without=without, at_ms=move.moved_at_ms)
    apply(tx, _MOVED, [(move.event_id, news.encoded(move.now), at_ms, None)])


def compare_from(tx: WriteTx, event_id: int, prices: Sequence[float]) -> None:
    """Let later prices of an event's main pool be compared with these, unless there was a notification before."""
    apply(tx, _FIRST, [(event_id, news.encoded(prices))])


_MOVED_COLUMNS = ("moved_prices", "moved_at_ms", "moved_due_at_ms")
_MOVED = Insert(
    event_news,
    ("event_id", *_MOVED_COLUMNS),
    conflict=on_conflict(event_news, **{name: f"excluded.{name}" for name in _MOVED_COLUMNS}),
)
_FIRST = Insert(
    event_news,
    ("event_id", "moved_prices"),
    conflict=on_conflict(event_news, moved_prices="coalesce(event_news.moved_prices, excluded.moved_prices)"),
)
