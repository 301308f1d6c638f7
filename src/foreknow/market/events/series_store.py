"""Rows of series. Locks are taken in this order: an event's pools, its series, accounts, events."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from foreknow.market.events.series_plans import Recurrence, SeriesPlan, plan_of_event
from foreknow.market.events.store import EventRow, update_event
from foreknow.market.events.tables import series
from foreknow.market.pools.store import PoolRow, PoolState, PricedPool
from foreknow.market.pools.tables import pools
from foreknow.platform.db.transactions import ReadTx, WriteTx

_C = series.c
#: Why the next instance of a series is not opened.
WaitingFor = Literal["creator_role", "house_limit", "price"]


class SeriesStatus(enum.StrEnum):
    """Whether further instances are opened."""

    RUNNING = "running"
    STOPPED = "stopped"
    #: The next instance would pass the year 9999.
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """A series."""

    id: int
    creator_id: int
    status: SeriesStatus
    first_event_id: int
    newest_event_id: int
    newest_index: int
    recurrence: Recurrence
    waiting: WaitingFor | None
    #: Index of the instance that its creator was last notified about.
    waiting_index: int | None
    #: Whether its instances need a creator with the role; not those of a suggestion, which an admin runs.
    waits_for_role: bool
    created_at_ms: int
    #: When the next instance can be opened at the earliest; None unless running.
    due_at_ms: int | None
    attempts: int


def begin(tx: WriteTx, event: EventRow, event_pools: Sequence[PoolRow], *, waits_for_role: bool, at_ms: int) -> None:
    """Begin the series of a recurring event that is being published: it is instance 0.

    The rows are those from before, with texts as written; the pools, in their order, are locked. `waits_for_role`: its
    instances need a creator with the role.
    """
    plan = plan_of_event(event, event_pools)
    recurrence = Recurrence(plan=plan, plan_index=0, interval_minutes=event.loop_interval_minutes)
    is_running = recurrence.can_take_place(1)
    row = series.insert().values(
        creator_id=event.creator_id,
        status=(SeriesStatus.RUNNING if is_running else SeriesStatus.ENDED).value,
        first_event_id=event.id,
        newest_event_id=event.id,
        newest_index=0,
        waits_for_role=waits_for_role,
        created_at_ms=at_ms,
        due_at_ms=over_from_ms(event_pools, at_ms=at_ms) if is_running else None,
        **_recurrence_columns(recurrence),
    )
    series_id = tx.execute(row.returning(_C.id)).scalar_one()
    update_event(tx, event.id, series_id=series_id, series_index=0)


def over_from_ms(event_pools: Collection[PricedPool], *, at_ms: int) -> int:
    """Return when the last of an instance's pools with a `finish_at` is past it; `at_ms` where none has one."""
    return max((pool.finish_at_ms for pool in event_pools if pool.finish_at_ms is not None), default=at_ms)


def load_series(tx: ReadTx, series_id: int) -> SeriesRow | None:
    """Return a series; None where there is none with this id."""
    return _one(tx, _SELECT.where(_C.id == series_id))


def lock_series(tx: WriteTx, series_id: int) -> SeriesRow | None:
    """Lock a series until the transaction ends and return it; None where there is none with this id."""
    return _one(tx, _SELECT.where(_C.id == series_id).with_for_update())


def lock_series_of(tx: WriteTx, creator_id: int) -> list[SeriesRow]:
    """Lock all series of a creator likewise."""
    query = _SELECT.where(_C.creator_id == creator_id).order_by(_C.id).with_for_update()
    return [_series(row) for row in tx.execute(query).mappings()]


def is_any_running(rows: Collection[SeriesRow]) -> bool:
    """Return whether further instances of any of these are opened."""
    return any(row.status is SeriesStatus.RUNNING for row in rows)


def lock_due(tx: WriteTx, series_id: int) -> SeriesRow | None:
    """Lock a running series likewise; None, too, while another transaction holds it."""
    return _one(tx, _SELECT.where(_C.id == series_id, _IS_RUNNING).with_for_update(skip_locked=True))


def is_any_due(tx: ReadTx, *, now_ms: int) -> bool:
    """Return whether the newest instance of any series is over by the time, decided or not."""
    first_ms = tx.execute(sa.select(sa.func.min(_C.due_at_ms))).scalar()
    return first_ms is not None and first_ms <= now_ms


def due_series(
    tx: ReadTx, *, now_ms: int, is_waiting: bool, after: tuple[int, int] | None, limit: int
) -> Sequence[tuple[int, int]]:
    """Return `(due_at_ms, id)` of series whose newest instance is over, in this order, those after `after`.

    Of those whose next instance waits for something, or of the others.
    """
    waits = _C.waiting.is_not(None) if is_waiting else _C.waiting.is_(None)
    query = sa.select(_C.due_at_ms, _C.id).where(_C.due_at_ms <= now_ms, waits, ~_UNDECIDED.exists())
    if after is not None:
        query = query.where(sa.tuple_(_C.due_at_ms, _C.id) > after)
    return [
        (due_at_ms, series_id) for due_at_ms, series_id in tx.execute(query.order_by(_C.due_at_ms, _C.id).limit(limit))
    ]


def update_series(tx: WriteTx, series_id: int, *, recurrence: Recurrence | None = None, **values: Any) -> None:
    """Change a locked series."""
    columns = {} if recurrence is None else _recurrence_columns(recurrence)
    tx.execute(series.update().where(_C.id == series_id).values(**values, **columns))


def note_newest_ends(tx: WriteTx, event: EventRow, *, over_from_ms: int) -> None:
    """Note when the pools of an event end from now on: where it is the newest instance of its series, which is locked,
    the next one can be opened from then on.
    """
    change = series.update().where(_C.newest_event_id == event.id, _C.id == event.series_id, _IS_RUNNING)
    tx.execute(change.values(due_at_ms=over_from_ms))


def drop_planned_image(tx: WriteTx, series_id: int) -> None:
    """Let the next instance of a locked series show the image of the newest one, whatever was planned."""
    row = load_series(tx, series_id)
    if row is not None and row.recurrence.plan.image_url is not None:
        plan = msgspec.structs.replace(row.recurrence.plan, image_url=None)
        update_series(tx, series_id, recurrence=replace(row.recurrence, plan=plan))


_IS_RUNNING = _C.status == SeriesStatus.RUNNING.value
_SELECT = sa.select(series)
#: Pools of the newest instance that no time ends and that have no result yet.
_UNDECIDED = sa.select(pools.c.id).where(
    pools.c.event_id == _C.newest_event_id,
    pools.c.finish_at_ms.is_(None),
    pools.c.decided_at_ms.is_(None),
    pools.c.state != PoolState.RESOLVED.value,
)


def _recurrence_columns(recurrence: Recurrence) -> dict[str, Any]:
    return {
        "draft": recurrence.plan,
        "draft_index": recurrence.plan_index,
        "loop_interval_minutes": recurrence.interval_minutes,
    }


def _one(tx: ReadTx, query: sa.Select[Any]) -> SeriesRow | None:
    row = tx.execute(query).mappings().one_or_none()
    return None if row is None else _series(row)


def _series(row: sa.RowMapping) -> SeriesRow:
    columns = dict(row)
    recurrence = Recurrence(
        plan=msgspec.convert(columns.pop("draft"), SeriesPlan),
        plan_index=columns.pop("draft_index"),
        interval_minutes=columns.pop("loop_interval_minutes"),
    )
    return SeriesRow(**{**columns, "status": SeriesStatus(row["status"])}, recurrence=recurrence)
