"""What requests reach: endpoints, sockets and pages, created from the running services."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import structlog
from starlette.types import ASGIApp, Scope

from foreknow import __version__
from foreknow.activity.people_routes import PeopleRoutes
from foreknow.activity.routes import ActivityRoutes
from foreknow.admin.partner_routes import AdminPartnerRoutes
from foreknow.admin.user_routes import AdminRoutes
from foreknow.api_groups import GROUPS
from foreknow.assets import AssetRoutes
from foreknow.attention.routes import AttentionRoutes
from foreknow.cards.page_routes import PageRoutes
from foreknow.cards.routes import CardRoutes
from foreknow.chat.operator_routes import SupportRoutes
from foreknow.chat.routes import ChatRoutes
from foreknow.client import WebClient, load_client
from foreknow.comments.routes import CommentRoutes
from foreknow.editing import EditingRoutes
from foreknow.events.liquidity_routes import LiquidityRoutes
from foreknow.events.routes import EventRoutes
from foreknow.feed.socket import FeedSocket
from foreknow.images import ImageRoutes, StoredImages
from foreknow.images.pictures import IMAGE_BYTES_MAX
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.hosts import is_host
from foreknow.live.socket import LiveSocket
from foreknow.metrics import MetricsPage, Scraper, Sources, WorkerSocket
from foreknow.metrics.http import HttpMetrics
from foreknow.notifications.routes import NotificationRoutes
from foreknow.oauth import OAuthRoutes
from foreknow.odds.routes import OddsRoutes
from foreknow.partner.routes import PartnerRoutes
from foreknow.pools.chart_routes import ChartRoutes
from foreknow.pools.market_routes import MarketRoutes
from foreknow.pools.routes import PoolRoutes
from foreknow.portfolio.own_routes import OwnPortfolioRoutes
from foreknow.portfolio.routes import PortfolioRoutes
from foreknow.previews import PreviewPages
from foreknow.series import SeriesRoutes
from foreknow.services import Services
from foreknow.settings import Settings
from foreknow.settlement.routes import SettlementRoutes
from foreknow.trading.history_routes import TradeHistoryRoutes
from foreknow.trading.partner_routes import PartnerTradingRoutes
from foreknow.trading.routes import TradingRoutes
from foreknow.users.key_routes import KeyRoutes
from foreknow.users.password_change import PasswordService
from foreknow.users.routes import UserRoutes
from foreknow.users.security_routes import SecurityRoutes
from foreknow.web.context import RouteContext, StoredKeys
from foreknow.web.docs import Docs
from foreknow.web.endpoint import Endpoint
from foreknow.web.health import HealthRoutes
from foreknow.web.ingress import Ingress
from foreknow.web.openapi import Socket
from foreknow.web.origins import origin_of
from foreknow.web.pipeline import Pipeline
from foreknow.web.routing import Routes
from foreknow.web.site import Site, SiteRoutes
from foreknow.webhooks.routes import WebhookRoutes

log = structlog.get_logger("foreknow.front")

TRADE_FEED = Socket(
    "/ws/trades",
    "follow_trades",
    "Live trades (WebSocket)",
    'First comes `{"type": "initial", "trades": […]}` with the last 50 trades, oldest first; then one message for each '
    'trade: `{"type": "trade", "trade": {…}}`. A trade has `amount` (kopecks), `name` (of the trader), `token` (YES or '
    "NO), `event`, `market` and `avatar`. `?seq=1` adds `seq` and `prev` to every message: a client that sees another "
    "`prev` than the last `seq` has missed something. Reconnect with exponential backoff.",
)

LIVE_UPDATES = Socket(
    "/ws/live",
    "watch_events",
    "Live prices, states and trades of events (WebSocket)",
    'Send `{"watch": {"events": [1, 2], "tape": false}}`: up to 50 events to watch, and with `tape` the trades of all '
    "others, too; it replaces what you watched. "
    '`{"type": "now", "events": [{"event_id", "status", "comments", "pools": [{"pool_id", "paused", "won_side", '
    '"probabilities", "volume_kopecks", "trades"}]}]}` answers each watch, without events that not everyone may see. '
    'Then come `{"type": "prices", "pool": {…}}` (a pool as above, at most four times a second), '
    '`{"type": "state", "event": {…}}` (an event as above) and `{"type": "trade", "trade": {…}}` (at most 20 a '
    "second, the newest). Each replaces what came before: after a loss of the connection, watch again. Only pages of "
    "this site may connect, and programs that send no `Origin`; any other message closes the socket with 1008.",
)


class Front:
    """What requests reach: the endpoints behind the pipeline, and the pages beside them."""

    def __init__(
        self,
        settings: Settings,
        ingress: Ingress,
        services: Services,
        *,
        is_leaving: Callable[[], bool],
        more: Sequence[Callable[[RouteContext], list[Endpoint]]],
        worker: WorkerSocket | None,
    ) -> None:
        """Make the routes of `services`, and those that `more` makes; `worker`: other processes share the address."""
        self._settings = settings
        context = services.context
        endpoints = [
            *HealthRoutes(context, is_leaving=is_leaving).endpoints(),
            *SiteRoutes(_site(settings)).endpoints(),
            *self._user_endpoints(services),
            *self._market_endpoints(services),
            *self._talk_endpoints(services),
            *AdminRoutes(
                context, services.user_authenticator, origin_of=lambda request: self._origin_of(request.headers)
            ).endpoints(),
            *AdminPartnerRoutes(context, services.partner_authenticator).endpoints(),
            *WebhookRoutes(context, services.webhooks, internal_hosts=settings.webhook_hosts).endpoints(),
            *ImageRoutes(services.images).endpoints(),
            *AssetRoutes(context, hold_ms=self._settings.admin_price_hours * HOUR_MS).endpoints(),
            *(endpoint for make in more for endpoint in make(context)),
        ]
        own_origin = origin_of(settings.public_url) if settings.public_url else None
        live = LiveSocket(services.live, own_origin=own_origin)
        self.routes = Routes(
            endpoints, sockets=[(TRADE_FEED.path, FeedSocket(services.feed)), (LIVE_UPDATES.path, live)]
        )
        self.pipeline = Pipeline(
            self.routes,
            services.authenticator,
            StoredKeys(services.db),
            ingress=ingress,
            own_origin=own_origin,
        )
        self.scraper = Scraper(_metric_sources(ingress, services), services.db, worker=worker)
        metrics = MetricsPage(
            self.scraper,
            token=self._settings.metrics_token.get_secret_value(),
            is_public=bool(self._settings.public_url),
        )
        self._client = self._web_client(context, ingress)
        docs = Docs(endpoints, [TRADE_FEED, LIVE_UPDATES], GROUPS, is_home=self._client is None)
        # Before the images: its addresses lie among theirs.
        previews = PreviewPages(services.previews, ingress.addresses)
        self._pages = (docs, previews, StoredImages(services.image_store, services.images.make_sizes), metrics)

    def page(self, scope: Scope) -> ASGIApp | None:
        """Return the page that a request is for, None where there is none: the service's own before the client's."""
        page = next((page for page in self._pages if page.serves(scope["path"])), None)
        if page is None and self._client is not None and self._client.serves(scope):
            return self._client
        return page

    def _web_client(self, context: RouteContext, ingress: Ingress) -> WebClient | None:
        if self._settings.web == "off":
            return None
        built = load_client()
        if built is None:
            log.warning("web client not built", remedy="run bin/setup, or set FOREKNOW_WEB=off")
        return WebClient(built, context, ingress, origin_of=self._origin_of)

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
            *UserRoutes(
                context, services.sessions, secure_cookies=secure, sign_up_is_open=settings.sign_up == "on"
            ).endpoints(),
            *SecurityRoutes(context, changing, authenticator, secure_cookies=secure).endpoints(),
            *KeyRoutes(context, authenticator).endpoints(),
            *oauth.endpoints(),
        ]

    def _market_endpoints(self, services: Services) -> list[Endpoint]:
        context, settings = services.context, self._settings
        stale_ms = settings.odds_stale_s * SECOND_MS
        return [
            *EventRoutes(
                context,
                house_limit_kopecks=settings.house_limit_kopecks,
                dispute_minutes=settings.dispute_minutes,
            ).endpoints(),
            *CardRoutes(context).endpoints(),
            *PageRoutes(context).endpoints(),
            *ActivityRoutes(context).endpoints(),
            *PeopleRoutes(context).endpoints(),
            *LiquidityRoutes(context, house_limit_kopecks=settings.house_limit_kopecks).endpoints(),
            *EditingRoutes(context).endpoints(),
            *SeriesRoutes(context).endpoints(),
            *PoolRoutes(context).endpoints(),
            *MarketRoutes(context).endpoints(),
            *ChartRoutes(context).endpoints(),
            *SettlementRoutes(context, services.payments).endpoints(),
            *OddsRoutes(context, sources=settings.odds_sources, stale_ms=stale_ms).endpoints(),
            *TradingRoutes(context, services.desk).endpoints(),
            *TradeHistoryRoutes(context).endpoints(),
            *PortfolioRoutes(context).endpoints(),
            *OwnPortfolioRoutes(context).endpoints(),
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
            *AttentionRoutes(context).endpoints(),
        ]

    def _origin_of(self, headers: Mapping[bytes, bytes]) -> str:
        """Return the origin of this site's links: as set, else as the caller reached it; `BadRequest`."""
        if self._settings.public_origin:
            return self._settings.public_origin
        host = headers.get(b"host", b"").decode("latin-1")
        if not is_host(host):
            raise BadRequest("The Host header must be host or host:port.")
        # Cookies that are Secure only work where the site is reached by https.
        return f"http{'s' * self._settings.cookies_are_secure}://{host}"


def _metric_sources(ingress: Ingress, services: Services) -> Sources:
    return Sources(
        HttpMetrics(ingress, services.feed, services.live),
        services.desk,
        services.feed,
        services.live,
        services.payments.metrics,
        services.webhooks.metrics,
        services.db.metrics,
        "sqlite" if services.db.is_sqlite else "postgresql",
        services.context.public_reads,
    )


def _site(settings: Settings) -> Site:
    return Site(
        name=settings.site_name,
        version=__version__,
        sign_up=settings.sign_up == "on",
        oauth=list(settings.oidc_providers),
        image_bytes_max=IMAGE_BYTES_MAX,
    )
