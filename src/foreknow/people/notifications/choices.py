"""What people want to be notified of: here, by mail, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.people.notifications.kind import MailChoice
from foreknow.people.notifications.kinds import KINDS
from foreknow.people.notifications.tables import notification_settings
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

_C = notification_settings.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Whether a kind is listed, and when it is mailed."""

    app: bool
    email: MailChoice

    @property
    def is_any(self) -> bool:
        """Whether the kind is wanted at all."""
        return self.app or self.email != "off"


class _Chosen(NamedTuple):
    """A choice, since when, and the one before; None for the default, and of older rows."""

    now: Choice
    changed_at_ms: int | None
    before: Choice | None


DEFAULTS: Mapping[str, Choice] = {
    kind: Choice(app=one.about.listed_first, email=one.about.mailed) for kind, one in KINDS.items()
}


def _if_changed(value: str, name: str) -> str:
    """Return the SQL of a column that becomes `value` where the choice is another one."""
    table = "notification_settings"
    same = f"{table}.app = excluded.app AND {table}.email = excluded.email"
    return f"CASE WHEN {same} THEN {table}.{name} ELSE {value} END"


#: The row of a choice; the newest counts.
_CHOSEN = Insert(
    notification_settings,
    ("user_id", "type", "app", "email", "changed_at_ms"),
    conflict=on_conflict(
        notification_settings,
        app="excluded.app",
        email="excluded.email",
        changed_at_ms=_if_changed("excluded.changed_at_ms", "changed_at_ms"),
        app_before=_if_changed("notification_settings.app", "app_before"),
        email_before=_if_changed("notification_settings.email", "email_before"),
    ),
)


class Choices:
    """What some people want of some kinds."""

    def __init__(self, chosen: Mapping[tuple[int, str], _Chosen]) -> None:
        """`chosen` by user and kind; what is missing is as by default."""
        self._chosen = chosen

    def of(self, user_id: int, kind: str, *, at_ms: int | None = None) -> Choice:
        """Return what a person wants of a kind, or wanted at `at_ms`; of several changes since, the last one counts."""
        found = self._chosen.get((user_id, kind))
        if found is None:
            return DEFAULTS[kind]
        if at_ms is None or found.changed_at_ms is None or found.changed_at_ms <= at_ms:
            return found.now
        return found.before or DEFAULTS[kind]

    def of_all(self, user_id: int) -> dict[str, Choice]:
        """Return what a person wants of each kind."""
        return {kind: self.of(user_id, kind) for kind in DEFAULTS}


def choices_of(tx: ReadTx, user_ids: Collection[int]) -> Choices:
    """Return what people want."""
    return choices_fetch(user_ids).fetch(tx)


def choices_fetch(user_ids: Collection[int]) -> Fetch[Choices]:
    """Return `choices_of` as a query to be fetched with others."""
    return Fetch(_OF_PEOPLE, {"ids": user_ids}, _choices, is_empty=not user_ids)


def _choices(rows: Rows) -> Choices:
    found: dict[tuple[int, str], _Chosen] = {}
    for user_id, kind, app, email, changed_at_ms, app_before, email_before in rows:
        before = None if email_before is None else Choice(app=app_before, email=email_before)
        found[user_id, kind] = _Chosen(Choice(app=app, email=email), changed_at_ms, before)
    return Choices(found)


_COLUMNS = ("user_id", "type", "app", "email", "changed_at_ms", "app_before", "email_before")
_OF_PEOPLE = CompiledQuery(sa.select(*(_C[name] for name in _COLUMNS)).where(in_array(_C.user_id)))


def choose(tx: WriteTx, user_id: int, chosen: Mapping[str, Choice]) -> None:
    """Note what a person wants of some kinds from now on."""
    at_ms = now_ms(tx)
    # In one order: two changes of the same kinds must not wait for each other.
    rows = [(user_id, kind, choice.app, choice.email, at_ms) for kind, choice in sorted(chosen.items())]
    if rows:
        apply(tx, _CHOSEN, rows)


def forget(tx: WriteTx, user_id: int) -> None:
    """Forget what a person wanted."""
    tx.execute(notification_settings.delete().where(_C.user_id == user_id))
