"""People as they were at the ends of past days: what they have now, less what moved on the days after.

What limit orders hold counts as theirs: so holds and returns move nothing, and fills what they paid or brought.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.units import INT64_MAX
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks, credited_since
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.site.worth.past_pools import day_of
from foreknow.site.worth.store import KeptDay, has_later, last_kept
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trader_trades import TradesPlace, traded_between, trades_from
from foreknow.trading.history.trades import traded_legs
from foreknow.trading.positions.tables import IS_SETTLED, position_splits, positions

#: People looked at together; a person's trades read together.
PIECE_PEOPLE, PAGE_TRADES = 200, 200


class PastPosition(NamedTuple):
    """Of what a position has shares."""

    id: int
    market_id: int
    pool_id: int
    #: YES or NO
    side: str


@dataclass(slots=True)
class _Day:
    """What moved on a day."""

    kopecks: int = 0
    added_kopecks: int = 0
    shares: Counter[PastPosition] = field(default_factory=Counter)


class DayEnd(NamedTuple):
    """What a person had at the end of a day."""

    day: int
    #: The balance, and what orders held.
    kopecks: int
    added_kopecks: int
    #: They change with the next one.
    shares: Mapping[PastPosition, int]


class PastPerson:
    """A person after `from_day`: what they have now, and what moved since."""

    def __init__(self, kopecks: int, kept: KeptDay | None, *, from_day: int) -> None:
        """`kopecks`: the balance now, and what orders hold; `kept`: the last day that is kept up to `from_day`."""
        self._kopecks = kopecks
        self._shares: Counter[PastPosition] = Counter()
        self._from_day = from_day
        self._days: dict[int, _Day] = defaultdict(_Day)
        self.kept = kept
        #: When positions of Other were turned, by position and new market.
        self.turned_ms: dict[tuple[int, int], int] = {}
        #: Where the trades go on that are not read; None where all are.
        self.trades: TradesPlace | None = None

    def hold(self, position: PastPosition, shares: int) -> None:
        """Note what an open position has now."""
        self._shares[position] += shares

    def move(
        self, at_ms: int, *, kopecks: int = 0, added_kopecks: int = 0, shares: Mapping[PastPosition, int] | None = None
    ) -> None:
        """Note what moved at a moment; nothing where that was by the end of `from_day`."""
        day = day_of(at_ms)
        if day > self._from_day:
            moved = self._days[day]
            moved.kopecks += kopecks
            moved.added_kopecks += added_kopecks
            moved.shares.update(shares or {})

    @property
    def positions(self) -> set[PastPosition]:
        """What they hold, or have held since."""
        return set(self._shares).union(*(moved.shares for moved in self._days.values()))

    def day_ends(self, target_day: int) -> Iterator[DayEnd]:
        """Return the days up to `target_day`, the last one first, from that of the first movement or `from_day` on."""
        first = self._from_day + 1 if self.kept is not None else min(self._days, default=INT64_MAX)
        kopecks, shares = self._kopecks, self._shares
        added = 0 if self.kept is None else self.kept.added_kopecks
        added += sum(moved.added_kopecks for moved in self._days.values())
        after = sorted((day for day in self._days if day > target_day), reverse=True)
        for day in (*after, *range(target_day, first - 1, -1)):
            if day <= target_day:
                yield DayEnd(day, kopecks, added, shares)
            if day in self._days:
                moved = self._days[day]
                kopecks, added = kopecks - moved.kopecks, added - moved.added_kopecks
                shares.subtract(moved.shares)
                for position in moved.shares:
                    if not shares[position]:
                        del shares[position]


@dataclass(frozen=True, slots=True)
class PastPiece:
    """Some people, by id, and the last of them."""

    people: Mapping[int, PastPerson]
    through_id: int
    #: Whether any of them has days after `from_day`, which are to be written again.
    has_later: bool
    #: Who have deleted their accounts and have days still: a process of the release before them has erased no days.
    gone_ids: Sequence[int]


def read_piece(tx: ReadTx, *, after_id: int, from_day: int) -> PastPiece | None:
    """Return the next people, whose trades are still to be read (`read_trades`); None where no one is left."""
    found = _PEOPLE.fetch(tx, {"after_id": after_id, "limit": PIECE_PEOPLE})
    if not found:
        return None
    accounts = {account_id: user_id for user_id, account_id, is_deleted in found if not is_deleted}
    ids = list(accounts.values())
    balances, held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids), held_kopecks(tx, ids)
    kept = last_kept(tx, ids, through_day=from_day)
    people = {
        user_id: PastPerson(balances[user_id] + held[user_id], kept.get(user_id), from_day=from_day) for user_id in ids
    }
    # Ids follow each other nearly as times do.
    since_ms = from_day * DAY_MS - OVERLAP_MS
    for user_id, shares, *position in _OPEN.fetch(tx, {"ids": ids}):
        people[user_id].hold(PastPosition(*position), shares)
    bounds = {"ids": ids, "since_ms": since_ms, "until_ms": INT64_MAX}
    for user_id, at_ms, kopecks, shares, *position in _SETTLED.fetch(tx, bounds):
        people[user_id].move(at_ms, kopecks=kopecks, shares={PastPosition(*position): -shares})
    for user_id, at_ms, shares, of_other, new_id, market_id, pool_id in _TURNED.fetch(tx, {"ids": ids}):
        people[user_id].move(at_ms, shares={PastPosition(new_id, market_id, pool_id, "YES"): shares})
        people[user_id].turned_ms[of_other, market_id] = at_ms
    for one in credited_since(tx, accounts, since_ms=since_ms):
        kopecks = one.change_kopecks
        people[accounts[one.account_id]].move(one.created_at_ms, kopecks=kopecks, added_kopecks=kopecks)
    for user_id in traded_between(tx, ids, start_ms=since_ms, end_ms=INT64_MAX):
        _read_trades(tx, people[user_id], user_id, None, since_ms=since_ms)
    gone = [user_id for user_id, _, is_deleted in found if is_deleted]
    gone = gone if has_later(tx, gone, after_day=0) else []
    return PastPiece(people, found[-1][0], has_later(tx, ids, after_day=from_day), gone)


def read_trades(tx: ReadTx, person: PastPerson, user_id: int, *, from_day: int) -> None:
    """Read some more of a person's trades, from `person.trades` on."""
    _read_trades(tx, person, user_id, person.trades, since_ms=from_day * DAY_MS - OVERLAP_MS)


def _read_trades(tx: ReadTx, person: PastPerson, user_id: int, place: TradesPlace | None, *, since_ms: int) -> None:
    placed = trades_from(tx, user_id, place=place, limit=PAGE_TRADES)
    ids = [trade.id for trade in placed]
    oldest_ms = INT64_MAX
    for at_ms, action, kopecks in _TRADES.fetch(tx, {"ids": ids}) if ids else ():
        person.move(at_ms, kopecks=-kopecks if action == "buy" else kopecks)
        oldest_ms = min(oldest_ms, at_ms)
    for at_ms, action, shares, *position in _LEGS.fetch(tx, {"ids": ids}) if ids else ():
        person.move(at_ms, shares={PastPosition(*position): shares if action == "buy" else -shares})
    person.trades = placed[-1].place if len(placed) == PAGE_TRADES and oldest_ms > since_ms else None


def _position(table: sa.FromClause, position_id: str = "id") -> tuple[sa.ColumnElement[Any], ...]:
    return tuple(table.c[name] for name in (position_id, "market_id", "pool_id", "side"))


_U, _P, _S = users.c, positions.c, position_splits.c
_SINCE, _UNTIL = sa.bindparam("since_ms", type_=Int64), sa.bindparam("until_ms", type_=Int64)
_PEOPLE = CompiledQuery(
    sa.select(_U.id, _U.account_id, sa.case((_U.deleted_at_ms.is_(None), 0), else_=1))
    .where(IS_PERSON, _U.id > sa.bindparam("after_id"))
    .order_by(_U.id)
    .limit(sa.bindparam("limit"))
)
_OPEN = CompiledQuery(
    sa.select(_P.user_id, _P.shares, *_position(positions)).where(in_array(_P.user_id), _P.closed_at_ms.is_(None))
)
_SETTLED = CompiledQuery(
    sa.select(_P.user_id, _P.closed_at_ms, _P.settled_kopecks, _P.settled_shares, *_position(positions)).where(
        in_array(_P.user_id), IS_SETTLED, _P.closed_at_ms > _SINCE, _P.closed_at_ms <= _UNTIL
    )
)
_TURNED = CompiledQuery(
    sa.select(
        *(_S.user_id, _S.created_at_ms, _S.shares, _S.position_id, _S.new_position_id, _S.market_id, _S.pool_id)
    ).where(in_array(_S.user_id))
)
_TRADES = CompiledQuery(
    sa.select(trades.c.created_at_ms, trades.c.action, trades.c.amount_kopecks).where(in_array(trades.c.id))
)
_TRADED = traded_legs(
    *("created_at_ms", "action", "shares", "position_id", "market_id", "pool_id", "side"), where=in_array(trades.c.id)
)
_LEGS = CompiledQuery(
    sa.select(_TRADED.c.created_at_ms, _TRADED.c.action, _TRADED.c.shares, *_position(_TRADED, "position_id"))
)
