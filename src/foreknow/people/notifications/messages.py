"""The new notifications of an event, and what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, Self

from foreknow.kernel.currency import Currency, CurrencyLanguage
from foreknow.people.notifications.types import TYPES, NotificationType, Params


class NamedEvent(Protocol):
    """An event as its notifications name it."""

    @property
    def id(self) -> int:
        """Its id."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def name_ru(self) -> str:
        """Its Russian name, or ""."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNotification:
    """A notification for one person. Sub-accounts get none: no one signs in as one."""

    user_id: int
    type: NotificationType
    event_id: int | None
    created_at_ms: int
    params: Params
    #: The reply that it is about.
    comment_id: int | None


class NewNotifications:
    """The notifications of one event, or of none, to be written together in the transaction of their cause."""

    def __init__(self, event: NamedEvent | None, *, at_ms: int) -> None:
        """Begin without any; all have the time `at_ms`, Unix milliseconds."""
        self._added: list[NewNotification] = []
        self._event_id = None if event is None else event.id
        self._names = {} if event is None else {"event_name": event.name, "event_name_ru": event.name_ru}
        self._at_ms = at_ms

    def __iter__(self) -> Iterator[NewNotification]:
        return iter(self._added)

    def add(
        self,
        kind: NotificationType,
        user_id: int,
        *,
        comment_id: int | None = None,
        **params: str | int,
    ) -> Self:
        """Notify a person."""
        notification = NewNotification(
            user_id=user_id,
            type=kind,
            event_id=self._event_id,
            created_at_ms=self._at_ms,
            params={**self._names, **params},
            comment_id=comment_id,
        )
        self._added.append(notification)
        return self


def text_of(kind: NotificationType, params: Params, currency: Currency, language: CurrencyLanguage = "en") -> str:
    """Return what a notification says."""
    name = params.get("event_name", "")
    amounts = {
        key.removesuffix("_kopecks"): currency.written(abs(int(amount)), language)
        for key, amount in params.items()
        if key.endswith("_kopecks")
    }
    if language == "ru":
        return TYPES[kind].ru({**params, **amounts, "event": params.get("event_name_ru") or name})
    return TYPES[kind].en({**params, **amounts, "event": name})
