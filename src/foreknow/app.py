"""The composition root: creates every part and passes it what it needs. No feature creates another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from foreknow.access.callers import PartnerCaller, UserCaller
from foreknow.admin.partner_routes import AdminPartnerRoutes
from foreknow.admin.user_routes import AdminRoutes
from foreknow.alerts import AlertSender, read_channels
from foreknow.assets import AssetRoutes, Refresher, open_providers
from foreknow.chat.cookies import ChatCookies
from foreknow.chat.hub import ChatHub
from foreknow.chat.operator_routes import SupportRoutes
from foreknow.chat.routes import CHAT, OPERATOR_CALLS, ChatRoutes
from foreknow.comments.routes import COMMENTS, CommentRoutes
from foreknow.db.clock import now_ms
from foreknow.db.engine import Database, open_database
from foreknow.db.instrumented import InstrumentedDatabase
from foreknow.db.public_reads import PublicReads
from foreknow.db.replica_reads import open_public_reads
from foreknow.db.secrets import shared_secret
from foreknow.events.routes import EventRoutes
from foreknow.feed import FeedHub
from foreknow.feed.socket import FeedSocket
from foreknow.images import ImageRoutes, ImageService, StoredImages, open_store
from foreknow.kernel.clock import HOUR_MS, Clock, system_clock, use_test_clock
from foreknow.kernel.errors import BadRequest, NotFound
from foreknow.kernel.hosts import is_host
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.private import close_folder
from foreknow.metrics import MetricsPage, Sources
from foreknow.metrics.http import HttpMetrics
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
from foreknow.trading.routes import TRADING, TradingRoutes
from foreknow.users import SessionService, UserAuthenticator, ensure_first_admin
from foreknow.users.devices import DeviceCookies
from foreknow.users.password_change import PasswordService
from foreknow.users.passwords import Passwords
from foreknow.users.routes import SIGN_IN, UserRoutes
from foreknow.users.security_routes import SecurityRoutes
from foreknow.users.tokens import AccessTokens, RefreshTokens, TokenKeys
from foreknow.web.context import RouteContext, StoredKeys
from foreknow.web.docs import Docs
from foreknow.web.endpoint import PREFIX, AnyRequest, Endpoint, RateLimitGroup
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
    "NO), `event`, `market` and `avatar`. `?seq=1` adds `seq` and `prev` to every message: a client that sees another "
    "`prev` than the last `seq` has missed something. Reconnect with exponential backoff.",
)


class Authenticators:
    """Authenticates users by access tokens and partners by keys, for the pipeline."""

    def __init__(self, users: UserAuthenticator, partners: PartnerAuthenticator) -> None:
        """Delegate to both."""
        self._users = users
        self._partners = partners

    async def user(self, access_token: str) -> UserCaller | None:
        """See `Authenticator.user`."""
        return await self._users.check(access_token)

    async def partner(self, key: str) -> PartnerCaller | None:
        """See `Authenticator.partner`."""
        return await self._partners.check(key)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the database keeps for all processes: the keys of tokens, and of the cursors of lists."""

    tokens: TokenKeys
    cursors: bytes


class Services:
    """All that runs while the service serves."""

    def __init__(
        self, settings: Settings, clock: Clock, db: Database, public_reads: PublicReads, secrets: Secrets
    ) -> None:
        """Make every service and hand it what it needs; nothing runs yet."""
        limited = settings.rate_limits == "on"
        secure = settings.cookies_are_secure
        self.responses = ResponseCache(db, public_reads, clock)
        self.context = RouteContext(db, public_reads, clock, Cursors(secrets.cursors), self.responses)
        self.chat_cookies = ChatCookies(secure=secure)
        access_tokens = AccessTokens(secrets.tokens.access)
        self.passwords = Passwords(settings.password_cost, limited=limited)
        self.user_authenticator = UserAuthenticator(db, access_tokens, clock)
        self.partner_authenticator = PartnerAuthenticator(db, clock)
        self.authenticator = Authenticators(self.user_authenticator, self.partner_authenticator)
        self.devices = DeviceCookies(secrets.tokens.devices, secure=secure)
        self.sessions = SessionService(
            db=db,
            clock=clock,
            authenticator=self.user_authenticator,
            passwords=self.passwords,
            access_tokens=access_tokens,
            refresh_tokens=RefreshTokens(secrets.tokens.refresh),
            devices=self.devices,
            limit_failures=limited,
            on_sign_in=self.chat_cookies.on_sign_in,
        )
        self.oauth = OAuthService(
            db=db,
            clock=clock,
            authenticator=self.user_authenticator,
            sessions=self.sessions,
            key=secrets.tokens.oauth,
            providers=settings.oidc_providers,
            api_url=settings.public_origin + PREFIX,
            secure_cookies=secure,
        )
        options = {name: value.get_secret_value() for name, value in settings.image_store_options.items()}
        self.image_store = open_store(settings.image_store_url, options, data_dir=settings.data_dir)
        self.images = ImageService(db, self.image_store, public_url=settings.public_origin)
        self.feed = FeedHub(db)
        on_commit = [self.responses.invalidate_pools, public_reads.note_pools, lambda _: self.feed.wake()]
        self.desk = TradeDesk(db, on_commit=on_commit)
        self.alerts = AlertSender(db, read_channels(settings.support_alert_urls.get_secret_value()))
        self.chat = ChatHub(db, clock)
        self.refresher = Refresher(db, open_providers(settings.asset_providers, settings.rate_providers))

    async def start(self) -> None:
        """Start what runs in the background."""
        await self.images.start()
        for service in (self.feed, self.desk, self.alerts, self.chat, self.refresher):
            service.start()

    async def stop(self) -> None:
        """Finish what is under way; call it before the database closes."""
        services = (
            self.desk,
            self.feed,
            self.chat,
            self.alerts,
            self.refresher,
            self.images,
            self.oauth,
            self.passwords,
            self.partner_authenticator,
        )
        async with contextlib.AsyncExitStack() as stack:
            # From the last entered to the first, and each whatever the others raise.
            for service in reversed(services):
                stack.push_async_callback(service.stop)


class Front:
    """What requests reach: the endpoints behind the pipeline, and the pages beside them."""

    def __init__(self, app: App, services: Services, more: Sequence[Callable[[RouteContext], list[Endpoint]]]) -> None:
        """Make the routes of `services`, and those that `more` makes."""
        self._settings = app.settings
        context = services.context
        endpoints = [
            *HealthRoutes(context, is_leaving=lambda: app.leaving).endpoints(),
            *self._user_endpoints(services),
            *self._market_endpoints(services),
            *self._talk_endpoints(services),
            *AdminRoutes(context, services.user_authenticator, origin_of=self._origin_of).endpoints(),
            *AdminPartnerRoutes(context, services.partner_authenticator).endpoints(),
            *ImageRoutes(services.images).endpoints(),
            *AssetRoutes(context, hold_ms=self._settings.admin_price_hours * HOUR_MS).endpoints(),
            *(endpoint for make in more for endpoint in make(context)),
        ]
        self.routes = Routes(endpoints, sockets=[(TRADE_FEED.path, FeedSocket(services.feed))])
        self.pipeline = Pipeline(
            self.routes,
            services.authenticator,
            StoredKeys(app.db),
            ingress=app.ingress,
            public_url=self._settings.public_url or None,
        )
        self.metrics = MetricsPage(
            Sources(
                HttpMetrics(app.ingress, services.feed), services.desk, services.feed, app.db.metrics, app.public_reads
            ),
            app.db,
            token=self._settings.metrics_token.get_secret_value(),
            is_public=bool(self._settings.public_url),
        )
        self._pages = (Docs(endpoints, [TRADE_FEED]), StoredImages(services.image_store), self.metrics)

    def page(self, path: str) -> ASGIApp | None:
        """Return the page at a path, None where there is none."""
        return next((page for page in self._pages if page.serves(path)), None)

    def _user_endpoints(self, services: Services) -> list[Endpoint]:
        settings, context, authenticator = self._settings, services.context, services.user_authenticator
        secure = settings.cookies_are_secure
        changing = PasswordService(
            db=context.db,
            clock=context.clock,
            authenticator=authenticator,
            passwords=services.passwords,
            devices=services.devices,
            limit_failures=settings.rate_limits == "on",
        )
        oauth = OAuthRoutes(services.oauth, context.clock, public_url=settings.public_origin, secure_cookies=secure)
        return [
            *UserRoutes(context, services.sessions, secure_cookies=secure).endpoints(),
            *SecurityRoutes(context, changing, authenticator, secure_cookies=secure).endpoints(),
            *oauth.endpoints(),
        ]

    def _market_endpoints(self, services: Services) -> list[Endpoint]:
        context = services.context
        return [
            *EventRoutes(context, house_limit_kopecks=self._settings.house_limit_kopecks).endpoints(),
            *PoolRoutes(context).endpoints(),
            *MarketRoutes(context).endpoints(),
            *ChartRoutes(context).endpoints(),
            *SettlementRoutes(context).endpoints(),
            *TradingRoutes(context, services.desk).endpoints(),
            *PortfolioRoutes(context).endpoints(),
            *PartnerTradingRoutes(context, services.desk).endpoints(),
            *PartnerRoutes(context).endpoints(),
        ]

    def _talk_endpoints(self, services: Services) -> list[Endpoint]:
        context = services.context
        return [
            *CommentRoutes(context).endpoints(),
            *ChatRoutes(context, services.chat, services.alerts, services.chat_cookies).endpoints(),
            *SupportRoutes(context, services.chat).endpoints(),
            *NotificationRoutes(context).endpoints(),
        ]

    def _origin_of(self, request: AnyRequest) -> str:
        """Return the origin of this site's links: as set, else as the caller reached it; `BadRequest`."""
        if self._settings.public_origin:
            return self._settings.public_origin
        host = request.headers.get(b"host", b"").decode("latin-1")
        if not is_host(host):
            raise BadRequest("The Host header must be host or host:port.")
        # Cookies that are Secure only work where the site is reached by https.
        return f"http{'s' * self._settings.cookies_are_secure}://{host}"


class App:
    """The service as an ASGI application. `start` before the first request; the ASGI lifespan does it too."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = system_clock,
        database_clock: Clock | None = None,
        more: Sequence[Callable[[RouteContext], list[Endpoint]]] = (),
    ) -> None:
        """Create an application, to be started. The database must have been migrated.

        For tests and benchmarks: `database_clock` decides the time of writes instead of the database, `more` adds
        endpoints.
        """
        self._more = tuple(more)
        self.settings = settings
        self.clock = clock
        #: Set by the server when it begins to stop: from then on this process is not ready for more.
        self.leaving = False
        if settings.test_clock is not None:
            use_test_clock(settings.test_clock)
        close_folder(settings.data_dir)
        self.db = InstrumentedDatabase(open_database(settings.resolved_database_url, clock=database_clock))
        self.public_reads = open_public_reads(self.db, settings.replica_url)
        self.ingress = open_ingress(settings, _group_rates(settings))
        self._running: tuple[Services, Front] | None = None
        #: What to stop, from the last to the first, each whatever the others raise.
        self._closing = contextlib.AsyncExitStack()
        self._closing.push_async_callback(self.db.close)
        self._closing.push_async_callback(self.public_reads.stop)

    @property
    def services(self) -> Services:
        """What runs, from `start` on."""
        assert self._running is not None, "the application has not been started"
        return self._running[0]

    @property
    def front(self) -> Front:
        """What requests reach, from `start` on."""
        assert self._running is not None, "the application has not been started"
        return self._running[1]

    async def start(self) -> None:
        """Read the shared secrets, make the services and routes, start what runs in the background.

        Where that fails, everything is stopped again.
        """
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Finish what is under way, then close the database."""
        await self._closing.aclose()

    async def _start(self) -> None:
        cursors = await self.db.write(lambda tx: shared_secret(tx, "cursors"))
        token_secret = self.settings.token_secret.get_secret_value()
        tokens = await self.db.write(lambda tx: TokenKeys.shared(tx, token_secret))
        await self.db.write(lambda tx: ensure_first_admin(tx, self.settings, at_ms=now_ms(tx)))
        services = Services(self.settings, self.clock, self.db, self.public_reads, Secrets(tokens, cursors))
        front = Front(self, services, self._more)
        self._closing.push_async_callback(front.metrics.stop)
        self._closing.push_async_callback(services.stop)
        await services.start()
        self._running = services, front

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if scope["type"] == "http":
            page = None if scope["path"].startswith(PREFIX) else self.front.page(scope["path"])
            if page is None:
                await self.front.pipeline(scope, receive, send)
            else:
                await self.ingress.page(page, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.front.routes.find(scope["raw_path"])
        if found is None or found[0].socket is None:
            await self.ingress.sockets.refuse(scope, receive, send, NotFound())
            return
        await self.ingress.sockets.serve(found[0].socket, scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message: Any = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self.start()
                except BadRequest as error:
                    log.error("start failed", reason=error.text)  # noqa: TRY400 - a traceback would only hide it
                    await send({"type": "lifespan.startup.failed", "message": error.text})
                    return
                except Exception as failure:  # the server must not serve after any failure
                    log.exception("start failed")
                    await send({"type": "lifespan.startup.failed", "message": str(failure)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def _group_rates(settings: Settings) -> dict[RateLimitGroup, str]:
    return {
        SIGN_IN: settings.limit_sign_in,
        TRADING: settings.limit_trading,
        CHAT: settings.limit_chat,
        OPERATOR_CALLS: settings.limit_call_operator,
        COMMENTS: settings.limit_comments,
    }
