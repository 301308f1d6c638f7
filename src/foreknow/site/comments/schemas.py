"""Request and response bodies of the comments' endpoints."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import NATURAL, ROW_ID, CreatedAt, EventId, HasMore, Id, NextCursor, UserId
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.site.comments.store import CommentRow

CONTENT_MAX = 5_000
NOTE_MAX = 500

#: Of an event.
CommentCount = Annotated[int, NATURAL, Meta(description="Comments and replies, the deleted ones too.", examples=[12])]
ParentId = Annotated[int, Meta(description="The comment it replies to; null at the top level.", examples=[None])]
CommentContent = Annotated[
    str,
    Meta(
        description='The text, 1–5000 characters; "" once deleted, and to others than its author, operators and admins '
        "where it is hidden.",
        examples=["They have not lost at home this year."],
    ),
]


#: Of what operators do about what others write.
NoteForLog = Annotated[
    str,
    Meta(
        extra_json_schema={"maxLength": NOTE_MAX},
        description="Why, for the log, where it stays: without names; at most 500 characters.",
        examples=["Insults, after a warning"],
    ),
]
CommentHidden = Annotated[bool, Meta(description="Whether an operator or admin has hidden it.", examples=[False])]


class Comment(msgspec.Struct, frozen=True):
    """A comment on an event, or a reply to one; its content is "" once deleted, and where it is hidden."""

    id: Id
    event_id: EventId
    user_id: UserId
    parent_id: ParentId | None
    content: CommentContent
    likes_count: Annotated[int, Meta(description="How many like it.", examples=[12])]
    dislikes_count: Annotated[int, Meta(description="How many dislike it.", examples=[1])]
    replies_count: Annotated[int, Meta(description="How many direct replies it has.", examples=[2])]
    created_at: CreatedAt
    user: Annotated[PublicUser, USER]
    user_reaction: Annotated[
        Literal["like", "dislike"] | None,
        Meta(description="Your own reaction; null for none, and without a sign-in.", examples=["like"]),
    ]
    hidden: CommentHidden


Comments = Annotated[list[Comment], Meta(description="Comments.")]


class CommentPage(msgspec.Struct, frozen=True):
    """A page of an event's comments without the replies."""

    comments: Comments
    next_cursor: NextCursor
    has_more: HasMore


class CommentInThread(msgspec.Struct, frozen=True):
    """A comment, and where the thread begins in which it stands."""

    comment: Annotated[Comment, Meta(description="The comment.")]
    root_id: Annotated[
        int, Meta(description="The top-level comment under which it stands; its own id at the top level.", examples=[7])
    ]


class ReplyPage(msgspec.Struct, frozen=True):
    """Replies to a comment, oldest first."""

    comments: Comments


class CommentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new comment on an event, or with `parent_id` a reply to one of its comments."""

    event_id: Annotated[EventId, ROW_ID]
    # For the API page only: the bound holds after NFC, where the service checks it.
    content: Annotated[CommentContent, Meta(extra_json_schema=required_text_schema(CONTENT_MAX))]
    parent_id: Annotated[ParentId, ROW_ID] | None = None


class ReactionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The caller's reaction from now on; null for none."""

    type: Annotated[
        Literal["like", "dislike"] | None,
        Meta(description="Your reaction from now on; null takes it back.", examples=["like"]),
    ]


class HidingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a comment is hidden from now on, and why."""

    hidden: CommentHidden
    note: NoteForLog | None = None


def comment_view(row: CommentRow, author: PublicUser, *, shows_hidden: bool) -> Comment:
    """Show a comment to whom it was read for; `shows_hidden`: with its content, though it is hidden."""
    is_hidden = row.hidden_at_ms is not None
    return Comment(
        id=row.id,
        event_id=row.event_id,
        user_id=row.user_id,
        parent_id=row.parent_id,
        content="" if is_hidden and not shows_hidden else row.content,
        likes_count=row.likes_count,
        dislikes_count=row.dislikes_count,
        replies_count=row.replies_count,
        created_at=iso(row.created_at_ms),
        user=author,
        user_reaction=row.user_reaction,
        hidden=is_hidden,
    )
