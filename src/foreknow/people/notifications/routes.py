"""Endpoints of notifications."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.currency import Currency
from foreknow.people.notifications import store
from foreknow.people.notifications.choices import choices_of
from foreknow.people.notifications.reader import Reader
from foreknow.people.notifications.schemas import (
    NotificationCount,
    NotificationPage,
    NotificationSettings,
    ReadBody,
    SettingsChange,
    notification_view,
    settings_view,
)
from foreknow.people.notifications.service import change_settings
from foreknow.platform.db.clock import now_ms
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.endpoint import BodyRequest, PlainRequest, QueryRequest, get, post, put
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery

#: Limit of notifications marked in one transaction: a long unread list must not delay orders.
MARKED_AT_ONCE = 2_000


class NotificationRoutes(FeatureRoutes):
    """Reading notifications and marking them as read."""

    def __init__(self, context: RouteContext, *, currency: Currency) -> None:
        """Write amounts in `currency`."""
        super().__init__(context)
        self._reader = Reader(currency=currency)

    @get("/notifications", AuthLevel.REQUIRED)
    async def list_notifications(self, request: QueryRequest[PageQuery]) -> NotificationPage:
        """List your notifications."""
        user_id = request.user.user_id
        found = await newest_first(
            self._context,
            request,
            "notifications",
            lambda tx, before_id, limit: store.page(tx, user_id=user_id, before_id=before_id, limit=limit),
        )
        shown = [notification_view(row, self._reader) for row in found.rows]
        return NotificationPage(shown, found.next_cursor, found.has_more)

    @get("/users/me/notification-settings", AuthLevel.REQUIRED)
    async def get_notification_settings(self, request: PlainRequest) -> NotificationSettings:
        """What you want to be notified of, by type.

        Keys are all types that a notification has. A type with `app` false is in no list and no count. Mails go to a
        verified address alone: one at once, what comes in the next 15 minutes in one; daily ones at 8 in your time
        zone, if there is news.
        """
        user_id = request.user.user_id
        return await self._context.db.lookup(lambda tx: settings_view(choices_of(tx, [user_id]).of_all(user_id)))

    @put("/users/me/notification-settings", AuthLevel.REQUIRED, unverified=True)
    async def change_notification_settings(self, request: BodyRequest[SettingsChange]) -> NotificationSettings:
        """Change what you want to be notified of.

        Types that are left out stay as they are; answers all.
        """
        return await self._context.db.write_private(lambda tx: change_settings(tx, request.user, request.body))

    @get("/notifications/unread/count", AuthLevel.REQUIRED)
    async def count_unread_notifications(self, request: PlainRequest) -> NotificationCount:
        """Count your unread notifications."""
        return NotificationCount(await self._context.db.read(lambda tx: store.unread_count(tx, request.user.user_id)))

    @post("/notifications/read", AuthLevel.REQUIRED, body_optional=True, unverified=True)
    async def mark_notifications_read(self, request: BodyRequest[ReadBody]) -> NotificationCount:
        """Mark notifications as read.

        All of yours, or those of `ids`; unknown ids are ignored. Answers how many were unread.
        """
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
