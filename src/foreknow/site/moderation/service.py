"""Rules of reports and of muting: who may report what, and what operators and admins do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import DAY_MS, SECOND_MS, iso_or_none
from foreknow.kernel.errors import Forbidden, RateLimited
from foreknow.kernel.validation.fields import optional_text, optional_utc_ms, wrong_field
from foreknow.market.events.service import visible_event
from foreknow.market.pools.store import load_pools
from foreknow.people import admin_log
from foreknow.people.attention.store import count_some as count_entries
from foreknow.people.users import require_live_session
from foreknow.people.users.store import account, find_people, lock_person, update_person
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.chat.store import count_waiting
from foreknow.site.comments.schemas import NOTE_MAX
from foreknow.site.comments.service import one as find_comment
from foreknow.site.forecasts.store import note_standing_of
from foreknow.site.moderation import store
from foreknow.site.moderation.errors import ReportNotFound
from foreknow.site.moderation.schemas import (
    TEXT_MAX,
    MutingBody,
    ReportBody,
    ReportCase,
    ReportedObjection,
    WhatWaits,
    case_view,
)
from foreknow.site.moderation.store import CaseRow
from foreknow.trading.settlement import objection_views
from foreknow.trading.settlement.objection_store import find_many as find_objections

#: Reports that a member files in 24 hours.
REPORTS_MAX = 20
#: What a badge counts to.
WAITING_MAX = 100


@dataclass(frozen=True, slots=True)
class Filing:
    """The case of a report; `is_new` unless the member had reported the same thing before."""

    case_id: int
    is_new: bool


def check_text(body: ReportBody) -> str:
    """Return a report's text as stored; raises `BadRequest`."""
    return optional_text("text", body.text, most=TEXT_MAX)


def check_note(note: str | None) -> str:
    """Return a note as stored; raises `BadRequest`."""
    return optional_text("note", note, most=NOTE_MAX)


def file(tx: WriteTx, body: ReportBody, caller: UserCaller, *, text: str) -> Filing:
    """File a report, whose `text` passed `check_text`; while one of the same thing by the caller is open, nothing more.

    Raises `CommentNotFound`, `EventNotFound`, `UserNotFound` or `ObjectionNotFound` for what the caller cannot see,
    `RateLimited` over `REPORTS_MAX` in 24 hours.
    """
    _check_visible(tx, body, caller)
    # So that of many at once no more come in than the bound allows.
    lock_person(tx, caller.user_id)
    known = store.open_case_of(tx, body.kind, body.id, user_id=caller.user_id)
    if known is not None:
        return Filing(known, is_new=False)
    at_ms = now_ms(tx)
    oldest_ms = store.oldest_of_last(tx, caller.user_id, count=REPORTS_MAX, since_ms=at_ms - DAY_MS)
    if oldest_ms is not None:
        raise RateLimited(retry_after_s=-(-(oldest_ms + DAY_MS - at_ms) // SECOND_MS))
    case = store.lock_open_case(tx, body.kind, body.id, at_ms=at_ms)
    store.add_report(tx, case, user_id=caller.user_id, reason=body.reason, text=text, at_ms=at_ms)
    return Filing(case.id, is_new=True)


def waiting(tx: ReadTx) -> WhatWaits:
    """Return how much waits for operators and admins, each number at most `WAITING_MAX`."""
    entries = count_entries(tx, most=WAITING_MAX)
    return WhatWaits(
        attention=entries.others,
        reports=store.count_some(tx, most=WAITING_MAX),
        chats=count_waiting(tx, most=WAITING_MAX),
        suggestions=entries.suggestions,
        objections=entries.objections,
    )


def page(
    tx: ReadTx, operator: UserCaller, *, is_open: bool | None, before_id: int | None, limit: int
) -> list[ReportCase]:
    """Return what is reported as an operator sees it, newest first."""
    return _views(tx, store.newest_cases(tx, is_open=is_open, before_id=before_id, limit=limit), operator)


def close(tx: WriteTx, case_id: int, caller: UserCaller, *, note: str) -> ReportCase:
    """Close the reports of one thing; closing them again changes nothing.

    Raises `ReportNotFound`, and `Unauthorized` and `Forbidden` for who is neither operator nor admin any more.
    """
    operator = require_live_session(tx, caller, AuthLevel.OPERATOR)
    case = store.lock_case(tx, case_id)
    if case is None:
        raise ReportNotFound
    if case.closed_at_ms is None:
        at_ms = now_ms(tx)
        store.close_case(tx, case_id, note=note, at_ms=at_ms)
        details = {"kind": case.kind, "target_id": case.target_id, "count": case.reports, "note": note}
        target = f"report:{case_id}"
        admin_log.record(tx, operator, action="report.close", target=target, details=details, at_ms=at_ms)
        case = store.lock_case(tx, case_id)
        assert case is not None
    return _views(tx, [case], operator)[0]


def mute(tx: WriteTx, user_id: int, caller: UserCaller, body: MutingBody, *, note: str) -> int | None:
    """Mute a user until a time, or let them write again; return until when (Unix milliseconds), None for not.

    Raises `BadRequest` for a time that is past, `UserNotFound`, `Forbidden` for an operator who would mute an operator
    or admin, and `Unauthorized` and `Forbidden` for who is neither any more. Call `UserAuthenticator.invalidate` after
    the commit.
    """
    operator = require_live_session(tx, caller, AuthLevel.OPERATOR)
    until_ms = optional_utc_ms("until", body.until)
    at_ms = now_ms(tx)
    if until_ms is not None and until_ms <= at_ms:
        raise wrong_field("until", "must be later than now")
    lock_person(tx, user_id)
    row = account(tx, user_id)
    if (row.is_operator or row.is_admin) and not operator.is_admin:
        raise Forbidden("Only admins mute operators and admins.")
    if until_ms != row.muted_until_ms:
        update_person(tx, user_id, {"muted_until_ms": until_ms})
        note_standing_of(tx, user_id)
        admin_log.record(
            tx,
            operator,
            action="user.unmute" if until_ms is None else "user.mute",
            target=f"user:{user_id}",
            details={"until": iso_or_none(until_ms), "note": note},
            at_ms=at_ms,
        )
    return until_ms


def _check_visible(tx: ReadTx, body: ReportBody, caller: UserCaller) -> None:
    match body.kind:
        case "comment":
            find_comment(tx, body.id, caller)
        case "event":
            visible_event(tx, body.id, caller)
        case "user":
            account(tx, body.id)
        case "objection":
            objection_views.visible_objection(tx, body.id, caller)


def _views(tx: ReadTx, cases: Sequence[CaseRow], operator: UserCaller) -> list[ReportCase]:
    reports = store.newest_reports(tx, cases)
    people = find_people(tx, list({row.user_id for rows in reports.values() for row in rows}))
    about = _objections(tx, [case.target_id for case in cases if case.kind == "objection"], operator)
    return [
        case_view(
            case,
            reports.get(case.id, ()),
            people,
            about[case.target_id] if case.kind == "objection" else UNSET,
        )
        for case in cases
    ]


def _objections(tx: ReadTx, objection_ids: Sequence[int], operator: UserCaller) -> dict[int, ReportedObjection]:
    rows = find_objections(tx, objection_ids)
    pools = load_pools(tx, {row.pool_id for row in rows})
    return {
        row.id: ReportedObjection(pools[row.pool_id].event_id, row.pool_id, shown)
        for row, shown in zip(rows, objection_views.views(tx, rows, operator), strict=True)
    }
