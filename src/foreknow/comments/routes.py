"""Endpoints of comments."""

from __future__ import annotations

from foreknow.comments import service
from foreknow.comments.refusals import CommentNotFound, ParentNotFound
from foreknow.comments.schemas import Comment, CommentBody, CommentPage, ReactionBody, Replies
from foreknow.events.refusals import EventNotFound
from foreknow.kernel.errors import Forbidden, InvalidLimit, InvalidOffset
from foreknow.kernel.units import INT64_MAX
from foreknow.web.answers import Empty
from foreknow.web.decoding import natural_int, positive_int
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Group, Level, Param, delete, get, post, put
from foreknow.web.listing import newest_first
from foreknow.web.room import Room

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

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/comments",
                self.write,
                Level.REQUIRED,
                Comment,
                "Comment on an event, or reply to a comment",
                status=201,
                body=CommentBody,
                refusals=(EventNotFound, CommentNotFound),
                description="The author of the comment replied to is notified.",
                limited_as=Group.COMMENTS,
            ),
            get(
                "/events/{event_id}/comments",
                self.top_level,
                Level.OPTIONAL,
                CommentPage,
                "List the comments on an event",
                query=(LIMIT, CURSOR),
                refusals=(EventNotFound,),
                description="Newest first, without the replies.",
            ),
            get(
                "/comments/{comment_id}/replies",
                self.replies,
                Level.OPTIONAL,
                Replies,
                "List the replies to a comment",
                query=(REPLIES_LIMIT, REPLIES_OFFSET),
                refusals=(ParentNotFound,),
                description="Direct replies, oldest first. Signed in, `user_reaction` says how you reacted to each.",
            ),
            put(
                "/comments/{comment_id}/reaction",
                self.react,
                Level.REQUIRED,
                Comment,
                "Like or dislike a comment, or take that back",
                body=ReactionBody,
                refusals=(CommentNotFound,),
                limited_as=Group.COMMENTS,
            ),
            delete(
                "/comments/{comment_id}",
                self.delete,
                Level.REQUIRED,
                Empty,
                "Delete a comment",
                refusals=(CommentNotFound, Forbidden),
                description='By its author or an admin. Its content becomes ""; replies stay and more may come.',
                limited_as=Group.COMMENTS,
            ),
        ]

    async def write(self, call: Call) -> Comment:
        """Write a comment."""
        body: CommentBody = call.body
        content = service.check(body)
        return await self._room.db.write(
            lambda tx: service.write(tx, body, call.user, content=content, clock=self._room.clock)
        )

    async def top_level(self, call: Call) -> CommentPage:
        """Answer one page of an event's comments."""
        event_id: int = call.path["event_id"]
        found = await newest_first(
            self._room,
            call,
            f"comments:{event_id}",
            lambda tx, before_id, limit: service.top_level(
                tx, event_id, call.visitor, before_id=before_id, limit=limit
            ),
            may_be_stale=True,
        )
        return CommentPage(list(found.rows), found.next_cursor, found.has_more)

    async def replies(self, call: Call) -> Replies:
        """Answer some of a comment's replies."""
        offset, limit = call.query["offset"], call.query["limit"]
        # Whoever leaves some out has seen them, and must not be shown what was before.
        source = self._room.db.read if offset else self._room.stale.read_untraded
        return Replies(
            await source(
                lambda tx: service.replies(tx, call.path["comment_id"], call.visitor, offset=offset, limit=limit)
            )
        )

    async def react(self, call: Call) -> Comment:
        """Set the caller's reaction."""
        body: ReactionBody = call.body
        return await self._room.db.write(lambda tx: service.react(tx, call.path["comment_id"], body.type, call.user))

    async def delete(self, call: Call) -> Empty:
        """Delete a comment."""
        await self._room.db.write(
            lambda tx: service.delete(tx, call.path["comment_id"], call.user, clock=self._room.clock)
        )
        return Empty()
