"""Types and texts of notifications.

A text names no other person and quotes no content: what its author later hides or deletes must not survive here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from foreknow.kernel.units import KOPECKS_PER_RUB


class NotificationType(enum.StrEnum):
    """The types of the contract (decisions.md, "Comments, chat, notifications")."""

    COMMENT_REPLY = "comment_reply"
    POSITION_SETTLED = "position_settled"
    EVENT_PUBLISHED = "event_published"
    EVENT_RESOLVED = "event_resolved"
    EVENT_CANCELLED = "event_cancelled"
    EVENT_CLOSED = "event_closed"
    RESOLUTION_NEEDED = "resolution_needed"
    SERIES_WAITING = "series_waiting"
    OPERATOR_ANSWER = "operator_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNotification:
    """A notification for one person. Sub-accounts get none: no one signs in as one."""

    user_id: int
    type: NotificationType
    text: str
    event_id: int | None
    created_at_ms: int
    #: What the text says, for clients that write their own: fields of `schemas.NotificationParams`.
    params: Mapping[str, str | int] = field(default_factory=dict)
    #: The reply that it is about.
    comment_id: int | None = None


def comment_reply(
    *, author_id: int, reply_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int
) -> NewNotification:
    """Notify the author of a comment of a reply."""
    text = f"Your comment on “{event_name}” has a new reply."
    return NewNotification(
        user_id=author_id,
        type=NotificationType.COMMENT_REPLY,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
        comment_id=reply_id,
    )


def position_settled(
    *,
    user_id: int,
    event_id: int,
    event_name: str,
    event_name_ru: str,
    pool_name: str,
    pool_name_ru: str,
    market_name: str,
    side: str,
    shares: int,
    payout_kopecks: int,
    pnl_kopecks: int,
    at_ms: int,
) -> NewNotification:
    """Notify a trader of a settlement's payout and the position's total profit."""
    subject = f"“{market_name}” in “{event_name}”" if market_name else f"“{event_name}”"
    result = "loss" if pnl_kopecks < 0 else "profit"
    text = (
        f"Your position was settled: {shares} {side} shares of {subject} paid {_roubles(payout_kopecks)}, "
        f"{result} {_roubles(abs(pnl_kopecks))}."
    )
    return NewNotification(
        user_id=user_id,
        type=NotificationType.POSITION_SETTLED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={
            "event_name": event_name,
            "event_name_ru": event_name_ru,
            "pool_name": pool_name,
            "pool_name_ru": pool_name_ru,
            "market_name": market_name,
            "token_type": side,
            "shares": shares,
            "payout_kopecks": payout_kopecks,
            "pnl_kopecks": pnl_kopecks,
        },
    )


def event_published(
    *, creator_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int
) -> NewNotification:
    """Notify an event's creator that it was published."""
    text = f"Your event “{event_name}” was published."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.EVENT_PUBLISHED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


def event_resolved(
    *, creator_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int
) -> NewNotification:
    """Notify an event's creator that its last pool was resolved."""
    text = f"Your event “{event_name}” is resolved: all its pools are settled."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.EVENT_RESOLVED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


def event_cancelled(
    *, creator_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int
) -> NewNotification:
    """Notify an event's creator that it was cancelled."""
    text = f"Your event “{event_name}” was cancelled."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.EVENT_CANCELLED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


def event_closed(*, creator_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int) -> NewNotification:
    """Notify an event's creator that a pool is past its end and waits to be resolved by hand."""
    text = f"Trading in your event “{event_name}” has ended: resolve it."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.EVENT_CLOSED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


def resolution_needed(
    *, creator_id: int, event_id: int, event_name: str, event_name_ru: str, at_ms: int
) -> NewNotification:
    """Notify an event's creator that a pool's rule gave no result."""
    text = f"A pool of your event “{event_name}” could not be resolved by its rule: resolve it by hand."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.RESOLUTION_NEEDED,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


#: Why the next instance of a series waits, as its creator reads it.
_WAITING = {
    "creator_role": "you are no Creator",
    "house_limit": "it would exceed the limit of the house's open loss bounds",
    "price": "there is no recent price of its asset",
}


def series_waiting(
    *, creator_id: int, event_id: int, event_name: str, event_name_ru: str, reason: str, at_ms: int
) -> NewNotification:
    """Notify the creator of a series that its next instance waits; `reason` is a key of `_WAITING`."""
    text = f"The next instance of “{event_name}” cannot open: {_WAITING[reason]}."
    return NewNotification(
        user_id=creator_id,
        type=NotificationType.SERIES_WAITING,
        text=text,
        event_id=event_id,
        created_at_ms=at_ms,
        params={"event_name": event_name, "event_name_ru": event_name_ru},
    )


def operator_answer(*, user_id: int, at_ms: int) -> NewNotification:
    """Notify a user of an operator's answer in the support chat."""
    text = "Support has answered you in the chat."
    return NewNotification(
        user_id=user_id, type=NotificationType.OPERATOR_ANSWER, text=text, event_id=None, created_at_ms=at_ms
    )


def _roubles(amount_kopecks: int) -> str:
    """Format an amount of 0 or more: 1650 kopecks are `16.50 RUB`."""
    roubles, kopecks = divmod(amount_kopecks, KOPECKS_PER_RUB)
    return f"{roubles}.{kopecks:02} RUB"
