"""Writing and reading the admin log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import Caller, PartnerCaller, UserCaller
from foreknow.people.admin_log.tables import admin_log
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: `who` of actions on the server's command line.
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One action. `who` is `user:` and an id, `partner:` and a name, or "command line"."""

    id: int
    who: str
    action: str
    target: str
    details: dict[str, Any]
    created_at_ms: int


def record(
    tx: WriteTx,
    by: Caller | None,
    *,
    action: str,
    target: str,
    details: Mapping[str, Any],
    at_ms: int,
) -> None:
    """Log an action in its transaction; `by` is None on the command line.

    `action` is a noun and a verb (`user.credit`), `target` a noun and its id or name (`user:7`); `details` explain the
    action and hold no secret. People are ids throughout: what is written here stays, whatever becomes of an account.
    """
    row = {
        "user_id": by.user_id if isinstance(by, UserCaller) else None,
        "who": _who(by),
        "action": action,
        "target": target,
        "details": dict(details),
        "created_at_ms": at_ms,
    }
    tx.execute(admin_log.insert().values(**row))


def record_intervention(
    tx: WriteTx,
    caller: UserCaller,
    *,
    owner_id: int,
    action: str,
    target: str,
    details: Mapping[str, Any],
    at_ms: int,
) -> None:
    """Log an admin's action on another user's event or pool; owners' actions on their own are not logged."""
    if caller.user_id != owner_id:
        record(tx, caller, action=action, target=target, details=details, at_ms=at_ms)


def name_by_id(tx: WriteTx, user_id: int) -> None:
    """Let the entries of a person's own actions name them by id, where older releases wrote an e-mail address."""
    named = (admin_log.c.user_id == user_id, admin_log.c.who != _user(user_id))
    tx.execute(admin_log.update().where(*named).values(who=_user(user_id)))


def clear_notes(tx: WriteTx, targets: Collection[str] | sa.Select[Any]) -> int:
    """Clear what admins wrote in the entries on these targets (a person; what a person wrote). All else stays.

    Return how many notes there were.
    """
    rows = tx.execute(sa.select(admin_log.c.id, admin_log.c.details).where(admin_log.c.target.in_(targets))).all()
    noted = [(entry_id, details) for entry_id, details in rows if details.get("note")]
    for entry_id, details in noted:
        cleared = {**details, "note": ""}
        tx.execute(admin_log.update().where(admin_log.c.id == entry_id).values(details=cleared))
    return len(noted)


def newest_entries(
    tx: ReadTx, *, action: str | None = None, target: str | None = None, before_id: int | None, limit: int
) -> Sequence[LogEntry]:
    """Return the newest entries, of an action or on a target, with ids under `before_id` if given."""
    table = admin_log.c
    query = (
        sa.select(table.id, table.who, table.action, table.target, table.details, table.created_at_ms, table.user_id)
        .order_by(table.id.desc())
        .limit(limit)
    )
    if action is not None:
        query = query.where(table.action == action)
    if target is not None:
        query = query.where(table.target == target)
    if before_id is not None:
        query = query.where(table.id < before_id)
    return [_entry(*row) for row in tx.execute(query)]


def last_actor(tx: ReadTx, target: str, *, actions: Collection[str]) -> int | None:
    """Return which user did the newest of these actions on a target; None for no user, and where there is none."""
    table = admin_log.c
    query = sa.select(table.user_id).where(table.target == target, table.action.in_(actions))
    return tx.execute(query.order_by(table.id.desc()).limit(1)).scalar()


def _who(by: Caller | None) -> str:
    if isinstance(by, UserCaller):
        return _user(by.user_id)
    return f"partner:{by.name}" if isinstance(by, PartnerCaller) else COMMAND_LINE


def _user(user_id: int) -> str:
    return f"user:{user_id}"


def _entry(entry_id: int, who: str, *rest: Any) -> LogEntry:
    *shown, user_id = rest
    # Older releases wrote the admin's e-mail address, in rows that never change.
    return LogEntry(entry_id, who if user_id is None else _user(user_id), *shown)
