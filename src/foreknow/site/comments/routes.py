"""Endpoints of comments."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidLimit, InvalidOffset, Muted
from foreknow.kernel.pagination import LIMIT_DEFAULT, RankedPlace
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.fields import natural_int, positive_int
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.site.comments import service
from foreknow.site.comments.errors import CommentNotFound, InvalidCommentId, ParentNotFound
from foreknow.site.comments.schemas import (
    Comment,
    CommentBody,
    CommentInThread,
    CommentPage,
    HidingBody,
    ReactionBody,
    ReplyPage,
)
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import BodyRequest, PathRequest, RateLimitGroup, Request, delete, get, post, put
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters, path_id
from foreknow.web.responses import Empty

COMMENTS = RateLimitGroup("comments")
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
    {"type": "integer", "minimum": 1, "maximum": INT64_MAX},
    f"How many replies at most; over {REPLIES_MAX} means {REPLIES_MAX}.",
    InvalidLimit,
)
REPLIES_OFFSET = Param(
    "offset",
    _read_offset,
    {"type": "integer", "minimum": 0, "maximum": INT64_MAX},
    "How many replies to leave out first.",
    InvalidOffset,
)


SORT = choice("sort", ("new", "top"), "Newest first, or those that most like.")


@parameters
class CommentPath:
    comment_id: int = path_id(InvalidCommentId)


@parameters
class CommentsQuery:
    sort: str = defaulted(SORT, "new")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class RepliesQuery:
    limit: int = defaulted(REPLIES_LIMIT, REPLIES_DEFAULT)
    offset: int = defaulted(REPLIES_OFFSET, 0)


class CommentRoutes(FeatureRoutes):
    """Writing, reading, rating and deleting comments."""

    @post(
        "/comments",
        AuthLevel.REQUIRED,
        status=201,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, EventNotFound, CommentNotFound),
        rate_limit_group=COMMENTS,
    )
    async def create_comment(self, request: BodyRequest[CommentBody]) -> Comment:
        """Comment on an event, or reply to a comment.

        The author of the comment replied to is notified.
        """
        body = request.body
        content = service.check(body)
        return await self._context.db.write(lambda tx: service.write(tx, body, request.user, content=content))

    @get("/events/{event_id}/comments", AuthLevel.OPTIONAL, errors=(EventNotFound,))
    async def list_comments(self, request: Request[EventPath, CommentsQuery, None]) -> CommentPage:
        """List the comments on an event.

        Newest first, or those that most like (`sort=top`), without the replies.
        """
        event_id = request.path.event_id
        if request.query.sort == "top":
            return await self._most_liked(request, event_id)
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

    async def _most_liked(self, request: Request[EventPath, CommentsQuery, None], event_id: int) -> CommentPage:
        limit, cursor, cursors = request.query.limit, request.query.cursor, self._context.cursors
        binding = f"comments:{event_id} top:{'' if request.caller is None else request.caller.scope}"
        place = RankedPlace.read(None if cursor is None else cursors.decode(cursor, binding=binding))
        source = self._context.public_reads.lookup_untraded if cursor is None else self._context.db.lookup
        rows = await source(lambda tx: service.most_liked(tx, event_id, request.visitor, place=place, limit=limit + 1))
        shown = rows[:limit]
        after = place.after([row.id for row in shown], ranked=sum(row.likes_count > 0 for row in shown))
        found = cursors.slice(rows, limit=limit, binding=binding, position=lambda _last: after.position())
        return CommentPage(list(found.rows), found.next_cursor, found.has_more)

    @get("/comments/{comment_id}", AuthLevel.OPTIONAL, errors=(CommentNotFound,))
    async def get_comment(self, request: PathRequest[CommentPath]) -> CommentInThread:
        """One comment, and the thread in which it stands."""
        return await self._context.public_reads.lookup_untraded(
            lambda tx: service.one(tx, request.path.comment_id, request.visitor)
        )

    @get("/comments/{comment_id}/replies", AuthLevel.OPTIONAL, errors=(ParentNotFound,))
    async def list_replies(self, request: Request[CommentPath, RepliesQuery, None]) -> ReplyPage:
        """List the replies to a comment.

        Direct replies, oldest first. Signed in, `user_reaction` says how you reacted to each.
        """
        offset, limit = request.query.offset, request.query.limit
        # A client that skips replies has seen them already: an older state of the list must not be shown.
        source = self._context.db.read if offset else self._context.public_reads.lookup_untraded
        return ReplyPage(
            await source(
                lambda tx: service.replies(tx, request.path.comment_id, request.visitor, offset=offset, limit=limit)
            )
        )

    @put(
        "/comments/{comment_id}/reaction",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, CommentNotFound),
        rate_limit_group=COMMENTS,
    )
    async def react_to_comment(self, request: Request[CommentPath, None, ReactionBody]) -> Comment:
        """Like or dislike a comment, or take that back."""
        return await self._context.db.write(
            lambda tx: service.react(tx, request.path.comment_id, request.body.type, request.user)
        )

    @delete(
        "/comments/{comment_id}", AuthLevel.REQUIRED, errors=(CommentNotFound, Forbidden), rate_limit_group=COMMENTS
    )
    async def delete_comment(self, request: PathRequest[CommentPath]) -> Empty:
        """Delete a comment.

        By its author or an admin. Its content becomes ""; replies stay and more may come.
        """
        await self._context.db.write(lambda tx: service.delete(tx, request.path.comment_id, request.user))
        return Empty()

    @put("/admin/comments/{comment_id}/hidden", AuthLevel.OPERATOR, errors=(CommentNotFound,))
    async def hide_comment(self, request: Request[CommentPath, None, HidingBody]) -> Comment:
        """Hide a comment, or show it again.

        The content of a hidden comment is "" for all but its author, operators and admins; its place, replies and
        reactions stay.
        """
        body, note = request.body, service.check_note(request.body)
        return await self._context.db.write(
            lambda tx: service.hide(tx, request.path.comment_id, request.user, hidden=body.hidden, note=note)
        )
