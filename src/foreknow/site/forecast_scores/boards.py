"""Who earned most by forecasts in a period: sums as they are written, and boards of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.people.follows.tables import user_follows
from foreknow.people.users.tables import users
from foreknow.platform.db.changes import Insert, adding, apply
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.periods import PERIODS, Period, number_of
from foreknow.site.activity.rankings import RANKS_MAX
from foreknow.site.forecast_scores.tables import POOLS_MIN, SUM_UNIT, forecast_sums

#: An account is as old before it has a place on one.
ACCOUNT_MS = 30 * DAY_MS

_S = forecast_sums.c


class RankedForecaster(NamedTuple):
    """A person on a board."""

    rank: int
    user_id: int
    score: float
    pools: int


class ForecastTotal(NamedTuple):
    """What a person earned in all, and in how many pools; no score without any."""

    score: float | None
    pools: int


def add(tx: WriteTx, scores: Iterable[tuple[int, float]], *, event_pools: int, final_ms: int) -> None:
    """Add what people (by id) earned in a pool that became final at a moment, of an event of `event_pools`."""
    rows = [
        (period, number_of(period, final_ms), user_id, round(score / event_pools * SUM_UNIT), 1)
        for period in PERIODS
        for user_id, score in scores
    ]
    apply(tx, _ADDED, sorted(rows))


def total_of(tx: ReadTx, user_id: int) -> ForecastTotal:
    """Return what a person earned in all."""
    query = sa.select(_S.score, _S.pools).where(_S.period == "all", _S.number == 0, _S.user_id == user_id)
    row = tx.execute(query).one_or_none()
    return ForecastTotal(None, 0) if row is None else ForecastTotal(row.score / SUM_UNIT, row.pools)


def board(
    tx: ReadTx, period: Period, number: int, *, now_ms: int, shown: Collection[int] = (), limit: int
) -> list[RankedForecaster]:
    """Return the highest in the period of this number, without hidden profiles and accounts that have ended.

    Those `shown` are left out, since scores change while a board is read; the ranks count on after them.
    """
    query = _ranked(period, number, now_ms).where(sa.not_(users.c.profile_hidden))
    if shown:
        query = query.where(_S.user_id.not_in(shown))
    rows = tx.execute(query.limit(max(0, min(limit, RANKS_MAX - len(shown)))))
    return _numbered(rows, after=len(shown))


def own_board(
    tx: ReadTx, user_id: int, period: Period, number: int, *, now_ms: int, shown: Collection[int] = (), limit: int
) -> list[RankedForecaster]:
    """Return the same among those whom a person follows and themselves, who see themselves though they are hidden."""
    followed = sa.select(user_follows.c.followed_id).where(user_follows.c.user_id == user_id)
    is_self = _S.user_id == user_id
    query = _ranked(period, number, now_ms).where(
        sa.or_(is_self, _S.user_id.in_(followed)), sa.or_(is_self, sa.not_(users.c.profile_hidden))
    )
    if shown:
        query = query.where(_S.user_id.not_in(shown))
    return _numbered(tx.execute(query.limit(limit)), after=len(shown))


def forget(tx: WriteTx, user_id: int) -> int:
    """Delete a person's sums; return how many."""
    return tx.execute(forecast_sums.delete().where(_S.user_id == user_id)).rowcount


def _ranked(period: Period, number: int, now_ms: int) -> sa.Select[tuple[int, int, int]]:
    return (
        sa.select(_S.user_id, _S.score, _S.pools)
        .join_from(forecast_sums, users, users.c.id == _S.user_id)
        .where(
            _S.period == period,
            _S.number == number,
            _S.pools >= sa.literal_column(str(POOLS_MIN)),
            users.c.is_active,
            users.c.created_at_ms <= now_ms - ACCOUNT_MS,
        )
        .order_by(_S.score.desc(), _S.pools.desc(), _S.user_id)
    )


def _numbered(rows: Iterable[Any], *, after: int) -> list[RankedForecaster]:
    return [
        RankedForecaster(rank, user_id, score / SUM_UNIT, pools)
        for rank, (user_id, score, pools) in enumerate(rows, after + 1)
    ]


_ADDED = Insert(
    forecast_sums,
    ("period", "number", "user_id", "score", "pools"),
    conflict=adding(forecast_sums, "score", "pools"),
)
