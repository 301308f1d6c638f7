"""The worker that keeps what crowds think: of pools with news, of those whose accounts come to count, piece by piece.

A crowd is made of all forecasts that stand, read in pages, on a thread; no request waits for it. Each write moves the
cursor, so a process that has read what another one has written meanwhile writes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.market.charts.buckets import pack
from foreknow.market.pools.rows import PoolRow
from foreknow.market.pools.shape_view import shape_of
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.number import NumberShape
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import forecast_news
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower
from foreknow.site.forecasts import past
from foreknow.site.forecasts.crowd import Opinion, crowd_of, half_life_ms
from foreknow.site.forecasts.probabilities import after_splits
from foreknow.site.forecasts.tables import CURSOR, forecast_crowds, forecasts

#: Accounts younger than this weigh nothing.
AGE_MIN_MS = DAY_MS
#: News looked at for one transaction; pools of one; forecasts of a page.
PIECE_NEWS, PIECE_POOLS, PAGE_FORECASTS = 10_000, 20, 1_000
#: How often a process looks: what is said shows in the crowd within 2 s.
POLL_S = 0.5

_F, _U, _C, _N = forecasts.c, users.c, forecast_crowds.c, forecast_news.c


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be looked at, and where the cursor stood."""

    turn: int
    pool_ids: Sequence[int]
    news_ids: Sequence[int]
    is_full: bool


@dataclass(slots=True)
class _Members:
    """Who is part of a pool's crowd."""

    opinions: list[Opinion] = field(default_factory=list)
    #: When another account comes to count; None for none.
    due_at_ms: int | None = None


class _Crowd(NamedTuple):
    pool_id: int
    probabilities: tuple[float, ...] | None
    due_at_ms: int | None


class CrowdFollower(Follower):
    """Keeps each pool's crowd once, however many processes there are."""

    def __init__(self, db: Database) -> None:
        """Keep the crowds of `db`."""
        super().__init__("crowds", db, CURSOR, poll_s=POLL_S)

    async def follow(self) -> bool:
        """Look at some pools; return whether there may be more."""
        work = await self.db.lookup(_look)
        if work is None:
            return False
        pools = await self.db.read(lambda tx: load_pools(tx, work.pool_ids))
        crowds = [await self._crowd(pool) for pool in pools.values()]

        def write(tx: WriteTx) -> None:
            for crowd in crowds:
                _write(tx, crowd)
            tx.execute(forecast_news.delete().where(in_array(_N.id)), {"ids": work.news_ids})
            CURSOR.move(tx, turn=work.turn + 1)

        await self.write(write, if_at=lambda places: places.turn == work.turn)
        return work.is_full

    async def _crowd(self, pool: PoolRow) -> _Crowd:
        assert pool.published_at_ms is not None
        members = _Members()
        after_id: int | None = 0
        while after_id is not None:
            rows = await self.db.read(partial(_page, pool_id=pool.id, after_id=after_id))
            _add(members, rows, pool)
            after_id = rows[-1].user_id if len(rows) == PAGE_FORECASTS else None
        half_life = half_life_ms(pool.published_at_ms, pool.planned_end_ms)
        is_ordered = isinstance(shape_of(pool), NumberShape | DateShape)
        # Ten thousand opinions take some hundredths of a second: on a thread, or orders would wait.
        crowd = await asyncio.to_thread(crowd_of, members.opinions, half_life, is_ordered=is_ordered)
        return _Crowd(pool.id, crowd, members.due_at_ms)


def _look(tx: ReadTx) -> _Work | None:
    """Return some pools with news, and those in which an account has come to count."""
    turn = CURSOR.get(tx, "turn")
    news = tx.execute(sa.select(_N.id, _N.pool_id).order_by(_N.id).limit(PIECE_NEWS)).all()
    due = tx.execute(sa.select(_C.pool_id).where(_C.due_at_ms <= now_ms(tx)).limit(PIECE_POOLS)).scalars().all()
    wanted = list(dict.fromkeys([row.pool_id for row in news] + list(due)))
    if not wanted:
        return None
    chosen = set(wanted[:PIECE_POOLS])
    ids = [row.id for row in news if row.pool_id in chosen]
    return _Work(turn, sorted(chosen), ids, len(wanted) > PIECE_POOLS or len(news) == PIECE_NEWS)


class _Said(NamedTuple):
    """A forecast that stands, and what its author's account counts by."""

    user_id: int
    created_at_ms: int
    probabilities: Sequence[float]
    account_at_ms: int
    is_active: bool
    muted_until_ms: int | None
    now_ms: int


def _page(tx: ReadTx, *, pool_id: int, after_id: int) -> list[_Said]:
    at_ms = now_ms(tx)
    found = _PAGE.fetch(tx, {"pool_id": pool_id, "after_id": after_id})
    return [_Said._make((*row, at_ms)) for row in found]


def _add(members: _Members, rows: Sequence[_Said], pool: PoolRow) -> None:
    splits = [split.charted for split in pool.splits]
    for row in rows:
        if not row.is_active:
            continue
        counts_at_ms = max(row.account_at_ms + AGE_MIN_MS, row.muted_until_ms or 0)
        if counts_at_ms > row.now_ms:
            members.due_at_ms = min(counts_at_ms, members.due_at_ms or counts_at_ms)
            continue
        members.opinions.append(Opinion(row.created_at_ms, after_splits(row.probabilities, splits)))


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


_PAGE = CompiledQuery(
    sa.select(_F.user_id, _F.created_at_ms, _F.probabilities, _U.created_at_ms, _U.is_active, _U.muted_until_ms)
    .join_from(forecasts, users, _U.id == _F.user_id)
    .where(
        _F.pool_id == sa.bindparam("pool_id", type_=Int64),
        _F.ended_at_ms.is_(None),
        _F.user_id > sa.bindparam("after_id", type_=Int64),
    )
    .order_by(_F.user_id)
    .limit(PAGE_FORECASTS)
)
