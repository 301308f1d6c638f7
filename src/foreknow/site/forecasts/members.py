"""Who is part of a pool's crowd, kept in memory from one look to the next: only who has changed something is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.market.pools.rows import PoolRow
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts.crowd import Opinion
from foreknow.site.forecasts.probabilities import after_splits
from foreknow.site.forecasts.tables import forecasts

#: Accounts younger than this weigh nothing.
AGE_MIN_MS = DAY_MS
#: Forecasts of a page.
PAGE_FORECASTS = 1_000
#: About what a member takes of memory, and one of their probabilities.
_MEMBER_BYTES, _NUMBER_BYTES = 400, 32

_F, _U = forecasts.c, users.c


class _Said(NamedTuple):
    """A forecast that stands, and what its author's account counts by."""

    user_id: int
    created_at_ms: int
    probabilities: Sequence[float]
    account_at_ms: int
    is_active: bool
    muted_until_ms: int | None


class _Member(NamedTuple):
    #: From when on the account counts.
    counts_at_ms: int
    opinion: Opinion


class PoolMembers:
    """Who has said what they think of a pool, and is active."""

    def __init__(self, pool: PoolRow) -> None:
        """Begin with no one; good as long as the pool has as many outcomes."""
        self.outcomes = len(pool.markets)
        self._splits = [split.charted for split in pool.splits]
        self._members: dict[int, _Member] = {}

    @property
    def size_bytes(self) -> int:
        """About what they take of memory."""
        return len(self._members) * (_MEMBER_BYTES + _NUMBER_BYTES * self.outcomes)

    def take(self, rows: Iterable[_Said], *, in_place_of: Collection[int] = ()) -> None:
        """Note what stands, in the place of whatever these users had said."""
        for user_id in in_place_of:
            self._members.pop(user_id, None)
        for row in rows:
            if row.is_active:
                counts_at_ms = max(row.account_at_ms + AGE_MIN_MS, row.muted_until_ms or 0)
                probabilities = after_splits(row.probabilities, self._splits)
                self._members[row.user_id] = _Member(counts_at_ms, Opinion(row.created_at_ms, probabilities))

    def opinions(self, now_ms: int) -> list[Opinion]:
        """Return what those think whose accounts count by now."""
        return [member.opinion for member in self._members.values() if member.counts_at_ms <= now_ms]

    def due_at_ms(self, now_ms: int) -> int | None:
        """Return when the next account comes to count; None for none."""
        later = (member.counts_at_ms for member in self._members.values())
        return min((at_ms for at_ms in later if at_ms > now_ms), default=None)


def read_page(tx: ReadTx, *, pool_id: int, after_id: int) -> list[_Said]:
    """Return what stands in a pool, by users of ids above `after_id`; fewer than `PAGE_FORECASTS` at the end."""
    return list(map(_Said._make, _PAGE.fetch(tx, {"pool_id": pool_id, "after_id": after_id})))


def read_some(tx: ReadTx, *, pool_id: int, user_ids: Collection[int]) -> list[_Said]:
    """Return what of these users stands in a pool."""
    return list(map(_Said._make, _SOME.fetch(tx, {"pool_id": pool_id, "ids": user_ids})))


def _standing(*conditions: Any) -> sa.Select[Any]:
    columns = (_F.user_id, _F.created_at_ms, _F.probabilities, _U.created_at_ms, _U.is_active, _U.muted_until_ms)
    of_pool = sa.and_(_F.pool_id == sa.bindparam("pool_id", type_=Int64), _F.ended_at_ms.is_(None))
    return sa.select(*columns).join_from(forecasts, users, _U.id == _F.user_id).where(of_pool, *conditions)


_AFTER = sa.bindparam("after_id", type_=Int64)
_PAGE = CompiledQuery(_standing(_F.user_id > _AFTER).order_by(_F.user_id).limit(PAGE_FORECASTS))
_SOME = CompiledQuery(_standing(in_array(_F.user_id)))
