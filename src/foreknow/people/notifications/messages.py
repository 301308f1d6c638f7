"""The new notifications of an event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

from foreknow.people.notifications.kind import Content
from foreknow.people.notifications.kinds import AnyContent


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
    content: Content
    event_id: int | None
    created_at_ms: int
    #: When it happened, where a worker found it later: it is wanted as it was then. None: now.
    happened_at_ms: int | None
    #: The comment that it is about: a reply, or one that names the person.
    comment_id: int | None

    @property
    def kind(self) -> str:
        """Its kind, as clients know it."""
        return self.content.about.kind


class NewNotifications:
    """The notifications of one event, or of none, to be written together in the transaction of their cause."""

    def __init__(self, event: NamedEvent | None, *, at_ms: int) -> None:
        """Begin without any; all have the time `at_ms`, Unix milliseconds."""
        self._added: list[NewNotification] = []
        self._event_id = None if event is None else event.id
        self._names = ("", "") if event is None else (event.name, event.name_ru)
        self._at_ms = at_ms

    def __iter__(self) -> Iterator[NewNotification]:
        return iter(self._added)

    def add(
        self,
        user_id: int,
        content: AnyContent,
        *,
        comment_id: int | None = None,
        happened_at_ms: int | None = None,
    ) -> Self:
        """Notify a person; the event's names are added."""
        name, name_ru = self._names
        notification = NewNotification(
            user_id=user_id,
            content=replace(content, event_name=name, event_name_ru=name_ru),
            event_id=self._event_id,
            created_at_ms=self._at_ms,
            happened_at_ms=happened_at_ms,
            comment_id=comment_id,
        )
        self._added.append(notification)
        return self
