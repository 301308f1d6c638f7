"""What is shown of forecasts: of a pool, and of a person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import UNSET

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import iso
from foreknow.market import charts
from foreknow.market.charts.buckets import unpack
from foreknow.market.events.store import load_events
from foreknow.market.pools.rows import PoolRow
from foreknow.market.pools.service import visible_pool
from foreknow.market.pools.store import load_pools
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts import store
from foreknow.site.forecasts.hidden import hidden_pools, is_hidden
from foreknow.site.forecasts.schemas import Forecast, PublicForecast, UserForecast, as_now, forecast_view
from foreknow.site.forecasts.store import ForecastRow, LastPlace
from foreknow.site.forecasts.tables import forecast_crowds

#: Pools of a person that one page looks at: those that are hidden from the reader are left out.
LOOKED_AT_MAX = 200


class Earned(NamedTuple):
    """What a person's forecasts of a pool earned; both None where they have no score."""

    score: float | None = None
    coverage: float | None = None


#: Returns what a person has earned in some pools, by pool; nothing of those that are not scored.
ReadEarned = Callable[[ReadTx, int, Collection[int]], Mapping[int, Earned]]


class OfPool(NamedTuple):
    """What is shown of a pool's forecasts, rows and their places."""

    rows: list[tuple[PublicForecast, tuple[int, int]]]
    forecasters: int | None
    crowd: tuple[float, ...] | None
    mine: Forecast | None
    is_hidden: bool


def of_pool(
    tx: ReadTx, pool_id: int, visitor: UserCaller | None, *, before: tuple[int, int] | None, limit: int, now_ms: int
) -> OfPool:
    """Return what a visitor sees of a pool's forecasts; raises `PoolNotFound`."""
    pool = visible_pool(tx, pool_id, visitor)
    user_id = None if visitor is None else visitor.user_id
    own = None if user_id is None else store.standing_of(tx, pool_id, user_id)
    mine = None if own is None else forecast_view(own, pool)
    if is_hidden(tx, pool, user_id, now_ms=now_ms):
        return OfPool([], None, None, mine, True)
    rows = store.newest_standing(tx, pool_id, before=before, limit=limit)
    people = find_people(tx, [row.user_id for row in rows])
    shown = [
        (
            PublicForecast(
                user=public_user(people[row.user_id]),
                probabilities=as_now(row, pool),
                since=iso(row.since_ms),
                created_at=iso(row.created_at_ms),
            ),
            (row.since_ms, row.id),
        )
        for row in rows
    ]
    return OfPool(shown, store.count_standing(tx, pool_id), crowd_now(tx, pool), mine, False)


def crowd_now(tx: ReadTx, pool: PoolRow) -> tuple[float, ...] | None:
    """Return what a pool's crowd thinks, as the follower has written it, one probability a market."""
    found = _CROWD.fetch(tx, {"pool_id": pool.id})
    if not found or found[0][0] is None:
        return None
    return charts.filled(unpack(found[0][0]), [split.charted for split in pool.splits])


class OfPerson(NamedTuple):
    """A page of a person's forecasts, and where it goes on; None at the end."""

    rows: list[UserForecast]
    next: LastPlace | None


def of_person(
    tx: ReadTx,
    user_id: int,
    visitor: UserCaller | None,
    *,
    place: LastPlace | None,
    limit: int,
    now_ms: int,
    earned_in: ReadEarned,
) -> OfPerson:
    """Return what a visitor sees of a person's forecasts; raises `UserNotFound`, of a hidden profile too."""
    check_shown(tx, user_id, visitor)
    reader_id = None if visitor is None else visitor.user_id
    is_own = reader_id == user_id
    # Of one's own none is hidden.
    most = min(limit, LOOKED_AT_MAX) if is_own else LOOKED_AT_MAX
    looked_at = store.newest_pools(tx, user_id, place=place, limit=most + 1)
    pools = load_pools(tx, [pool_id for _, pool_id in looked_at])
    hidden = set[int]() if is_own else hidden_pools(tx, pools.values(), reader_id, now_ms=now_ms)
    seen = [(row_id, pool_id) for row_id, pool_id in looked_at[:most] if pool_id not in hidden]
    page = seen[:limit]
    ids = [pool_id for _, pool_id in page]
    events = load_events(tx, {pools[pool_id].event_id for pool_id in ids})
    last, earned = store.last_in(tx, user_id, ids), earned_in(tx, user_id, ids)
    rows: list[UserForecast] = []
    for pool_id in ids:
        # A deletion of the account may be under way.
        if pool_id in last:
            pool = pools[pool_id]
            event, score = events[pool.event_id], earned.get(pool_id, Earned())
            rows.append(_shown(last[pool_id], pool, (event.name, event.name_ru), score, now_ms=now_ms, is_own=is_own))
    if len(seen) == len(page) and len(looked_at) <= most:
        return OfPerson(rows, None)
    through_id = looked_at[0][0] if place is None else place.through_id
    return OfPerson(rows, LastPlace(through_id, (page if len(seen) > len(page) else looked_at[:-1])[-1][0]))


def _shown(
    row: ForecastRow, pool: PoolRow, event_names: tuple[str, str], earned: Earned, *, now_ms: int, is_own: bool
) -> UserForecast:
    return UserForecast(
        event_id=pool.event_id,
        event_name=event_names[0],
        event_name_ru=event_names[1],
        pool_id=pool.id,
        pool_name=pool.name,
        pool_name_ru=pool.name_ru,
        probabilities=as_now(row, pool),
        note=row.note if is_own else UNSET,
        created_at=iso(row.created_at_ms),
        stands=row.ended_at_ms is None,
        won_side=pool.won_side_at(now_ms),
        score=earned.score,
        coverage=earned.coverage,
    )


_CROWD = CompiledQuery(
    sa.select(forecast_crowds.c.probabilities).where(forecast_crowds.c.pool_id == sa.bindparam("pool_id", type_=Int64))
)
