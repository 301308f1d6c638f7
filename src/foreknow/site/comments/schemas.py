"""Request and response bodies of the comments' endpoints."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import (
    NATURAL,
    PROBABILITY,
    ROW_ID,
    CreatedAt,
    EventId,
    HasMore,
    Id,
    MarketId,
    NextCursor,
    OutcomeIndex,
    PoolId,
    TokenType,
    UserId,
)
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.people.users.profiles import public_user
from foreknow.people.users.schemas import USER, PublicUser
from foreknow.people.users.store import UserRow
from foreknow.site.comments.store import CommentRow

CONTENT_MAX = 5_000
NOTE_MAX = 500

#: Of an event.
CommentCount = Annotated[int, NATURAL, Meta(description="Comments and replies that are not deleted.", examples=[12])]
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


class CommentMention(msgspec.Struct, frozen=True):
    """A person whom a comment names."""

    nickname: Annotated[str, Meta(description="As the comment has it, after the @.", examples=["Ann"])]
    user: Annotated[PublicUser, Meta(description="The person, as they are now.")]


class AuthorHolds(msgspec.Struct, frozen=True):
    """A position in the event's main pool."""

    market_id: MarketId
    token_type: TokenType
    shares: Annotated[int, Meta(description="How many shares of it.", examples=[120])]


class AuthorThinks(msgspec.Struct, frozen=True):
    """What an author thought of that outcome of the event's main pool which was then likeliest by its price."""

    pool_id: PoolId
    outcome_index: OutcomeIndex
    probability: Annotated[float, PROBABILITY, Meta(description="The probability of its YES.", examples=[0.7])]


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
    mentions: Annotated[
        list[CommentMention],
        Meta(description="Whom it names with an @, without who is hidden, inactive or deleted now."),
    ]
    holds: Annotated[
        AuthorHolds | None,
        Meta(
            description="What its author held when they wrote it: in the event's main pool, the position of the "
            "largest value. Null where they held none or do not show it, and where they or the comment are hidden or "
            "deleted."
        ),
    ]
    forecast: Annotated[
        AuthorThinks | None,
        Meta(
            description="What its author's forecast of the event's main pool was when they wrote it. Null where they "
            "had none or do not show it, where it is hidden from you, and where the comment is hidden or deleted."
        ),
    ]


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
    """Whether a comment or a clarification is hidden from now on, and why."""

    hidden: CommentHidden
    note: NoteForLog | None = None


def comment_view(
    row: CommentRow,
    author: UserRow,
    *,
    shows_content: bool,
    shows_forecast: bool,
    mentions: list[CommentMention],
) -> Comment:
    """Show a comment to whom it was read for; `shows_content`: though it may be hidden.

    `shows_forecast`: forecasts of its event's main pool are not hidden from them.
    """
    is_hidden = row.hidden_at_ms is not None
    holds: AuthorHolds | None = None
    if row.held_market_id is not None and not is_hidden and author.show_holds and not author.profile_hidden:
        assert row.held_side is not None
        assert row.held_shares is not None
        holds = AuthorHolds(row.held_market_id, row.held_side, row.held_shares)
    forecast: AuthorThinks | None = None
    if row.forecast_pool_id is not None and not is_hidden and author.show_forecast and shows_forecast:
        assert row.forecast_outcome_index is not None
        assert row.forecast_probability is not None
        forecast = AuthorThinks(row.forecast_pool_id, row.forecast_outcome_index, row.forecast_probability)
    return Comment(
        id=row.id,
        event_id=row.event_id,
        user_id=row.user_id,
        parent_id=row.parent_id,
        content=row.content if shows_content else "",
        likes_count=row.likes_count,
        dislikes_count=row.dislikes_count,
        replies_count=row.replies_count,
        created_at=iso(row.created_at_ms),
        user=public_user(author),
        user_reaction=row.user_reaction,
        hidden=is_hidden,
        mentions=mentions,
        holds=holds,
        forecast=forecast,
    )
