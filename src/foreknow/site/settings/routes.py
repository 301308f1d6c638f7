"""Endpoints of the site's settings."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import InvalidState
from foreknow.people.users import require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import store
from foreknow.site.settings import service
from foreknow.site.settings.errors import SetByEnvironment, WouldNotCount
from foreknow.site.settings.schemas import SiteSettings, SiteSettingsChange, settings_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PlainRequest, get, patch

CHANGE_BYTES_MAX = 256 * 1024


class SettingsRoutes:
    """What an admin sets of the site."""

    def __init__(self, context: RouteContext, *, on_change: Callable[[], None]) -> None:
        """`on_change` is called after a change, to let it count in this process at once; it must not block."""
        self._context = context
        self._given = context.settings.given
        self._on_change = on_change

    @get("/admin/settings", AuthLevel.ADMIN, key_scope=None, unverified=True)
    async def get_site_settings(self, _request: PlainRequest) -> SiteSettings:
        """The site's settings as they count on every server, with what sets each."""
        return await self._context.db.read(lambda tx: settings_view(self._given, store.find(tx)))

    @patch(
        "/admin/settings",
        AuthLevel.ADMIN,
        unverified=True,
        body_bytes=CHANGE_BYTES_MAX,
        errors=(SetByEnvironment, InvalidState, WouldNotCount),
    )
    async def change_site_settings(self, request: BodyRequest[SiteSettingsChange]) -> SiteSettings:
        """Change settings of the site, all or none; answers all.

        They hold on every server within a second, for what comes. All other admins are notified.
        """
        body = request.body

        def work(tx: WriteTx) -> SiteSettings:
            require_live_session(tx, request.user, AuthLevel.ADMIN)
            changed = service.change(
                tx, self._given, body.changes, request.user, version=body.version, at_ms=now_ms(tx)
            )
            return settings_view(self._given, changed)

        shown = await self._context.db.write_private(work)
        self._on_change()
        return shown
