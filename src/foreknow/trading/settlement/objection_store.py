"""Rows of objections."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.people.attention.tables import OPEN, attention
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions.tables import positions
from foreknow.trading.settlement.tables import objections

ObjectionState = Literal["open", "upheld", "rejected", "lapsed"]
_C = objections.c
_IS_OPEN = _C.state == "open"


class ObjectionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What someone has said against a result."""

    id: int
    pool_id: int
    verdict: int
    user_id: int
    partner_id: int | None
    reason: str
    source_url: str
    proposal: dict[str, Any] | None
    holds: bool
    state: ObjectionState
    answer_note: str
    answered_at_ms: int | None
    hidden_at_ms: int | None
    created_at_ms: int


_COLUMNS = [_C[name] for name in ObjectionRow.__struct_fields__]


class Objector(msgspec.Struct, frozen=True):
    """Whose an objection is: a person's, or a partner's for one of its users."""

    user_id: int
    partner_id: int | None = None

    def owns(self) -> sa.ColumnElement[bool]:
        """Return the condition of theirs: a partner's are those of all its users."""
        if self.partner_id is None:
            return sa.and_(_C.user_id == self.user_id, _C.partner_id.is_(None))
        return _C.partner_id == self.partner_id


class WaitingResult(msgspec.Struct, frozen=True):
    """A result that someone objects to; `id`: of its entry in the attention list."""

    id: int
    pool_id: int
    since_ms: int


class Past(NamedTuple):
    """How many of someone's objections were upheld, and rejected."""

    upheld: int
    rejected: int


def insert(tx: WriteTx, **values: Any) -> int:
    """Write an objection and return its id."""
    return int(tx.execute(objections.insert().values(**values).returning(_C.id)).scalar_one())


def find(tx: ReadTx, objection_id: int) -> ObjectionRow | None:
    """Return an objection; None where there is none."""
    return next(iter(find_many(tx, [objection_id])), None)


def find_many(tx: ReadTx, objection_ids: Collection[int]) -> Sequence[ObjectionRow]:
    """Return those of some objections that are there (a hundred or so)."""
    return _read(tx, sa.select(*_COLUMNS).where(_C.id.in_(objection_ids)))


def first_of(tx: ReadTx, pool_id: int, verdict: int, objector: Objector) -> ObjectionRow | None:
    """Return someone's objection to a result; None for none."""
    query = sa.select(*_COLUMNS).where(_C.pool_id == pool_id, _C.verdict == verdict, objector.owns())
    return next(iter(_read(tx, query.order_by(_C.id).limit(1))), None)


def newest(tx: ReadTx, pool_id: int, *, before_id: int | None, limit: int) -> Sequence[ObjectionRow]:
    """Return a pool's objections, newest first, of those with ids under `before_id` where that is given."""
    query = sa.select(*_COLUMNS).where(_C.pool_id == pool_id).order_by(_C.id.desc()).limit(limit)
    return _read(tx, query if before_id is None else query.where(_C.id < before_id))


def newest_id(tx: ReadTx, pool_id: int, verdict: int) -> int | None:
    """Return the id of the newest objection to a result; None for none."""
    query = sa.select(sa.func.max(_C.id)).where(_C.pool_id == pool_id, _C.verdict == verdict)
    found: int | None = tx.execute(query).scalar()
    return found


def was_held(tx: ReadTx, pool_id: int, verdict: int) -> bool:
    """Return whether a result was ever held."""
    query = sa.select(_C.id).where(_C.pool_id == pool_id, _C.verdict == verdict, _C.held_first)
    return tx.execute(query.limit(1)).first() is not None


def oldest_of_last(tx: ReadTx, objector: Objector, *, count: int, since_ms: int) -> int | None:
    """Return when the oldest of someone's last `count` objections was made; None for fewer since `since_ms`."""
    query = sa.select(_C.created_at_ms).where(objector.owns(), _C.created_at_ms > since_ms)
    found: int | None = tx.execute(query.order_by(_C.created_at_ms.desc()).offset(count - 1).limit(1)).scalar()
    return found


def rejected_since(tx: ReadTx, objector: Objector, *, since_ms: int) -> int:
    """Return how many of someone's objections were rejected since then, and since the last that was upheld."""
    upheld = sa.select(sa.func.max(_C.answered_at_ms)).where(objector.owns(), _C.state == "upheld")
    from_ms = max(since_ms, tx.execute(upheld).scalar() or 0)
    query = sa.select(sa.func.count()).where(objector.owns(), _C.state == "rejected", _C.answered_at_ms > from_ms)
    return int(tx.execute(query).scalar_one())


def open_of(tx: ReadTx, pool_id: int) -> Sequence[ObjectionRow]:
    """Return the objections of a locked pool that are open."""
    return _read(tx, sa.select(*_COLUMNS).where(_C.pool_id == pool_id, _IS_OPEN).order_by(_C.id))


def newest_open(tx: ReadTx, pool_id: int, *, limit: int) -> Sequence[ObjectionRow]:
    """Return the newest open objections of a pool, newest first."""
    query = sa.select(*_COLUMNS).where(_C.pool_id == pool_id, _IS_OPEN)
    return _read(tx, query.order_by(_C.id.desc()).limit(limit))


def waiting_results(tx: ReadTx, *, after_id: int, limit: int, at_ms: int) -> Sequence[WaitingResult]:
    """Return the results that wait for an answer and are not final, those first that have waited longest."""
    a = attention.c
    query = (
        sa.select(a.id, a.pool_id, a.since_ms)
        .join_from(attention, pools, pools.c.id == a.pool_id)
        .where(OPEN, a.kind == "objection", a.id > after_id, pools.c.disputable_until_ms > at_ms)
        .order_by(a.id)
        .limit(limit)
    )
    return [WaitingResult(*row) for row in tx.execute(query)]


def pasts(tx: ReadTx, rows: Sequence[ObjectionRow]) -> dict[int, Past]:
    """Return the past of each objection's author, by its id: a partner's is its users' together."""
    people = {row.user_id for row in rows if row.partner_id is None}
    partners = {row.partner_id for row in rows if row.partner_id is not None}
    of_people = _answered(tx, _C.user_id, sa.and_(_C.partner_id.is_(None), _C.user_id.in_(people)))
    of_partners = _answered(tx, _C.partner_id, _C.partner_id.in_(partners))
    nothing = Past(0, 0)
    return {
        row.id: of_people.get(row.user_id, nothing)
        if row.partner_id is None
        else of_partners.get(row.partner_id, nothing)
        for row in rows
    }


def _answered(tx: ReadTx, owner: sa.ColumnElement[Any], whose: sa.ColumnElement[bool]) -> dict[int, Past]:
    counts = [sa.func.sum(sa.case((_C.state == state, 1), else_=0)) for state in Past._fields]
    query = sa.select(owner, *counts).where(whose, _C.state.in_(Past._fields)).group_by(owner)
    return {owner_id: Past(int(upheld), int(rejected)) for owner_id, upheld, rejected in tx.execute(query)}


def answer(tx: WriteTx, objection_ids: Collection[int], *, state: ObjectionState, note: str = "", at_ms: int) -> None:
    """Answer objections of a locked pool."""
    answered = objections.update().where(_C.id.in_(objection_ids))
    tx.execute(answered.values(state=state, answer_note=note, answered_at_ms=at_ms))


def lapse(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Let what is open of a locked pool lapse: its result is final."""
    lapsed = objections.update().where(_C.pool_id == pool_id, _IS_OPEN)
    tx.execute(lapsed.values(state="lapsed", answered_at_ms=at_ms))


def hide(tx: WriteTx, objection_id: int, *, at_ms: int | None) -> None:
    """Hide an objection; None: show it again."""
    tx.execute(objections.update().where(_C.id == objection_id).values(hidden_at_ms=at_ms))


def pools_held_by(tx: ReadTx, user_id: int) -> list[int]:
    """Return the pools whose results objections of a person hold, as their rows say."""
    query = sa.select(_C.pool_id).where(_C.user_id == user_id, _IS_OPEN, _C.holds)
    return list(tx.execute(query.distinct()).scalars())


def release(tx: WriteTx, pool_id: int, user_id: int) -> int:
    """Let a person's objections hold the result of a locked pool no longer; return how many did."""
    theirs = objections.update().where(_C.pool_id == pool_id, _C.user_id == user_id, _IS_OPEN, _C.holds)
    return int(tx.execute(theirs.values(holds=False)).rowcount)


def erase_some(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Clear what a deleted person wrote in up to `most` objections; return in how many."""
    is_left = sa.or_(_C.reason != "", _C.source_url != "")
    some = sa.select(_C.id).where(_C.user_id == user_id, is_left).order_by(_C.id).limit(most)
    ids = tx.execute(some).scalars().all()
    tx.execute(objections.update().where(_C.id.in_(ids)).values(reason="", source_url=""))
    return len(ids)


def targets_of(user_id: int) -> sa.Select[Any]:
    """Return the query of a person's objections as the admin log names them."""
    return sa.select(sa.literal("objection:").concat(sa.cast(_C.id, Text))).where(_C.user_id == user_id)


def held_at_the_end(tx: ReadTx, *, user_id: int, event_id: int, pool_id: int) -> bool:
    """Return whether a person holds shares in a pool, or was paid for some: trading there has ended."""
    p = positions.c
    own = sa.select(p.id).where(p.user_id == user_id, p.event_id == event_id, p.pool_id == pool_id)
    is_held = own.where(p.closed_at_ms.is_(None), p.shares > 0)
    was_paid = own.where(p.closed_at_ms.is_not(None), p.settled_shares > 0)
    return any(tx.execute(query.limit(1)).first() is not None for query in (is_held, was_paid))


def _read(tx: ReadTx, query: sa.Select[Any]) -> list[ObjectionRow]:
    return [ObjectionRow(**row) for row in tx.execute(query).mappings()]
