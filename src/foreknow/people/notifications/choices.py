"""What people want to be notified of: here, by mail, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.people.notifications.kind import MailChoice
from foreknow.people.notifications.kinds import KINDS
from foreknow.people.notifications.tables import notification_settings
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

_C = notification_settings.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Whether a kind is listed, and when it is mailed."""

    app: bool
    email: MailChoice


DEFAULTS: Mapping[str, Choice] = {kind: Choice(app=True, email=one.about.mailed) for kind, one in KINDS.items()}
#: The row of a choice; the newest counts.
_CHOSEN = Insert(
    notification_settings,
    ("user_id", "type", "app", "email"),
    conflict=on_conflict(notification_settings, app="excluded.app", email="excluded.email"),
)


class Choices:
    """What some people want of some kinds."""

    def __init__(self, chosen: Mapping[tuple[int, str], Choice]) -> None:
        """`chosen` by user and kind; what is missing is as by default."""
        self._chosen = chosen

    def of(self, user_id: int, kind: str) -> Choice:
        """Return what a person wants of a kind."""
        return self._chosen.get((user_id, kind), DEFAULTS[kind])

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
    return Choices({(user_id, kind): Choice(app=app, email=email) for user_id, kind, app, email in rows})


_OF_PEOPLE = CompiledQuery(sa.select(_C.user_id, _C.type, _C.app, _C.email).where(in_array(_C.user_id)))


def choose(tx: WriteTx, user_id: int, chosen: Mapping[str, Choice]) -> None:
    """Note what a person wants of some kinds."""
    # In one order: two changes of the same kinds must not wait for each other.
    rows = [(user_id, kind, choice.app, choice.email) for kind, choice in sorted(chosen.items())]
    if rows:
        apply(tx, _CHOSEN, rows)


def forget(tx: WriteTx, user_id: int) -> None:
    """Forget what a person wanted."""
    tx.execute(notification_settings.delete().where(_C.user_id == user_id))
