"""The composition root: every part is made here, once, and handed what it needs. No room builds another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from foreknow.access.callers import PartnerCaller, UserCaller
from foreknow.admin.partner_routes import AdminPartnerRoutes
from foreknow.admin.user_routes import AdminRoutes
from foreknow.alerts import AlertSender, read_channels
from foreknow.assets import AssetRoutes, Refresher, sources_of
from foreknow.chat.cookies import ChatCookies
from foreknow.chat.hub import ChatHub
from foreknow.chat.operator_routes import SupportRoutes
from foreknow.chat.routes import ChatRoutes
from foreknow.comments.routes import CommentRoutes
from foreknow.db.engine import open_database
from foreknow.db.instrumented import InstrumentedDatabase
from foreknow.db.replica import Replica
from foreknow.db.replica_reads import ReplicaReads
from foreknow.db.secrets import shared_secret
from foreknow.events.routes import EventRoutes
from foreknow.feed import FeedHub
from foreknow.images import ImageRoutes, ImageService, StoredImages, open_store
from foreknow.kernel.clock import HOUR_MS, Clock, system_clock
from foreknow.kernel.errors import BadRequest, NotFound
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.private import close_folder
from foreknow.metrics import MetricsPage, Sources
from foreknow.notifications.routes import NotificationRoutes
from foreknow.oauth import OAuthRoutes, OAuthService
from foreknow.partner.authenticator import PartnerAuthenticator
from foreknow.partner.routes import PartnerRoutes
from foreknow.pools.chart_routes import ChartRoutes
from foreknow.pools.market_routes import MarketRoutes
from foreknow.pools.routes import PoolRoutes
from foreknow.portfolio.routes import PortfolioRoutes
from foreknow.settings import Settings
from foreknow.settlement.routes import SettlementRoutes
from foreknow.trading.desk import TradeDesk
from foreknow.trading.partner_routes import PartnerTradingRoutes
from foreknow.trading.routes import TradingRoutes
from foreknow.users import SessionService, UserAuthenticator, ensure_first_admin
from foreknow.users.devices import DeviceCookies
from foreknow.users.password_change import PasswordService
from foreknow.users.passwords import Passwords
from foreknow.users.routes import UserRoutes
from foreknow.users.security_routes import SecurityRoutes
from foreknow.users.tokens import AccessTokens, RefreshTokens, TokenKeys
from foreknow.web.context import RouteContext, StoredKeys
from foreknow.web.docs import Docs
from foreknow.web.endpoint import PREFIX, Endpoint, Request
from foreknow.web.health import HealthRoutes
from foreknow.web.ingress import open_ingress
from foreknow.web.openapi import Socket
from foreknow.web.pipeline import Pipeline
from foreknow.web.response_cache import ResponseCache
from foreknow.web.routing import Routes

log = structlog.get_logger("foreknow.app")

TRADE_FEED = Socket(
    "/ws/trades",
    "Live trades (WebSocket)",
    'First comes `{"type": "initial", "trades": […]}` with the last 50 trades, oldest first; then one message for each '
    'trade: `{"type": "trade", "trade": {…}}`. A trade has `amount` (kopecks), `name` (of the trader), `token` (YES or '
    "NO), `event`, `market` and `avatar`. `?seq=1` adds `seq` and `prev` to every message: whoever sees another `prev` "
    "than the last `seq` has missed something. Reconnect with exponential backoff.",
)


class Authenticators:
    """The gatekeeper of the pipeline: users by their access tokens, partners by their keys."""

    def __init__(self, users: UserAuthenticator, partners: PartnerAuthenticator) -> None:
        """Ask each about its own."""
        self._users = users
        self._partners = partners

    async def user(self, access_token: str) -> UserCaller | None:
        """See `Authenticator.user`."""
        return await self._users.check(access_token)

    async def partner(self, key: str) -> PartnerCaller | None:
        """See `Authenticator.partner`."""
        return await self._partners.check(key)


class App:
    """The service as an ASGI application. `start` before the first request; the ASGI lifespan does it too."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = system_clock,
        more: Sequence[Callable[[RouteContext], list[Endpoint]]] = (),
    ) -> None:
        """Make an application that is not started yet. The database must have been migrated.

        `more` adds endpoints of other makers to the same application (benchmarks measure against such).
        """
        self._more = tuple(more)
        self.settings = settings
        self.clock = clock
        #: Set by the server that was told to stop: from then on this process is not ready for more.
        self.leaving = False
        close_folder(settings.data_dir)
        self.db = InstrumentedDatabase(open_database(settings.resolved_database_url))
        self.stale = ReplicaReads(self.db, Replica(settings.replica_url) if settings.replica_url else None)
        self.edge = open_ingress(settings)

    async def start(self) -> None:
        """Read the shared secrets, make the rooms, start what runs in the background."""
        cursor_secret = await self.db.write(lambda tx: shared_secret(tx, "cursors"))
        shared = ResponseCache(self.db, self.stale, self.clock)
        context = RouteContext(self.db, self.stale, self.clock, Cursors(cursor_secret), shared)
        chat_cookies = ChatCookies(secure=self.settings.cookies_are_secure)
        users = await self._start_users(context, chat_cookies)
        images = await self._start_images()
        self._start_background(shared)
        endpoints = [
            *HealthRoutes(context, is_leaving=lambda: self.leaving).endpoints(),
            *users,
            *self._market_endpoints(context),
            *self._talk_endpoints(context, chat_cookies),
            *AdminRoutes(context, self.user_authenticator, origin_of=self._origin_of).endpoints(),
            *AdminPartnerRoutes(context, self.partner_authenticator).endpoints(),
            *images,
            *AssetRoutes(context, hold_ms=self.settings.admin_price_hours * HOUR_MS).endpoints(),
            *(endpoint for make in self._more for endpoint in make(context)),
        ]
        self.routes = Routes(endpoints, sockets=[(TRADE_FEED.path, self.feed.socket)])
        self.docs = Docs(endpoints, [TRADE_FEED])
        self.authenticator = Authenticators(self.user_authenticator, self.partner_authenticator)
        self.pipeline = Pipeline(
            self.routes,
            self.authenticator,
            StoredKeys(self.db),
            edge=self.edge,
            public_url=self.settings.public_url or None,
        )
        self.metrics = MetricsPage(
            Sources(self.edge, self.desk, self.feed, self.db.metrics, self.stale),
            self.db,
            token=self.settings.metrics_token.get_secret_value(),
            is_public=bool(self.settings.public_url),
        )

    def _start_background(self, shared: ResponseCache) -> None:
        settings = self.settings
        self.partner_authenticator = PartnerAuthenticator(self.db, self.clock)
        self.feed = FeedHub(self.db)
        told = [shared.invalidate_pools, self.stale.writes.note_pools, lambda _: self.feed.wake()]
        self.desk = TradeDesk(self.db, self.clock, on_commit=told)
        self.alerts = AlertSender(self.db, self.clock, read_channels(settings.support_alert_urls.get_secret_value()))
        self.chat = ChatHub(self.db, self.clock)
        self.refresher = Refresher(self.db, self.clock, sources_of(settings.asset_providers, settings.rate_providers))
        for part in (self.feed, self.desk, self.alerts, self.chat, self.refresher):
            part.start()

    def _market_endpoints(self, context: RouteContext) -> list[Endpoint]:
        return [
            *EventRoutes(context, house_limit_kopecks=self.settings.house_limit_kopecks).endpoints(),
            *PoolRoutes(context).endpoints(),
            *MarketRoutes(context).endpoints(),
            *ChartRoutes(context).endpoints(),
            *SettlementRoutes(context).endpoints(),
            *TradingRoutes(context, self.desk).endpoints(),
            *PortfolioRoutes(context).endpoints(),
            *PartnerTradingRoutes(context, self.desk).endpoints(),
            *PartnerRoutes(context).endpoints(),
        ]

    def _talk_endpoints(self, context: RouteContext, chat_cookies: ChatCookies) -> list[Endpoint]:
        return [
            *CommentRoutes(context).endpoints(),
            *ChatRoutes(context, self.chat, self.alerts, chat_cookies).endpoints(),
            *SupportRoutes(context, self.chat).endpoints(),
            *NotificationRoutes(context).endpoints(),
        ]

    async def stop(self) -> None:
        """Finish what is under way, then let go of the database."""
        parts = (
            self.desk,
            self.feed,
            self.chat,
            self.alerts,
            self.refresher,
            self.images,
            self.oauth,
            self.passwords,
            self.partner_authenticator,
            self.stale,
            self.metrics,
        )
        async with contextlib.AsyncExitStack() as stack:
            # From the last entered to the first, and each whatever the others raise.
            stack.push_async_callback(self.db.close)
            for part in reversed(parts):
                stack.push_async_callback(part.stop)

    async def _start_images(self) -> list[Endpoint]:
        settings = self.settings
        options = {name: value.get_secret_value() for name, value in settings.image_store_options.items()}
        store = open_store(settings.image_store_url, options, data_dir=settings.data_dir)
        self.stored_images = StoredImages(store)
        self.images = ImageService(self.db, self.clock, store, public_url=settings.public_origin)
        await self.images.start()
        return ImageRoutes(self.images).endpoints()

    async def _start_users(self, context: RouteContext, chat_cookies: ChatCookies) -> list[Endpoint]:
        settings = self.settings
        limited = settings.rate_limits == "on"
        secure = settings.cookies_are_secure
        secret = settings.token_secret.get_secret_value()
        keys = await self.db.write(lambda tx: TokenKeys.shared(tx, secret))
        await self.db.write(lambda tx: ensure_first_admin(tx, settings, at_ms=self.clock()))
        access_tokens = AccessTokens(keys.access)
        self.passwords = Passwords(settings.password_cost, limited=limited)
        self.user_authenticator = UserAuthenticator(self.db, access_tokens, self.clock)
        service = SessionService(
            db=self.db,
            clock=self.clock,
            authenticator=self.user_authenticator,
            passwords=self.passwords,
            access_tokens=access_tokens,
            refresh_tokens=RefreshTokens(keys.refresh),
            devices=DeviceCookies(keys.devices, secure=secure),
            limit_failures=limited,
            on_sign_in=chat_cookies.on_sign_in,
        )
        self.oauth = OAuthService(
            db=self.db,
            clock=self.clock,
            authenticator=self.user_authenticator,
            sessions=service,
            key=keys.oauth,
            providers=settings.oidc_providers,
            public_url=settings.public_origin,
            secure_cookies=secure,
        )
        changing = PasswordService(
            db=self.db,
            clock=self.clock,
            authenticator=self.user_authenticator,
            passwords=self.passwords,
            limit_failures=limited,
        )
        oauth = OAuthRoutes(self.oauth, self.clock, public_url=settings.public_origin, secure_cookies=secure)
        return [
            *UserRoutes(context, service, secure_cookies=secure).endpoints(),
            *SecurityRoutes(context, changing, self.user_authenticator, secure_cookies=secure).endpoints(),
            *oauth.endpoints(),
        ]

    def _origin_of(self, request: Request) -> str:
        """Return the origin of this site's links: as set, else as the caller reached it."""
        host = request.headers.get(b"host", b"").decode("latin-1")
        # Cookies that are Secure only work where the site is reached by https.
        return self.settings.public_origin or f"http{'s' * self.settings.cookies_are_secure}://{host}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one ASGI scope."""
        if scope["type"] == "http":
            page = None if scope["path"].startswith(PREFIX) else self._page(scope["path"])
            if page is None:
                await self.pipeline(scope, receive, send)
            else:
                await self.edge.page(page, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    def _page(self, path: str) -> ASGIApp | None:
        pages = (self.docs, self.stored_images, self.metrics)
        return next((page for page in pages if page.serves(path)), None)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.routes.find(scope["raw_path"])
        if found is None or found[0].socket is None:
            await self.edge.connections.refuse(scope, receive, send, NotFound())
            return
        await self.edge.connections.serve(found[0].socket, scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message: Any = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self.start()
                except BadRequest as wrong:
                    log.error("start failed", reason=wrong.text)  # noqa: TRY400 - a traceback would only hide it
                    await send({"type": "lifespan.startup.failed", "message": wrong.text})
                    return
                except Exception as failure:  # whatever it is, the server must hear that it may not serve
                    log.exception("start failed")
                    await send({"type": "lifespan.startup.failed", "message": str(failure)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return
