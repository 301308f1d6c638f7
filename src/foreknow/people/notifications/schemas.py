"""Request and response bodies of the notifications' endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.currency import Currency
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, CreatedAt, HasMore, Id, NextCursor, Time
from foreknow.people.notifications.choices import Choice
from foreknow.people.notifications.messages import text_of
from foreknow.people.notifications.store import NotificationRow
from foreknow.people.notifications.types import MailChoice, NotificationType, is_type


class NotificationParams(msgspec.Struct, frozen=True, kw_only=True):
    """What the text says, for clients that write it in another language; what does not apply is "" or null."""

    event_name: Annotated[str, Meta(description="Name of the event.", examples=["Who wins the derby?"])] = ""
    event_name_ru: Annotated[str, Meta(description="Russian name of the event.", examples=["Кто выиграет дерби?"])] = ""
    pool_name: Annotated[str, Meta(description="Name of its pool.", examples=["Winner"])] = ""
    pool_name_ru: Annotated[str, Meta(description="Russian name of that pool.", examples=["Победитель"])] = ""
    market_name: Annotated[str, Meta(description="Name of an order's market.", examples=["Reds"])] = ""
    market_name_ru: Annotated[
        str | msgspec.UnsetType,
        Meta(description="Its Russian name, or none: of `outcome_added`.", examples=["Красные"]),
    ] = msgspec.UNSET
    token_type: Annotated[
        Literal["YES", "NO"] | None, Meta(description="Side of the position or order.", examples=["YES"])
    ] = None
    shares: Annotated[int | None, Meta(description="How many shares.", examples=[1628])] = None
    payout_kopecks: Annotated[int | None, Meta(description="What they were paid, kopecks.", examples=[1628])] = None
    pnl_kopecks: Annotated[
        int | None, Meta(description="Profit of the whole position (below 0: loss), kopecks.", examples=[628])
    ] = None
    action: Annotated[
        Literal["buy", "sell"] | msgspec.UnsetType,
        Meta(description="Whether the filled order bought.", examples=["buy"]),
    ] = msgspec.UNSET
    amount_kopecks: Annotated[
        int | msgspec.UnsetType, Meta(description="What the filled order paid or brought, kopecks.", examples=[4500])
    ] = msgspec.UNSET
    order_count: Annotated[
        int | msgspec.UnsetType, Meta(description="How many orders ended with their pool.", examples=[2])
    ] = msgspec.UNSET
    note: Annotated[
        str | msgspec.UnsetType, Meta(description="Why the event was cancelled.", examples=["There is one like it."])
    ] = msgspec.UNSET
    finish_at: Annotated[
        Time | msgspec.UnsetType,
        Meta(description="When trading ends, UTC: of `event_closing`.", examples=[LATER_TIME_EXAMPLE]),
    ] = msgspec.UNSET
    count: Annotated[
        int | msgspec.UnsetType, Meta(description="How many comments: of `event_comment`.", examples=[3])
    ] = msgspec.UNSET
    tag: Annotated[str | msgspec.UnsetType, Meta(description="The tag: of `tag_published`.", examples=["football"])] = (
        msgspec.UNSET
    )
    above_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The alert's price of YES, basis points: of `price_alert`.", examples=[6200]),
    ] = msgspec.UNSET
    below_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The same, for a price that has fallen.", examples=[3800]),
    ] = msgspec.UNSET
    before_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(description="The price of YES before, basis points: of `event_moved`.", examples=[5000]),
    ] = msgspec.UNSET
    after_bps: Annotated[
        int | msgspec.UnsetType,
        Meta(
            description="The price of YES that was reached, basis points: of `event_moved` and `price_alert`.",
            examples=[6300],
        ),
    ] = msgspec.UNSET


class Notification(msgspec.Struct, frozen=True):
    """Something that happened to the user."""

    id: Id
    type: Annotated[NotificationType, Meta(description="What happened.")]
    text: Annotated[
        str,
        Meta(
            description="What happened, in words.", examples=["Your comment on “Who wins the derby?” has a new reply."]
        ),
    ]
    event_id: Annotated[int | None, Meta(description="The event it is about; null for none.", examples=[3])]
    params: Annotated[NotificationParams, Meta(description="What the text says, by name.")]
    comment_id: Annotated[int | None, Meta(description="The reply it is about; null for none.", examples=[8])]
    created_at: CreatedAt
    read: Annotated[bool, Meta(description="Whether it was marked as read.", examples=[False])]


class NotificationPage(msgspec.Struct, frozen=True):
    """A page of notifications, newest first."""

    notifications: Annotated[list[Notification], Meta(description="Notifications, newest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class NotificationCount(msgspec.Struct, frozen=True):
    """How many notifications: unread ones, or those newly marked as read."""

    count: Annotated[int, Meta(description="How many.", examples=[3])]


_LISTED = Meta(description="Whether it is listed.", examples=[True])
_MAILED = Meta(
    description="Whether it is mailed to a verified address: not, at once, or at 8 with a day's others.",
    examples=["daily"],
)


class NotificationChoice(msgspec.Struct, frozen=True):
    """What the caller wants of a type."""

    app: Annotated[bool, _LISTED]
    email: Annotated[MailChoice, _MAILED]


class ChoiceChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the caller wants of a type from now on; what is left out, or null, stays."""

    app: Annotated[bool, _LISTED] | None = None
    email: Annotated[MailChoice, _MAILED] | None = None


_TYPES_ALONE = Meta(extra_json_schema={"propertyNames": {"enum": list(get_args(NotificationType))}})
#: By type, all of them.
NotificationSettings: TypeAlias = Annotated[dict[NotificationType, NotificationChoice], _TYPES_ALONE]
SettingsChange: TypeAlias = Annotated[dict[NotificationType, ChoiceChange | None], _TYPES_ALONE]


class ReadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which notifications were read: those of `ids`, or all."""

    ids: Annotated[list[int] | None, Meta(description="Which ones; all where it is left out.", examples=[[7, 8]])] = (
        None
    )


def notification_view(row: NotificationRow, currency: Currency) -> Notification:
    """Show a notification to its user; one of a newer release's type, or an old one without params, has no text."""
    text = "" if row.params is None or not is_type(row.type) else text_of(row.type, row.params, currency)
    return Notification(
        id=row.id,
        type=row.type,
        text=text,
        event_id=row.event_id,
        params=msgspec.convert(row.params or {}, NotificationParams),
        comment_id=row.comment_id,
        created_at=iso(row.created_at_ms),
        read=row.read_at_ms is not None,
    )


def settings_view(choices: Mapping[NotificationType, Choice]) -> NotificationSettings:
    """Show what a person wants."""
    return {kind: NotificationChoice(choice.app, choice.email) for kind, choice in choices.items()}
