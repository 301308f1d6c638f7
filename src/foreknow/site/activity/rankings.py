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


class Ranked(NamedTuple):
    """A person in a ranking."""

    rank: int
    user_id: int
    realized_kopecks: int
    volume_kopecks: int
    trades: int


def ranking(tx: ReadTx, period: Period, number: int, *, shown: Collection[int] = (), limit: int) -> list[Ranked]:
    """Return the people with the highest profits in the period of this number; of equal ones, the newest account first.

    Those `shown` are left out, since profits change while a ranking is read; the ranks count on after them.
    """
    found: list[Ranked] = []
    before = frozenset(shown)
    last: tuple[int, int] | None = None
    limit = min(limit, RANKS_MAX - len(before))
    for _ in range(0, LOOKED_AT_MAX, _LOOKED_AT_ONCE):
        rows = _next(tx, period, number, last) if len(found) < limit else ()
        for realized_kopecks, user_id, volume_kopecks, trades, is_hidden in rows:
            last = realized_kopecks, user_id
            if not is_hidden and user_id not in before:
                rank = len(before) + len(found) + 1
                found.append(Ranked(rank, user_id, realized_kopecks, volume_kopecks, trades))
        if len(rows) < _LOOKED_AT_ONCE:
            break
    return found[:limit]


def _next(tx: ReadTx, period: Period, number: int, after: tuple[int, int] | None) -> Sequence[Any]:
    query = (
        sa.select(_S.realized_kopecks, _S.user_id, _S.volume_kopecks, _S.trades, users.c.profile_hidden)
        .join_from(trader_sums, users, users.c.id == _S.user_id)
        .where(_S.period == period, _S.number == number)
        .order_by(_S.realized_kopecks.desc(), _S.user_id.desc())
        .limit(_LOOKED_AT_ONCE)
    )
    if after is not None:
        query = query.where(sa.tuple_(_S.realized_kopecks, _S.user_id) < after)
    return tx.execute(query).all()
