"""Rows of forecasts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from foreknow.market.pools.crowd_news import note_for_crowds
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Insert, update_rows, written_keys
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecasts.tables import forecasts

_F = forecasts.c
_STANDS = _F.ended_at_ms.is_(None)


class ForecastRow(NamedTuple):
    """What a person said of a pool."""

    id: int
    pool_id: int
    user_id: int
    #: As sent, and raised and divided: one a market that the pool had then.
    sent: Sequence[float]
    probabilities: Sequence[float]
    #: The prices then.
    market: Sequence[float]
    note: str
    since_ms: int
    created_at_ms: int
    #: When it stood no more; None while it does.
    ended_at_ms: int | None
    #: When the person's forecasts of the pool were accepted, in the hour up to the last one.
    accepted: Sequence[int]


_COLUMNS = tuple(_F[name] for name in ForecastRow._fields)


def last_fetch(pool_id: int, user_id: int) -> Fetch[ForecastRow | None]:
    """Return the query of what a person said last of a pool, whether it stands or not."""
    return Fetch(
        _LAST, {"pool_id": pool_id, "user_id": user_id}, lambda rows: ForecastRow._make(rows[0]) if rows else None
    )


def standing_of(tx: ReadTx, pool_id: int, user_id: int) -> ForecastRow | None:
    """Return what a person thinks of a pool; None where nothing of theirs stands."""
    last = last_fetch(pool_id, user_id).fetch(tx)
    return last if last is not None and last.ended_at_ms is None else None


def add(tx: WriteTx, new: ForecastRow, *, after: ForecastRow | None) -> ForecastRow:
    """Write what a person says from now on, in the place of the one before it; its id is the row's."""
    if after is not None and after.ended_at_ms is None:
        update_rows(tx, forecasts, ("ended_at_ms",), [(new.since_ms, after.id)])
    ((new_id,),) = written_keys(tx, _ADD, [[_stored(value) for value in new[1:]]])
    if after is not None:
        update_rows(tx, forecasts, ("next_id",), [(new_id, after.id)])
    note_for_crowds(tx, [new.pool_id], user_id=new.user_id)
    return new._replace(id=new_id)


def renew(tx: WriteTx, renewed: ForecastRow) -> None:
    """Write that a person has said the same again."""
    values = (renewed.created_at_ms, renewed.note, _stored(renewed.accepted), renewed.id)
    update_rows(tx, forecasts, ("created_at_ms", "note", "accepted"), [values])
    note_for_crowds(tx, [renewed.pool_id], user_id=renewed.user_id)


def end(tx: WriteTx, row: ForecastRow, *, at_ms: int) -> None:
    """Let a forecast stand no more."""
    update_rows(tx, forecasts, ("ended_at_ms",), [(at_ms, row.id)])
    note_for_crowds(tx, [row.pool_id], user_id=row.user_id)


def _stored(value: Any) -> Any:
    """Return a value as its column holds it: lists as JSON text."""
    return value if value is None or isinstance(value, int | str) else msgspec.json.encode(value).decode()


def count_standing(tx: ReadTx, pool_id: int) -> int:
    """Return how many forecasts of a pool stand."""
    return int(_COUNT.fetch(tx, {"pool_id": pool_id})[0][0])


def newest_standing(tx: ReadTx, pool_id: int, *, before: tuple[int, int] | None, limit: int) -> list[ForecastRow]:
    """Return standing forecasts of a pool, those said last first; `before`: those after this (time, id)."""
    query = sa.select(*_COLUMNS).where(_F.pool_id == pool_id, _STANDS)
    if before is not None:
        since_ms, row_id = before
        query = query.where(
            _F.since_ms <= since_ms, sa.or_(_F.since_ms < since_ms, sa.and_(_F.since_ms == since_ms, _F.id < row_id))
        )
    rows = tx.execute(query.order_by(_F.since_ms.desc(), _F.id.desc()).limit(limit))
    return [ForecastRow(*row) for row in rows]


class LastPlace(NamedTuple):
    """Where the traversal of a person's pools is: up to which row it goes, and before which it goes on."""

    through_id: int
    before_id: int


def newest_pools(tx: ReadTx, user_id: int, *, place: LastPlace | None, limit: int) -> list[tuple[int, int]]:
    """Return (row, pool) of a person's pools by what they had said last of each when the traversal began, newest first.

    So a pool of which they say something else meanwhile keeps its place, and each is shown once.
    """
    mine = _F.user_id == user_id
    newest = sa.select(_F.id, _F.pool_id).where(mine, _F.next_id.is_(None))
    if place is None:
        return [(row.id, row.pool_id) for row in tx.execute(newest.order_by(_F.id.desc()).limit(limit))]
    below = _F.id < place.before_id
    last = newest.where(below).order_by(_F.id.desc()).limit(limit)
    followed = sa.select(_F.id, _F.pool_id).where(mine, below, _F.next_id > place.through_id, _F.next_id.is_not(None))
    followed = followed.order_by(_F.id.desc()).limit(limit)
    found = [(row.id, row.pool_id) for query in (last, followed) for row in tx.execute(query)]
    return sorted(found, reverse=True)[:limit]


def last_in(tx: ReadTx, user_id: int, pool_ids: Collection[int]) -> dict[int, ForecastRow]:
    """Return what a person said last of those pools (a hundred or so) of which they said anything, by pool."""
    query = sa.select(*_COLUMNS).where(_F.user_id == user_id, _F.pool_id.in_(pool_ids), _F.next_id.is_(None))
    return {row.pool_id: row for row in map(ForecastRow._make, tx.execute(query))}


def pools_said(tx: ReadTx, user_id: int, pool_ids: Collection[int]) -> set[int]:
    """Return of which of these pools a person has ever said anything."""
    if not pool_ids:
        return set()
    return {pool_id for (pool_id,) in _SAID.fetch(tx, {"ids": pool_ids, "user_id": user_id})}


def note_standing_of(tx: WriteTx, user_id: int) -> None:
    """Let the crowds be looked at of which a person is part: their account counts no more, or again."""
    standing = sa.select(_F.pool_id).where(_F.user_id == user_id, _F.next_id.is_(None), _STANDS)
    note_for_crowds(tx, tx.execute(standing).scalars().all(), user_id=user_id)


def forget(tx: WriteTx, user_id: int, *, most: int) -> int:
    """Delete up to `most` forecasts of a person; return how many there were."""
    rows = tx.execute(sa.select(_F.id, _F.pool_id).where(_F.user_id == user_id).order_by(_F.id).limit(most)).all()
    tx.execute(forecasts.delete().where(in_array(_F.id)), {"ids": [row.id for row in rows]})
    note_for_crowds(tx, sorted({row.pool_id for row in rows}), user_id=user_id)
    return len(rows)


_POOL, _USER = sa.bindparam("pool_id", type_=Int64), sa.bindparam("user_id", type_=Int64)
_OF_USER = sa.and_(_F.pool_id == _POOL, _F.user_id == _USER)
_LAST = CompiledQuery(sa.select(*_COLUMNS).where(_OF_USER).order_by(_F.id.desc()).limit(1))
_COUNT = CompiledQuery(sa.select(sa.func.count()).select_from(forecasts).where(_F.pool_id == _POOL, _STANDS))
_SAID = CompiledQuery(sa.select(_F.pool_id).where(in_array(_F.pool_id), _F.user_id == _USER, _F.next_id.is_(None)))
_ADD = Insert(forecasts, ForecastRow._fields[1:])
