"""Endpoints of comments."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.comments import service
from foreknow.comments.errors import CommentNotFound, ParentNotFound
from foreknow.comments.schemas import Comment, CommentBody, CommentPage, ReactionBody, Replies
from foreknow.events.errors import EventNotFound
from foreknow.kernel.errors import Forbidden, InvalidLimit, InvalidOffset
from foreknow.kernel.units import INT64_MAX
from foreknow.validation.fields import natural_int, positive_int
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import CURSOR, LIMIT, Endpoint, Group, Param, Request, delete, get, post, put
from foreknow.web.pagination import newest_first
from foreknow.web.responses import Empty

REPLIES_DEFAULT = 50
REPLIES_MAX = 100


def _read_limit(text: str) -> int:
    limit = positive_int(text)
    if limit is None:
        raise InvalidLimit("limit is a whole number from 1; over 100 means 100.")
    return min(limit, REPLIES_MAX)


def _read_offset(text: str) -> int:
    offset = natural_int(text)
    if offset is None:
        raise InvalidOffset
    return offset


REPLIES_LIMIT = Param(
    "limit",
    _read_limit,
    {"type": "integer", "minimum": 1, "maximum": INT64_MAX, "default": REPLIES_DEFAULT},
    f"How many replies at most; over {REPLIES_MAX} means {REPLIES_MAX}.",
    default=REPLIES_DEFAULT,
)
REPLIES_OFFSET = Param(
    "offset",
    _read_offset,
    {"type": "integer", "minimum": 0, "maximum": INT64_MAX, "default": 0},
    "How many replies to leave out first.",
    default=0,
)


class CommentRoutes:
    """Writing, reading, rating and deleting comments."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/comments",
                self.write,
                AuthLevel.REQUIRED,
                Comment,
                "Comment on an event, or reply to a comment",
                status=201,
                body=CommentBody,
                errors=(EventNotFound, CommentNotFound),
                description="The author of the comment replied to is notified.",
                rate_limit_group=Group.COMMENTS,
            ),
            get(
                "/events/{event_id}/comments",
                self.top_level,
                AuthLevel.OPTIONAL,
                CommentPage,
                "List the comments on an event",
                query=(LIMIT, CURSOR),
                errors=(EventNotFound,),
                description="Newest first, without the replies.",
            ),
            get(
                "/comments/{comment_id}/replies",
                self.replies,
                AuthLevel.OPTIONAL,
                Replies,
                "List the replies to a comment",
                query=(REPLIES_LIMIT, REPLIES_OFFSET),
                errors=(ParentNotFound,),
                description="Direct replies, oldest first. Signed in, `user_reaction` says how you reacted to each.",
            ),
            put(
                "/comments/{comment_id}/reaction",
                self.react,
                AuthLevel.REQUIRED,
                Comment,
                "Like or dislike a comment, or take that back",
                body=ReactionBody,
                errors=(CommentNotFound,),
                rate_limit_group=Group.COMMENTS,
            ),
            delete(
                "/comments/{comment_id}",
                self.delete,
                AuthLevel.REQUIRED,
                Empty,
                "Delete a comment",
                errors=(CommentNotFound, Forbidden),
                description='By its author or an admin. Its content becomes ""; replies stay and more may come.',
                rate_limit_group=Group.COMMENTS,
            ),
        ]

    async def write(self, request: Request) -> Comment:
        """Write a comment."""
        body: CommentBody = request.body
        content = service.check(body)
        return await self._context.db.write(
            lambda tx: service.write(tx, body, request.user, content=content, clock=self._context.clock)
        )

    async def top_level(self, request: Request) -> CommentPage:
        """Answer one page of an event's comments."""
        event_id: int = request.path["event_id"]
        found = await newest_first(
            self._context,
            request,
            f"comments:{event_id}",
            lambda tx, before_id, limit: service.top_level(
                tx, event_id, request.visitor, before_id=before_id, limit=limit
            ),
            may_be_stale=True,
        )
        return CommentPage(list(found.rows), found.next_cursor, found.has_more)

    async def replies(self, request: Request) -> Replies:
        """Answer some of a comment's replies."""
        offset, limit = request.query["offset"], request.query["limit"]
        # Whoever leaves some out has seen them, and must not be shown what was before.
        source = self._context.db.read if offset else self._context.stale.lookup_untraded
        return Replies(
            await source(
                lambda tx: service.replies(tx, request.path["comment_id"], request.visitor, offset=offset, limit=limit)
            )
        )

    async def react(self, request: Request) -> Comment:
        """Set the caller's reaction."""
        body: ReactionBody = request.body
        return await self._context.db.write(
            lambda tx: service.react(tx, request.path["comment_id"], body.type, request.user)
        )

    async def delete(self, request: Request) -> Empty:
        """Delete a comment."""
        await self._context.db.write(
            lambda tx: service.delete(tx, request.path["comment_id"], request.user, clock=self._context.clock)
        )
        return Empty()
