"""Writing and reading the admin log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.access.callers import UserCaller
from foreknow.admin_log.tables import admin_log
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.users.tables import users

#: `who` of actions on the server's command line.
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One action of an admin. `who` is the e-mail address at that time, or "command line"."""

    id: int
    who: str
    action: str
    target: str
    details: dict[str, Any]
    created_at_ms: int


def record(
    tx: WriteTx,
    admin: UserCaller | None,
    *,
    action: str,
    target: str,
    details: Mapping[str, Any],
    at_ms: int,
) -> None:
    """Log an admin's action in its transaction; `admin` is None on the command line.

    `action` is a noun and a verb (`user.credit`), `target` a noun and its id or name (`user:7`); `details` explain the
    action and hold no secret.
    """
    who = COMMAND_LINE
    if admin is not None:
        who = tx.execute(sa.select(users.c.email).where(users.c.id == admin.user_id)).scalar_one()
    row = {
        "user_id": None if admin is None else admin.user_id,
        "who": who,
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


def newest_entries(
    tx: ReadTx, *, action: str | None = None, target: str | None = None, before_id: int | None, limit: int
) -> Sequence[LogEntry]:
    """Return the newest entries, of an action or on a target, with ids under `before_id` if given."""
    table = admin_log.c
    query = (
        sa.select(table.id, table.who, table.action, table.target, table.details, table.created_at_ms)
        .order_by(table.id.desc())
        .limit(limit)
    )
    if action is not None:
        query = query.where(table.action == action)
    if target is not None:
        query = query.where(table.target == target)
    if before_id is not None:
        query = query.where(table.id < before_id)
    return [LogEntry(*row) for row in tx.execute(query)]
