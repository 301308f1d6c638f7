"""How a site is: what runs, whether it sends, its newest backup, and what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.commands.cli import database
from foreknow.commands.cli.output import show_json
from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, iso, iso_or_none
from foreknow.kernel.versions import full_version
from foreknow.people.attention.store import count_open
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import name_of
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.sending import Guard, Hold
from foreknow.service.sending import guard_of
from foreknow.site.admin.backups import newest_backup_at_ms
from foreknow.site.moderation.store import count_open as count_open_reports


@dataclass(frozen=True, slots=True)
class Status:
    """What the database says of a site."""

    #: Why nothing is sent; None where it sends. Since 0: from its next start on.
    hold: Hold | None
    newest_backup_at_ms: int | None
    #: Open entries of GET /admin/attention, and of GET /admin/reports.
    waiting: int
    reports: int
    at_ms: int


def show_status(*, as_json: bool) -> None:
    """Print the status of the configured site."""
    given = database.settings(opens_database=False)
    guard = guard_of(given)
    found = database.read(given, lambda tx: read_status(tx, guard))
    if as_json:
        show_json(_document(found, name_of(given.resolved_database_url)))
        return
    print(f"Version: {full_version()}")
    print(f"Sending: {_sending(found.hold)}")
    print(_backup(found))
    print(f"Waiting for a person: {found.waiting}")
    print(f"Open reports: {found.reports}")


def read_status(tx: ReadTx, guard: Guard) -> Status:
    """Read the status."""
    seen = guard.look(tx)
    hold = Hold(0, seen.change) if seen.change else seen.hold
    waiting = sum(count_open(tx).values())
    return Status(hold, newest_backup_at_ms(tx), waiting, count_open_reports(tx), now_ms(tx))


def _document(found: Status, name: str) -> dict[str, object]:
    hold = found.hold
    held = None if hold is None else {"since": iso(hold.since_ms) if hold.since_ms else None, "reason": hold.reason}
    return {
        "version": full_version(),
        "database": name,
        "held": held,
        "newest_backup_at": iso_or_none(found.newest_backup_at_ms),
        "attention": found.waiting,
        "reports": found.reports,
    }


def _sending(hold: Hold | None) -> str:
    return "on" if hold is None else f"held, {hold.reason}; if this is the site: foreknow site confirm"


def _backup(found: Status) -> str:
    if found.newest_backup_at_ms is None:
        return "No backup yet: foreknow backup FOLDER"
    return f"Newest backup: {_span(found.at_ms - found.newest_backup_at_ms)} ago, {iso(found.newest_backup_at_ms)}"


def _span(span_ms: int) -> str:
    """Return a span of time in its largest unit, for people."""
    for unit_ms, unit in ((DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min")):
        if span_ms >= unit_ms:
            return f"{span_ms // unit_ms} {unit}"
    return f"{max(0, span_ms) // SECOND_MS} s"
