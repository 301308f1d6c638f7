"""Rows of reports and their cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.people import admin_log
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.site.comments.tables import comments
from foreknow.site.moderation.tables import CLOSED, OPEN, UNALERTED, report_alerts, report_cases, reports
from foreknow.trading.settlement.tables import objections

ReportedKind = Literal["comment", "event", "user", "objection"]
ReportReason = Literal["spam", "abuse", "rules", "other"]
#: Reports of a case that operators are shown.
SHOWN_MAX = 20
#: Pause between two alerts of reports, for all processes together.
ALERT_EVERY_MS = 10 * MINUTE_MS
#: The one row of `report_alerts`.
ALERTS_KEY = "reports"
#: Alerting operators: due once the pause after the last alert is over.
ALERTS = JobTable(report_alerts.c.name, report_alerts.c.due_at_ms, lease_ms=ALERT_EVERY_MS)

_C = report_cases.c
_R = reports.c


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """The reports of one thing since its last case was closed; `reports` is their number."""

    id: int
    kind: ReportedKind
    target_id: int
    reports: int
    closed_at_ms: int | None
    note: str


@dataclass(frozen=True, slots=True)
class ReportRow:
    """What one member has reported."""

    case_id: int
    user_id: int
    reason: ReportReason
    text: str
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class ReportedThing:
    """What a case is about."""

    kind: ReportedKind
    target_id: int


_COLUMNS = [_C[name] for name in CaseRow.__slots__]


def lock_open_case(tx: WriteTx, kind: ReportedKind, target_id: int, *, at_ms: int) -> CaseRow:
    """Lock the open case of a thing until the transaction ends; open one where none is."""
    subject = f"{kind}:{target_id}"
    query = sa.select(*_COLUMNS).where(_C.open_subject == subject).with_for_update()
    row = tx.execute(query).mappings().one_or_none()
    if row is None:
        # Of two processes that open it at once, the second one's transaction runs again.
        new = report_cases.insert().values(kind=kind, target_id=target_id, open_subject=subject, opened_at_ms=at_ms)
        row = tx.execute(new.returning(*_COLUMNS)).mappings().one()
    return CaseRow(**row)


def lock_case(tx: WriteTx, case_id: int) -> CaseRow | None:
    """Lock a case until the transaction ends and return it, or None."""
    row = tx.execute(sa.select(*_COLUMNS).where(_C.id == case_id).with_for_update()).mappings().one_or_none()
    return None if row is None else CaseRow(**row)


def open_case_of(tx: ReadTx, kind: ReportedKind, target_id: int, *, user_id: int) -> int | None:
    """Return the open case of a thing that a member has reported; None where they have not."""
    query = sa.select(_C.id).join(reports, _R.case_id == _C.id)
    found: int | None = tx.execute(
        query.where(_C.open_subject == f"{kind}:{target_id}", _R.user_id == user_id)
    ).scalar_one_or_none()
    return found


def oldest_of_last(tx: ReadTx, user_id: int, *, count: int, since_ms: int) -> int | None:
    """Return when a member filed the oldest of their last `count` reports (Unix milliseconds).

    None where they have filed fewer since `since_ms`.
    """
    query = sa.select(_R.created_at_ms).where(_R.user_id == user_id, _R.created_at_ms > since_ms)
    found: int | None = tx.execute(query.order_by(_R.created_at_ms.desc()).offset(count - 1).limit(1)).scalar()
    return found


def add_report(tx: WriteTx, case: CaseRow, *, user_id: int, reason: ReportReason, text: str, at_ms: int) -> None:
    """Write a report of a locked case and count it."""
    place = case.reports + 1
    row = {"case_id": case.id, "user_id": user_id, "place": place, "reason": reason, "text": text}
    tx.execute(reports.insert().values(**row, created_at_ms=at_ms))
    tx.execute(report_cases.update().where(_C.id == case.id).values(reports=place))


def close_case(tx: WriteTx, case_id: int, *, note: str, at_ms: int) -> None:
    """Close a locked case; the next report of the same thing opens another one."""
    closed = report_cases.update().where(_C.id == case_id)
    tx.execute(closed.values(closed_at_ms=at_ms, note=note, open_subject=None))


def newest_cases(tx: ReadTx, *, is_open: bool | None, before_id: int | None, limit: int) -> Sequence[CaseRow]:
    """Return cases, newest first, only open or only closed ones where that is given."""
    query = sa.select(*_COLUMNS).order_by(_C.id.desc()).limit(limit)
    if is_open is not None:
        query = query.where(OPEN if is_open else CLOSED)
    if before_id is not None:
        query = query.where(_C.id < before_id)
    return [CaseRow(**row) for row in tx.execute(query).mappings()]


def newest_reports(tx: ReadTx, cases: Sequence[CaseRow]) -> Mapping[int, Sequence[ReportRow]]:
    """Return the newest reports of each case by its id, newest first, at most `SHOWN_MAX` of each."""
    columns = (_R.case_id, _R.user_id, _R.reason, _R.text, _R.created_at_ms)
    shown = sa.and_(_R.case_id == _C.id, _R.place > _C.reports - SHOWN_MAX)
    query = sa.select(*columns, _R.place).join_from(report_cases, reports, shown)
    found: dict[int, list[ReportRow]] = defaultdict(list)
    rows = tx.execute(query.where(_C.id.in_([case.id for case in cases]))).all()
    for *row, _place in sorted(rows, key=lambda row: -row.place):
        found[row[0]].append(ReportRow(*row))
    return found


def erase_texts(tx: WriteTx, user_id: int) -> int:
    """Clear what a deleted member wrote in reports, and what others wrote of them, their comments and objections.

    Return how many texts there were.
    """
    theirs = sa.or_(
        sa.and_(_C.kind == "user", _C.target_id == user_id),
        sa.and_(_C.kind == "comment", _C.target_id.in_(sa.select(comments.c.id).where(comments.c.user_id == user_id))),
        sa.and_(
            _C.kind == "objection", _C.target_id.in_(sa.select(objections.c.id).where(objections.c.user_id == user_id))
        ),
    )
    case_ids = tx.execute(sa.select(_C.id).where(theirs)).scalars().all()
    texts = reports.update().where(sa.or_(_R.user_id == user_id, _R.case_id.in_(case_ids)), _R.text != "")
    notes = report_cases.update().where(_C.id.in_(case_ids), _C.note != "")
    cleared = tx.execute(texts.values(text="")).rowcount + tx.execute(notes.values(note="")).rowcount
    return cleared + admin_log.clear_notes(tx, [f"report:{case_id}" for case_id in case_ids])


def count_open(tx: ReadTx) -> int:
    """Return the number of open cases."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(report_cases).where(OPEN)).scalar_one())


def count_some(tx: ReadTx, *, most: int) -> int:
    """Return the number of open cases, at most `most`."""
    return len(tx.execute(sa.select(_C.id).where(OPEN).limit(most)).all())


def is_any_unalerted(tx: ReadTx) -> bool:
    """Return whether operators are still to be alerted of an open case."""
    return tx.execute(sa.select(_C.id).where(UNALERTED).limit(1)).first() is not None


def take_unalerted(tx: WriteTx, *, limit: int, at_ms: int) -> tuple[int, Sequence[ReportedThing]]:
    """Mark all open cases of which operators were not alerted; return their number, and the first `limit` of them."""
    taken = tx.execute(report_cases.update().where(UNALERTED).values(alerted_at_ms=at_ms).returning(_C.id)).scalars()
    case_ids = sorted(taken)
    query = sa.select(_C.kind, _C.target_id).where(_C.id.in_(case_ids[:limit])).order_by(_C.id)
    return len(case_ids), [ReportedThing(*row) for row in tx.execute(query)]
