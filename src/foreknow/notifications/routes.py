"""Endpoints of notifications."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.notifications import store
from foreknow.notifications.schemas import NotificationCount, NotificationPage, ReadBody, notification_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, Endpoint, PlainRequest, QueryRequest, get, post
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery

#: Limit of notifications marked in one transaction: a long unread list must not delay orders.
MARKED_AT_ONCE = 2_000


class NotificationRoutes:
    """Reading notifications and marking them as read."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/notifications",
                self.page,
                AuthLevel.REQUIRED,
                NotificationPage,
                "List your notifications",
                operation_id="list_notifications",
            ),
            get(
                "/notifications/unread/count",
                self.unread_count,
                AuthLevel.REQUIRED,
                NotificationCount,
                "Count your unread notifications",
                operation_id="count_unread_notifications",
            ),
            post(
                "/notifications/read",
                self.mark_read,
                AuthLevel.REQUIRED,
                NotificationCount,
                "Mark notifications as read",
                operation_id="mark_notifications_read",
                body_optional=True,
                description="All of yours, or those of `ids`; unknown ids are ignored. Answers how many were unread.",
            ),
        ]

    async def page(self, request: QueryRequest[PageQuery]) -> NotificationPage:
        """Return one page of the caller's own."""
        user_id = request.user.user_id
        found = await newest_first(
            self._context,
            request,
            "notifications",
            lambda tx, before_id, limit: store.page(tx, user_id=user_id, before_id=before_id, limit=limit),
        )
        return NotificationPage([notification_view(row) for row in found.rows], found.next_cursor, found.has_more)

    async def unread_count(self, request: PlainRequest) -> NotificationCount:
        """Count the caller's own."""
        return NotificationCount(await self._context.db.read(lambda tx: store.unread_count(tx, request.user.user_id)))

    async def mark_read(self, request: BodyRequest[ReadBody]) -> NotificationCount:
        """Mark what the body names, or all."""
        user_id, ids = request.user.user_id, request.body.ids
        if ids is None:
            return NotificationCount(await self._mark_all(user_id))
        marked = await self._context.db.write_private(
            lambda tx: store.mark_some(tx, user_id=user_id, ids=ids, at_ms=now_ms(tx))
        )
        return NotificationCount(marked)

    async def _mark_all(self, user_id: int) -> int:
        marked, after_id = await self._mark_next(user_id, 0)
        while after_id is not None:
            more, after_id = await self._mark_next(user_id, after_id)
            marked += more
        return marked

    async def _mark_next(self, user_id: int, after_id: int) -> tuple[int, int | None]:
        return await self._context.db.write_private(
            lambda tx: store.mark_next(tx, user_id=user_id, after_id=after_id, at_ms=now_ms(tx), limit=MARKED_AT_ONCE),
        )
