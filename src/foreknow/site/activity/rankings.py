"""What people did in a period, and who earned most."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.periods import Period
from foreknow.site.activity.tables import creator_activity, trader_sums

#: Length of a ranking.
RANKS_MAX = 1_000
#: People that a ranking looks at: those with hidden profiles among them are left out, and may be many.
LOOKED_AT_MAX = 5_000
_LOOKED_AT_ONCE = 250

_S = trader_sums.c


class TraderSums(NamedTuple):
    """What a person did in a period."""

    volume_kopecks: int
    trades: int
    #: Of all time only: events traded in; positions settled, and those of them with a profit.
    events: int
    settled: int
    earned: int


def sums_of(tx: ReadTx, user_id: int) -> TraderSums:
    """Return a person's sums of all time."""
    query = sa.select(*(_S[name] for name in TraderSums._fields))
    row = tx.execute(query.where(_S.period == "all", _S.number == 0, _S.user_id == user_id)).one_or_none()
    return TraderSums(0, 0, 0, 0, 0) if row is None else TraderSums(*row)


def traders_of(tx: ReadTx, creator_id: int) -> int:
    """Return how many have traded in the events of a person."""
    found = sa.select(creator_activity.c.traders).where(creator_activity.c.creator_id == creator_id)
    return tx.execute(found).scalar() or 0


class AllTime(NamedTuple):
    """What a person did ever."""

    trades: int
    realized_kopecks: int


def all_time_of(tx: ReadTx, user_ids: Collection[int]) -> dict[int, AllTime]:
    """Return what each of these people did ever, by id; those who never traded are left out."""
    return {user_id: AllTime(*sums) for user_id, *sums in _ALL_TIME.fetch(tx, {"ids": user_ids})}


_ALL_TIME = CompiledQuery(
    sa.select(_S.user_id, _S.trades, _S.realized_kopecks).where(
        _S.period == "all", _S.number == 0, in_array(_S.user_id)
    )
)


class RankingPlace(NamedTuple):
    """A place in a ranking: the period's number, how many were looked at so far, hidden ones too, and who is there."""

    number: int
    looked_at: int
    rank: int
    realized_kopecks: int
    user_id: int


class Ranked(NamedTuple):
    """A person in a ranking."""

    place: RankingPlace
    volume_kopecks: int
    trades: int


def start_of(number: int) -> RankingPlace:
    """Return the place before the first of a period's ranking."""
    return RankingPlace(number, 0, 0, 0, 0)


def ranking(tx: ReadTx, period: Period, after: RankingPlace, *, limit: int) -> list[Ranked]:
    """Return the people after a place with the highest profits; of equal ones, the newest account first."""
    found: list[Ranked] = []
    last = after
    limit = min(limit, RANKS_MAX - after.rank)
    while len(found) < limit and last.looked_at < LOOKED_AT_MAX:
        rows = _next(tx, period, last, min(_LOOKED_AT_ONCE, LOOKED_AT_MAX - last.looked_at))
        for realized_kopecks, user_id, volume_kopecks, trades, is_hidden in rows:
            last = RankingPlace(last.number, last.looked_at + 1, last.rank + (not is_hidden), realized_kopecks, user_id)
            if not is_hidden:
                found.append(Ranked(last, volume_kopecks, trades))
        if len(rows) < _LOOKED_AT_ONCE:
            break
    return found[:limit]


def _next(tx: ReadTx, period: Period, after: RankingPlace, count: int) -> Sequence[Any]:
    query = (
        sa.select(_S.realized_kopecks, _S.user_id, _S.volume_kopecks, _S.trades, users.c.profile_hidden)
        .join_from(trader_sums, users, users.c.id == _S.user_id)
        .where(_S.period == period, _S.number == after.number)
        .order_by(_S.realized_kopecks.desc(), _S.user_id.desc())
        .limit(count)
    )
    if after.looked_at:
        query = query.where(sa.tuple_(_S.realized_kopecks, _S.user_id) < (after.realized_kopecks, after.user_id))
    return tx.execute(query).all()
