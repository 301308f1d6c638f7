"""Request and response bodies of the notifications' endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import CreatedAt, HasMore, Id, NextCursor
from foreknow.people.notifications.choices import Choice
from foreknow.people.notifications.kind import MailChoice
from foreknow.people.notifications.kinds import KINDS, NotificationParams, stored_content
from foreknow.people.notifications.reader import Reader
from foreknow.people.notifications.store import NotificationRow

if TYPE_CHECKING:
    NotificationType: TypeAlias = str
else:
    #: Others are refused.
    NotificationType = Literal[tuple(KINDS)]


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
    comment_id: Annotated[
        int | None, Meta(description="The reply, or the comment that names you; null for none.", examples=[8])
    ]
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


_TYPES_ALONE = Meta(extra_json_schema={"propertyNames": {"enum": list(KINDS)}})
#: By type, all of them.
NotificationSettings: TypeAlias = Annotated[dict[NotificationType, NotificationChoice], _TYPES_ALONE]
SettingsChange: TypeAlias = Annotated[dict[NotificationType, ChoiceChange | None], _TYPES_ALONE]


class ReadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which notifications were read: those of `ids`, or all."""

    ids: Annotated[list[int] | None, Meta(description="Which ones; all where it is left out.", examples=[[7, 8]])] = (
        None
    )


def notification_view(row: NotificationRow, reader: Reader) -> Notification:
    """Show a notification to its user. What another release wrote and this one cannot read has no text."""
    content = stored_content(row.type, row.params)
    return Notification(
        id=row.id,
        type=row.type,
        text="" if content is None else content.said(reader).sentence,
        event_id=row.event_id,
        params=msgspec.convert(row.params or {}, NotificationParams),
        comment_id=row.comment_id,
        created_at=iso(row.created_at_ms),
        read=row.read_at_ms is not None,
    )


def settings_view(choices: Mapping[str, Choice]) -> NotificationSettings:
    """Show what a person wants."""
    return {kind: NotificationChoice(choice.app, choice.email) for kind, choice in choices.items()}
