"""Types and texts of notifications, and the new notifications of an event.

A text names no other person and quotes no content: what its author later hides or deletes must not survive here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeAlias

from foreknow.kernel.currency import ROUBLES, Currency

#: The types of the contract (decisions.md, "Comments, chat, notifications").
NotificationType: TypeAlias = Literal[
    "comment_reply",
    "position_settled",
    "event_published",
    "event_resolved",
    "event_cancelled",
    "event_closed",
    "resolution_needed",
    "series_waiting",
    "operator_answer",
]
#: What a text says, for clients that write their own: fields of `schemas.NotificationParams`.
Params: TypeAlias = Mapping[str, str | int]


def _settled(params: Params) -> str:
    market, event, pnl_kopecks = params["market_name"], params["event_name"], int(params["pnl_kopecks"])
    subject = f"“{market}” in “{event}”" if market else f"“{event}”"
    result = "loss" if pnl_kopecks < 0 else "profit"
    return (
        f"Your position was settled: {params['shares']} {params['token_type']} shares of {subject} "
        f"paid {params['payout']}, {result} {params['pnl']}."
    )


def _cancelled(params: Params) -> str:
    note = params.get("note")
    return f"Your event “{params['event_name']}” was cancelled" + (f": {note}" if note else ".")


#: What each type says, from its params, those that are amounts as text and without a sign (`payout` of
#: `payout_kopecks`), and the `reason` given with it.
TEXTS: Mapping[NotificationType, Callable[[Params], str]] = {
    "comment_reply": "Your comment on “{event_name}” has a new reply.".format_map,
    "position_settled": _settled,
    "event_published": "Your event “{event_name}” was published.".format_map,
    "event_resolved": "Your event “{event_name}” is resolved: all its pools are settled.".format_map,
    "event_cancelled": _cancelled,
    "event_closed": "Trading in your event “{event_name}” has ended: resolve it.".format_map,
    "resolution_needed": (
        "A pool of your event “{event_name}” could not be resolved by its rule: resolve it by hand.".format_map
    ),
    "series_waiting": "The next instance of “{event_name}” cannot open: {reason}.".format_map,
    "operator_answer": "Support has answered you in the chat.".format_map,
}


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
    text: str
    event_id: int | None
    created_at_ms: int
    params: Params
    #: The reply that it is about.
    comment_id: int | None


class NewNotifications:
    """The notifications of one event, or of none, to be written together in the transaction of their cause."""

    def __init__(self, event: NamedEvent | None, *, at_ms: int, currency: Currency = ROUBLES) -> None:
        """Begin without any; all have the time `at_ms`, Unix milliseconds. Their amounts are in `currency`."""
        self._added: list[NewNotification] = []
        self._event_id = None if event is None else event.id
        self._names = {} if event is None else {"event_name": event.name, "event_name_ru": event.name_ru}
        self._at_ms = at_ms
        self._currency = currency

    def __iter__(self) -> Iterator[NewNotification]:
        return iter(self._added)

    def add(
        self,
        kind: NotificationType,
        user_id: int,
        *,
        comment_id: int | None = None,
        reason: str = "",
        **params: str | int,
    ) -> Self:
        """Notify a person; `reason` is for the text alone."""
        shown: Params = {**self._names, **params}
        notification = NewNotification(
            user_id=user_id,
            type=kind,
            text=TEXTS[kind]({**shown, **self._amounts(params), "reason": reason}),
            event_id=self._event_id,
            created_at_ms=self._at_ms,
            params=shown,
            comment_id=comment_id,
        )
        self._added.append(notification)
        return self

    def _amounts(self, params: Params) -> dict[str, str]:
        return {
            name.removesuffix("_kopecks"): self._currency.written(abs(int(amount)))
            for name, amount in params.items()
            if name.endswith("_kopecks")
        }
