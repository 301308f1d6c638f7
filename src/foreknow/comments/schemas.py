"""Bodies and answers of the comments' endpoints."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from foreknow.comments.store import CommentRow
from foreknow.kernel.clock import iso
from foreknow.kernel.units import INT64_MAX
from foreknow.users.schemas import PublicUser
from foreknow.validation.fields import required_text_schema

CONTENT_MAX = 5_000
RowId = Annotated[int, msgspec.Meta(ge=1, le=INT64_MAX)]


class Comment(msgspec.Struct, frozen=True):
    """A comment on an event, or a reply to one; its content is "" once deleted."""

    id: int
    event_id: int
    user_id: int
    parent_id: int | None
    content: str
    likes_count: int
    dislikes_count: int
    replies_count: int
    created_at: str
    user: PublicUser
    user_reaction: Literal["like", "dislike"] | None


class CommentPage(msgspec.Struct, frozen=True):
    """A page of an event's comments without the replies, newest first."""

    comments: list[Comment]
    next_cursor: str | None
    has_more: bool


class Replies(msgspec.Struct, frozen=True):
    """Replies to a comment, oldest first."""

    comments: list[Comment]


class CommentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new comment on an event, or with `parent_id` a reply to one of its comments."""

    event_id: RowId
    # The bound holds after NFC, where the service checks it; here it only tells the API page.
    content: Annotated[str, msgspec.Meta(extra_json_schema=required_text_schema(CONTENT_MAX))]
    parent_id: RowId | None = None


class ReactionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The caller's reaction from now on; null for none."""

    type: Literal["like", "dislike"] | None


def comment_view(row: CommentRow, author: PublicUser) -> Comment:
    """Show a comment to whom it was read for."""
    return Comment(
        id=row.id,
        event_id=row.event_id,
        user_id=row.user_id,
        parent_id=row.parent_id,
        content=row.content,
        likes_count=row.likes_count,
        dislikes_count=row.dislikes_count,
        replies_count=row.replies_count,
        created_at=iso(row.created_at_ms),
        user=author,
        user_reaction=row.user_reaction,
    )
