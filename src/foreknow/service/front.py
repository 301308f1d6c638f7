"""What requests reach: endpoints, sockets and pages, created from the running services."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import structlog
from starlette.types import ASGIApp, Scope

from foreknow import __version__
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.currency import ROUBLES
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.hosts import is_host
from foreknow.kernel.settings import Settings
from foreknow.market.assets.routes import AssetRoutes
from foreknow.market.editing import EditingRoutes
from foreknow.market.events.liquidity_routes import LiquidityRoutes
from foreknow.market.events.routes import EventRoutes
from foreknow.market.images import ImageRoutes, StoredImages
from foreknow.market.images.pictures import IMAGE_BYTES_MAX
from foreknow.market.pools.chart_routes import ChartRoutes
from foreknow.market.pools.market_routes import MarketRoutes
from foreknow.market.pools.routes import PoolRoutes
from foreknow.market.series import SeriesRoutes
from foreknow.people.attention.routes import AttentionRoutes
from foreknow.people.mail.serving import UnsubscribePages
from foreknow.people.notifications.routes import NotificationRoutes
from foreknow.people.oauth import OAuthRoutes
from foreknow.people.users.key_routes import KeyRoutes
from foreknow.people.users.password_change import PasswordService
from foreknow.people.users.routes import UserRoutes
from foreknow.people.users.session_routes import SecurityRoutes
from foreknow.service.api_groups import GROUPS
from foreknow.service.metrics import MetricsPage, Scraper, Sources, WorkerSocket
from foreknow.service.metrics.http import HttpMetrics
from foreknow.service.services import Services
from foreknow.site.activity.people_routes import PeopleRoutes
from foreknow.site.activity.routes import ActivityRoutes
from foreknow.site.admin.first_hour_routes import FirstHourRoutes
from foreknow.site.admin.invitation_routes import InvitationRoutes
from foreknow.site.admin.partner_routes import AdminPartnerRoutes
from foreknow.site.admin.user_routes import AdminRoutes
from foreknow.site.allowance.routes import AllowanceRoutes
from foreknow.site.cards.page_routes import PageRoutes
from foreknow.site.cards.routes import CardRoutes
from foreknow.site.chat.operator_routes import OperatorRoutes
from foreknow.site.chat.routes import ChatRoutes
from foreknow.site.client import NAME, ShellLooks, WebClient, load_client
from foreknow.site.comments.routes import CommentRoutes
from foreknow.site.elsewhere import EmbedPages, FeedPage, feed_links
from foreknow.site.feed.socket import FeedSocket
from foreknow.site.following.routes import AlertRoutes, FollowRoutes
from foreknow.site.live.socket import LiveSocket
from foreknow.site.looks import ICON_PATH, LOGO_PATH, STYLE_PATH, Looks, SiteFiles, SitePageRoutes
from foreknow.site.moderation.routes import ModerationRoutes
from foreknow.site.own_data.routes import OwnDataRoutes
from foreknow.site.portfolio.own_routes import OwnPortfolioRoutes
from foreknow.site.portfolio.routes import PortfolioRoutes
from foreknow.site.previews import PreviewPages
from foreknow.site.record.routes import RecordRoutes
from foreknow.site.webhooks.own_routes import PartnerWebhookRoutes
from foreknow.site.webhooks.routes import WebhookRoutes
from foreknow.trading.desk.sweeps import sweep_pool
from foreknow.trading.entry.basket_routes import BasketRoutes, PartnerBasketRoutes
from foreknow.trading.entry.bet_routes import BetRoutes, PartnerBetRoutes
from foreknow.trading.entry.order_routes import OrderRoutes, PartnerOrderRoutes
from foreknow.trading.history.routes import TradeHistoryRoutes
from foreknow.trading.lists.routes import ListRoutes
from foreknow.trading.odds.routes import OddsRoutes
from foreknow.trading.partner.routes import PartnerRoutes
from foreknow.trading.quotes.book_routes import BookRoutes
from foreknow.trading.settlement.routes import SettlementRoutes
from foreknow.trading.statement.routes import StatementRoutes
from foreknow.web.context import RouteContext
from foreknow.web.docs import Docs
from foreknow.web.endpoint import endpoints_of
from foreknow.web.health import HealthRoutes
from foreknow.web.ingress import Ingress
from foreknow.web.members import MembersPage, MembersSocket, Page, Robots, for_members
from foreknow.web.openapi import SocketPath
from foreknow.web.origins import origin_of
from foreknow.web.pipeline import Pipeline
from foreknow.web.routing import Routes, SocketApplication
from foreknow.web.site import Site, SiteCurrency, SiteRoutes

log = structlog.get_logger("foreknow.front")

#: WebSockets by their paths.
Sockets = Sequence[tuple[str, SocketApplication]]

TRADE_FEED = SocketPath(
    "/ws/trades",
    "follow_trades",
    "Live trades (WebSocket)",
    'First comes `{"type": "initial", "trades": […]}` with the last 50 trades, oldest first; then one message for each '
    'trade: `{"type": "trade", "trade": {…}}`. A trade has `amount` (kopecks), `name` (of the trader), `token` (YES or '
    "NO), `event`, `market` and `avatar`. `?seq=1` adds `seq` and `prev` to every message: a client that sees another "
    "`prev` than the last `seq` has missed something. Reconnect with exponential backoff.",
)

LIVE_UPDATES = SocketPath(
    "/ws/live",
    "watch_events",
    "Live prices, states and trades of events (WebSocket)",
    'Send `{"watch": {"events": [1, 2], "tape": false}}`: up to 50 events to watch, and with `tape` the trades of all '
    "others, too; it replaces what you watched. "
    '`{"type": "now", "events": [{"event_id", "status", "comments", "pools": [{"pool_id", "paused", "won_side", '
    '"probabilities", "volume_kopecks", "trades"}]}]}` answers each watch, without events that not everyone may see. '
    'Then come `{"type": "prices", "pool": {…}}` (a pool as above, at most four times a second), '
    '`{"type": "state", "event": {…}}` (an event as above) and `{"type": "trade", "trade": {…}}` (at most 20 a '
    'second, the newest). With `"more": true` come numbers of traders and, to pages with a live session, what their '
    'trader has; `"last_trades": 20` begins with that many trades. Each replaces what came before: after a loss of the '
    "connection, watch again. Only pages of this site may connect, and programs that send no `Origin`; any other "
    "message closes the socket with 1008.",
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
        more: Sequence[Callable[[RouteContext], object]],
        worker: WorkerSocket | None,
    ) -> None:
        """Make the routes of `services`, and those that `more` makes; `worker`: other processes share the address."""
        self._settings = settings
        context = services.context
        looks = services.looks
        files = SiteFiles(looks)
        site = _site(settings, looks, files)
        routes: list[object] = [
            HealthRoutes(context, is_leaving=is_leaving),
            SiteRoutes(site),
            SitePageRoutes(looks),
            *self._user_routes(services),
            *self._market_routes(services),
            *self._talk_routes(services),
            *self._admin_routes(services),
            FirstHourRoutes(context, has_looks=_has_looks(site)),
            ImageRoutes(services.images, context),
            AssetRoutes(context, hold_ms=settings.admin_price_hours * HOUR_MS),
            *(make(context) for make in more),
        ]
        endpoints = [endpoint for each in routes for endpoint in endpoints_of(each)]
        own_origin = origin_of(settings.public_url) if settings.public_url else None
        live = LiveSocket(services.live, services.authenticator, own_origin=own_origin)
        sockets: Sockets = [(TRADE_FEED.path, FeedSocket(services.feed)), (LIVE_UPDATES.path, live)]
        # Before the images: its addresses lie among theirs.
        previews = PreviewPages(services.previews, ingress.addresses)
        pages: tuple[Page, ...] = (previews, StoredImages(services.image_store, services.images.make_sizes))
        if settings.read == "members":
            endpoints = [for_members(endpoint) for endpoint in endpoints]
            sockets, pages = _for_members(sockets, pages, services, own_origin=own_origin)
        else:
            pages = (*pages, *_elsewhere(settings, context, ingress, site))
        self.routes = Routes(endpoints, sockets=sockets)
        self.pipeline = Pipeline(
            self.routes,
            services.authenticator,
            services.db,
            ingress=ingress,
            responses=context.responses,
            own_origin=own_origin,
            terms=context.terms,
        )
        self.scraper = Scraper(_metric_sources(ingress, services), services.db, worker=worker)
        token = settings.metrics_token.get_secret_value()
        metrics = MetricsPage(self.scraper, token=token, is_public=bool(settings.public_url))
        self._client = self._web_client(context, ingress, _shell_looks(site, style=files.address(STYLE_PATH)))
        docs = Docs(endpoints, [TRADE_FEED, LIVE_UPDATES], GROUPS, is_home=self._client is None)
        #: Those of a site for members too, but what `pages` wants a session for.
        self.pages: tuple[Page, ...] = (docs, files, _unsubscribe(ingress, services, settings), *pages, metrics)

    def page(self, scope: Scope) -> ASGIApp | None:
        """Return the page that a request is for, None where there is none: the service's own before the client's."""
        page = next((page for page in self.pages if page.serves(scope["path"])), None)
        if page is None and self._client is not None and self._client.serves(scope):
            return self._client
        return page

    def _web_client(self, context: RouteContext, ingress: Ingress, looks: ShellLooks | None) -> WebClient | None:
        if self._settings.web == "off":
            return None
        links = feed_links(NAME if looks is None else looks.name) if _has_feed(self._settings) else ""
        built = load_client(looks=looks, links=links)
        if built is None:
            log.warning("web client not built", remedy="run bin/setup, or set FOREKNOW_WEB=off")
        shows_events = self._settings.read == "all"
        return WebClient(
            built,
            context,
            ingress,
            origin_of=self._origin_of,
            shows_events=shows_events,
            shows_pages=looks is not None and looks.has_pages,
        )

    def _user_routes(self, services: Services) -> list[object]:
        settings, context, authenticator = self._settings, services.context, services.user_authenticator
        secure = settings.cookies_are_secure
        changing = PasswordService(
            db=context.db,
            authenticator=authenticator,
            passwords=services.passwords,
            check=services.password_check,
            devices=services.devices,
            mails=services.account_mails,
            of_all=settings.passwords == "on",
        )
        oauth = OAuthRoutes(services.oauth, context.clock, public_url=settings.public_origin, secure_cookies=secure)
        return [
            UserRoutes(context, services.sessions, secure_cookies=secure),
            SecurityRoutes(context, changing, authenticator, services.account_mails, secure_cookies=secure),
            KeyRoutes(context, authenticator),
            OwnDataRoutes(context, services.deletion, secure_cookies=secure),
            oauth,
        ]

    def _market_routes(self, services: Services) -> list[object]:
        context, settings = services.context, self._settings
        stale_ms = settings.odds_stale_s * SECOND_MS
        return [
            EventRoutes(context),
            CardRoutes(context),
            FollowRoutes(context),
            AlertRoutes(context),
            RecordRoutes(context),
            PageRoutes(context),
            ActivityRoutes(context),
            PeopleRoutes(context),
            LiquidityRoutes(context, sweep=sweep_pool, on_sweep=services.on_trade),
            EditingRoutes(context),
            SeriesRoutes(context),
            PoolRoutes(context),
            MarketRoutes(context),
            ChartRoutes(context),
            SettlementRoutes(context, services.payments),
            ListRoutes(context, services.splits, on_split=services.on_trade),
            OddsRoutes(context, sources=settings.odds_sources, stale_ms=stale_ms),
            BetRoutes(context, services.desk),
            OrderRoutes(context, services.desk),
            BasketRoutes(context, services.desk),
            BookRoutes(context),
            TradeHistoryRoutes(context),
            PortfolioRoutes(context),
            OwnPortfolioRoutes(context),
            AllowanceRoutes(context, settings.allowance),
            PartnerBetRoutes(context, services.desk),
            PartnerOrderRoutes(context, services.desk),
            PartnerBasketRoutes(context, services.desk),
            PartnerRoutes(context),
            StatementRoutes(context),
        ]

    def _admin_routes(self, services: Services) -> list[object]:
        context, settings = services.context, self._settings
        return [
            AdminRoutes(context, services.user_authenticator, public_url=settings.public_origin),
            InvitationRoutes(context, public_url=settings.public_origin, welcome_kopecks=settings.sign_up_kopecks),
            AdminPartnerRoutes(context, services.partner_authenticator),
            WebhookRoutes(context, services.webhooks, internal_hosts=settings.webhook_hosts),
            PartnerWebhookRoutes(context, services.webhooks, internal_hosts=settings.webhook_hosts),
        ]

    def _talk_routes(self, services: Services) -> list[object]:
        context = services.context
        return [
            CommentRoutes(context),
            ModerationRoutes(context, services.user_authenticator),
            ChatRoutes(context, services.chat, services.alerts, services.chat_cookies),
            OperatorRoutes(context, services.chat),
            NotificationRoutes(context, currency=self._settings.currency),
            AttentionRoutes(context),
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


def _for_members(
    sockets: Sockets, pages: Sequence[Page], services: Services, *, own_origin: str | None
) -> tuple[Sockets, tuple[Page, ...]]:
    """Return sockets and pages as a site has them that only members may read."""
    authenticator, follow, terms = services.authenticator, services.session_watch.follow, services.context.terms
    return (
        [
            (path, MembersSocket(socket, authenticator, follow, terms, own_origin=own_origin))
            for path, socket in sockets
        ],
        (*(MembersPage(page, authenticator, terms) for page in pages), Robots()),
    )


def _elsewhere(settings: Settings, context: RouteContext, ingress: Ingress, site: Site) -> list[Page]:
    """Return what other sites and programs show of a site that everyone may read."""
    pages: list[Page] = [EmbedPages(context, ingress, site_name=site.name, theme=site.theme)]
    if _has_feed(settings):
        pages.append(FeedPage(context, ingress, origin=settings.public_origin, site_name=site.name))
    return pages


def _has_feed(settings: Settings) -> bool:
    """Return whether there is a feed: its readers are programs without an account, and it needs its own address."""
    return bool(settings.public_url) and settings.read == "all"


def _unsubscribe(ingress: Ingress, services: Services, settings: Settings) -> UnsubscribePages:
    return UnsubscribePages(
        services.db,
        services.unsubscribe,
        ingress.addresses,
        ingress.limits,
        site_name=settings.site_name,
        sends_mail=settings.sends_mail,
    )


def _metric_sources(ingress: Ingress, services: Services) -> Sources:
    return Sources(
        HttpMetrics(ingress, services.feed, services.live),
        services.desk,
        services.feed,
        services.live,
        services.orders.metrics,
        services.payments.metrics,
        services.webhooks.metrics,
        services.db.metrics,
        "sqlite" if services.db.is_sqlite else "postgresql",
        services.context.public_reads,
    )


#: A site for which nothing was set: `web/src/lib/site.ts` holds the same.
_PLAIN_SITE = Site(
    name=NAME,
    version=__version__,
    sign_up=True,
    invitation_only=False,
    domains=[],
    passwords=True,
    creators="chosen",
    oauth=[],
    email=False,
    image_bytes_max=IMAGE_BYTES_MAX,
    currency=SiteCurrency(**ROUBLES.model_dump()),
)


def _shell_looks(site: Site, *, style: str) -> ShellLooks | None:
    """Return what the client's page brings of the site; None where nothing differs from what the client knows."""
    if site == _PLAIN_SITE:
        return None
    return ShellLooks(site.name, msgspec.json.encode(site), style, site.icon, has_pages=bool(site.pages))


def _has_looks(site: Site) -> bool:
    """Return whether a site looks like no other."""
    named = site.name != Settings.model_fields["site_name"].default
    return named or bool(site.logo or site.icon or site.theme)


def _site(settings: Settings, looks: Looks, files: SiteFiles) -> Site:
    return Site(
        name=settings.site_name,
        version=__version__,
        sign_up=settings.sign_up != "off",
        invitation_only=settings.sign_up == "invite",
        domains=list(settings.email_domains),
        passwords=settings.passwords == "on",
        creators=settings.creators,
        oauth=list(settings.oidc_providers),
        email=settings.sends_mail,
        image_bytes_max=IMAGE_BYTES_MAX,
        logo=files.address(LOGO_PATH),
        icon=files.address(ICON_PATH),
        theme=looks.theme,
        pages=looks.page_names,
        terms=looks.terms_version,
        currency=SiteCurrency(**settings.currency.model_dump()),
    )
