"""Reading, stopping, resuming and changing series."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.events import series_store
from foreknow.market.events.drafts import check_sources, event_draft, given_fields, pool_drafts
from foreknow.market.events.schemas import EditSeriesBody
from foreknow.market.events.series_plans import Recurrence, plan_of_draft
from foreknow.market.events.series_store import SeriesRow, SeriesStatus, over_from_ms
from foreknow.market.pools.store import PricedPool
from foreknow.market.series.errors import SeriesNotFound
from foreknow.market.series.opening import next_status, pools_of, wait_no_longer
from foreknow.market.series.schemas import Series, series_view
from foreknow.people import admin_log
from foreknow.people.users import require_run_by
from foreknow.people.users.store import person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx

_NOT_RUN = "Only the series's creator and admins may do this."


def load_view(tx: ReadTx, series_id: int, *, at_ms: int) -> Series:
    """Show a series as it is at `at_ms`; `SeriesNotFound`."""
    row = series_store.load_series(tx, series_id)
    if row is None:
        raise SeriesNotFound
    newest_pools = pools_of(tx, row.newest_event_id)
    is_open_ended = any(pool.finish_at_ms is None and not pool.is_decided for pool in newest_pools)
    return series_view(
        row,
        next_index=_next_index(row, newest_pools, at_ms=at_ms),
        next_opens_at_ms=None if is_open_ended else row.due_at_ms,
    )


def stop(tx: WriteTx, series_id: int, caller: UserCaller) -> None:
    """Open no more instances; the newest goes on. Again, or once it has ended, that changes nothing.

    Raises `SeriesNotFound`, `Forbidden`.
    """
    row = _locked(tx, series_id, caller)
    if row.status is not SeriesStatus.RUNNING:
        return
    at_ms = now_ms(tx)
    columns = wait_no_longer(tx, row, at_ms=at_ms)
    series_store.update_series(tx, row.id, status=SeriesStatus.STOPPED.value, due_at_ms=None, **columns)
    _log(tx, caller, row, "series.stop", {}, at_ms=at_ms)


def resume(tx: WriteTx, series_id: int, caller: UserCaller) -> None:
    """Open instances again, from the lowest index whose pools all end later than now; again that changes nothing.

    Raises `SeriesNotFound`, `Forbidden`, `InvalidState` once the series has ended.
    """
    row = _locked(tx, series_id, caller)
    _require_not_ended(row)
    if row.status is SeriesStatus.RUNNING:
        return
    if person(tx, row.creator_id).deleted_at_ms is not None:
        raise InvalidState("The account of the series's creator was deleted.")
    at_ms = now_ms(tx)
    columns = next_status(row.recurrence, row.newest_index, pools_of(tx, row.newest_event_id), at_ms=at_ms)
    series_store.update_series(tx, row.id, **columns)
    _log(tx, caller, row, "series.resume", {}, at_ms=at_ms)


def check_edit(body: EditSeriesBody) -> None:
    """Raise `BadRequest` for what is wrong with any series."""
    given_fields(body)
    if body.pools is not None:
        check_sources(body.pools)
        pool_drafts(body.pools)


def edit(tx: WriteTx, series_id: int, body: EditSeriesBody, caller: UserCaller) -> None:
    """Change what later instances are made of; `body` passed `check_edit`.

    Raises `SeriesNotFound`, `Forbidden`, `InvalidState` once the series has ended, and `BadRequest` where the changes
    do not go together with what stays.
    """
    row = _locked(tx, series_id, caller)
    given = {name: value for name, value in msgspec.structs.asdict(body).items() if value is not None}
    if not given:
        return
    _require_not_ended(row)
    at_ms = now_ms(tx)
    recurrence = _edited(row, given, next_index=_next_index(row, pools_of(tx, row.newest_event_id), at_ms=at_ms))
    if not recurrence.can_take_place(row.newest_index + 1):
        raise wrong_field("loop_interval_minutes", "must let the next instance end before the year 10000")
    series_store.update_series(tx, row.id, recurrence=recurrence)
    _log(tx, caller, row, "series.edit", {"fields": sorted(given)}, at_ms=at_ms)


def _edited(row: SeriesRow, given: Mapping[str, Any], *, next_index: int) -> Recurrence:
    before = row.recurrence
    # What stays keeps its times: another interval counts from the newest instance on.
    base = before.at(max(before.plan_index, row.newest_index))
    draft = event_draft(msgspec.structs.replace(base.body_of(base.plan_index), **given))
    if "pools" not in given:
        draft = base.with_market_names(draft)
    image_url = draft.image_url if "image_url" in given else before.plan.image_url
    return Recurrence(
        plan=plan_of_draft(draft, image_url=image_url),
        plan_index=next_index if "pools" in given else base.plan_index,
        interval_minutes=draft.loop_interval_minutes,
    )


def _next_index(row: SeriesRow, newest_pools: Collection[PricedPool], *, at_ms: int) -> int:
    """Return the index of the next instance, if it is opened now or, where that is later, once the newest is over."""
    opens_at_ms = max(at_ms, over_from_ms(newest_pools, at_ms=at_ms))
    return row.recurrence.next_index(after=row.newest_index, at_ms=opens_at_ms)


def _locked(tx: WriteTx, series_id: int, caller: UserCaller) -> SeriesRow:
    row = series_store.lock_series(tx, series_id)
    if row is None:
        raise SeriesNotFound
    require_run_by(tx, caller, row, _NOT_RUN)
    return row


def _require_not_ended(row: SeriesRow) -> None:
    if row.status is SeriesStatus.ENDED:
        raise InvalidState("The series has ended: its next instance would pass the year 9999.")


def _log(
    tx: WriteTx, caller: UserCaller, row: SeriesRow, action: str, details: Mapping[str, Any], *, at_ms: int
) -> None:
    admin_log.record_intervention(
        tx, caller, owner_id=row.creator_id, action=action, target=f"series:{row.id}", details=details, at_ms=at_ms
    )
