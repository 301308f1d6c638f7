"""The worker that keeps what crowds think: of pools with news, and of those in which an account has come to count.

What it has read it keeps in memory as long as no other process writes: then only those are read again who have said
something since. Each write moves the cursor, so a process that has read what another one has written meanwhile writes
nothing, and forgets. No request waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.cache import BoundedCache, in_bytes
from foreknow.market.charts.buckets import pack
from foreknow.market.pools.rows import PoolRow
from foreknow.market.pools.shape_view import shape_of
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.number import NumberShape
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import forecast_news
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together, in_array
from foreknow.platform.db.clock import now_fetch, now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower
from foreknow.site.forecasts import past
from foreknow.site.forecasts.crowd import crowd_of, half_life_ms
from foreknow.site.forecasts.members import PAGE_FORECASTS, PoolMembers, read_page, read_some
from foreknow.site.forecasts.tables import CURSOR, forecast_crowds, forecast_cursor

#: News looked at for one transaction; pools of one.
PIECE_NEWS, PIECE_POOLS = 10_000, 20
#: Of those whose members are kept in memory.
CACHE_BYTES_MAX = 64 * 1024 * 1024
#: How often a process looks: what is said shows in the crowd within 2 s.
POLL_S = 0.5

_C, _N = forecast_crowds.c, forecast_news.c


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be looked at, and where the cursor stood."""

    turn: int
    at_ms: int
    #: The pools, and who has said something of each, or whose account has changed.
    changed: Mapping[int, set[int]]
    news_ids: Sequence[int]
    is_full: bool


class _News(NamedTuple):
    id: int
    pool_id: int
    user_id: int | None


class _Crowd(NamedTuple):
    pool_id: int
    probabilities: tuple[float, ...] | None
    due_at_ms: int | None


class CrowdFollower(Follower):
    """Keeps each pool's crowd once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Keep the crowds of `db`."""
        super().__init__("crowds", db, CURSOR, poll_s=POLL_S)
        self._members: BoundedCache[int, PoolMembers] = BoundedCache(CACHE_BYTES_MAX, in_bytes)
        #: Where this process has left the cursor.
        self._turn = -1

    async def follow(self) -> bool:
        """Look at some pools; return whether there may be more."""
        work = await self.db.lookup(_look)
        if work is None:
            return False
        if work.turn != self._turn:
            # Another process has done with news since.
            self._members.clear()
            self._turn = work.turn
        pools = await self.db.read(lambda tx: load_pools(tx, work.changed))
        crowds = [await self._crowd(pool, work) for pool in pools.values()]

        def write(tx: WriteTx) -> None:
            for crowd in crowds:
                _write(tx, crowd)
            tx.execute(forecast_news.delete().where(in_array(_N.id)), {"ids": work.news_ids})
            CURSOR.move(tx, turn=work.turn + 1)

        if await self.write(write, if_at=lambda places: places.turn == work.turn):
            self._turn += 1
        return work.is_full

    async def _crowd(self, pool: PoolRow, work: _Work) -> _Crowd:
        assert pool.published_at_ms is not None
        members = await self._read(pool, work.changed[pool.id])
        half_life = half_life_ms(pool.published_at_ms, pool.planned_end_ms)
        is_ordered = isinstance(shape_of(pool), NumberShape | DateShape)
        # Ten thousand opinions take some hundredths of a second: on a thread, or orders would wait.
        opinions = members.opinions(work.at_ms)
        crowd = await asyncio.to_thread(crowd_of, opinions, half_life, is_ordered=is_ordered)
        return _Crowd(pool.id, crowd, members.due_at_ms(work.at_ms))

    async def _read(self, pool: PoolRow, changed: set[int]) -> PoolMembers:
        """Return a pool's members, with those who have changed something as they are now."""
        members = self._members.get(pool.id)
        if members is not None and members.outcomes == len(pool.markets):
            rows = await self.db.read(partial(read_some, pool_id=pool.id, user_ids=changed))
            members.take(rows, in_place_of=changed)
        else:
            members = PoolMembers(pool)
            after_id: int | None = 0
            while after_id is not None:
                rows = await self.db.read(partial(read_page, pool_id=pool.id, after_id=after_id))
                members.take(rows)
                after_id = rows[-1].user_id if len(rows) == PAGE_FORECASTS else None
        # Again, at its size now.
        self._members.put(pool.id, members)
        return members


def _look(tx: ReadTx) -> _Work | None:
    """Return some pools with news, and those in which an account has come to count; one exchange with PostgreSQL."""
    now = now_fetch(tx)
    news = Fetch(_NEWS, {}, lambda rows: [_News._make(row) for row in rows])
    due = Fetch(_DUE, {}, lambda rows: [(pool_id, due_ms) for pool_id, due_ms in rows])
    turn = Fetch(_TURN, {}, lambda rows: rows[0][0] if rows else 0)
    fetch_together(tx, (news, due, turn, now))
    due_ids = [pool_id for pool_id, due_ms in due.result if due_ms <= now.result]
    wanted = list(dict.fromkeys([one.pool_id for one in news.result] + due_ids))
    if not wanted:
        return None
    changed: dict[int, set[int]] = {pool_id: set() for pool_id in wanted[:PIECE_POOLS]}
    chosen = [one for one in news.result if one.pool_id in changed]
    for one in chosen:
        if one.user_id is not None:
            changed[one.pool_id].add(one.user_id)
    is_full = len(wanted) > PIECE_POOLS or len(news.result) == PIECE_NEWS
    return _Work(turn.result, now.result, changed, [one.id for one in chosen], is_full)


def _write(tx: WriteTx, crowd: _Crowd) -> None:
    is_it = _C.pool_id == crowd.pool_id
    before = tx.execute(sa.select(_C.probabilities).where(is_it)).one_or_none()
    packed = None if crowd.probabilities is None else pack(crowd.probabilities)
    values = {"probabilities": packed, "due_at_ms": crowd.due_at_ms}
    if before is None:
        tx.execute(forecast_crowds.insert().values(pool_id=crowd.pool_id, **values))
    else:
        tx.execute(forecast_crowds.update().where(is_it).values(values))
    if packed != (None if before is None else before.probabilities):
        past.add_point(tx, crowd.pool_id, crowd.probabilities, at_ms=now_ms(tx))


_NEWS = CompiledQuery(sa.select(_N.id, _N.pool_id, _N.user_id).order_by(_N.id).limit(PIECE_NEWS))
_DUE = CompiledQuery(
    sa.select(_C.pool_id, _C.due_at_ms).where(_C.due_at_ms.is_not(None)).order_by(_C.due_at_ms).limit(PIECE_POOLS)
)
_TURN = CompiledQuery(sa.select(forecast_cursor.c.turn))
