"""What requests reach: endpoints, sockets and pages, created from the running services."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import structlog
from starlette.types import ASGIApp, Scope

from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.errors import BadRequest, DomainError, Unauthorized, Unavailable
from foreknow.kernel.hosts import is_host
from foreknow.kernel.settings import Settings
from foreknow.market.assets.routes import AssetRoutes
from foreknow.market.editing import EditingRoutes
from foreknow.market.events.liquidity_routes import LiquidityRoutes
from foreknow.market.events.routes import EventRoutes
from foreknow.market.images import ImageRoutes, StoredImages
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
from foreknow.service.metrics import MetricsPage, Scraper
from foreknow.service.sending import guard_of
from foreknow.service.services import Services
from foreknow.service.site_view import has_looks, shell_looks, site_of
from foreknow.site.activity.routes import ActivityRoutes
from foreknow.site.admin.first_hour_routes import FirstHourRoutes
from foreknow.site.admin.invitation_routes import InvitationRoutes
from foreknow.site.admin.partner_routes import AdminPartnerRoutes
from foreknow.site.admin.upkeep_routes import UpkeepRoutes
from foreknow.site.admin.user_routes import AdminRoutes
from foreknow.site.allowance.routes import AllowanceRoutes
from foreknow.site.cards.page_routes import PageRoutes
from foreknow.site.cards.routes import CardRoutes
from foreknow.site.chat.operator_routes import OperatorRoutes
from foreknow.site.chat.routes import ChatRoutes
from foreknow.site.clarifications.routes import ClarificationRoutes
from foreknow.site.client import NAME, ShellLooks, WebClient, load_client
from foreknow.site.comments.routes import CommentRoutes
from foreknow.site.elsewhere import EmbedPages, FeedIds, FeedPage, feed_links
from foreknow.site.feed.socket import FeedSocket
from foreknow.site.following.routes import AlertRoutes, FollowRoutes
from foreknow.site.forecast_scores.store import scores_of
from foreknow.site.forecasts.routes import ForecastRoutes
from foreknow.site.live.socket import LiveSocket
from foreknow.site.looks import Looks, LooksRoutes, SiteFiles, SitePageRoutes, style_address
from foreknow.site.moderation.routes import ModerationRoutes
from foreknow.site.own_data.routes import OwnDataRoutes
from foreknow.site.portfolio.own_routes import OwnPortfolioRoutes
from foreknow.site.portfolio.routes import PortfolioRoutes
from foreknow.site.previews import PreviewPages
from foreknow.site.profiles.routes import ProfileRoutes
from foreknow.site.record.routes import RecordRoutes
from foreknow.site.settings.routes import SettingsRoutes
from foreknow.site.webhooks.own_routes import PartnerWebhookRoutes
from foreknow.site.webhooks.routes import WebhookRoutes
from foreknow.trading.desk.sweeps import sweep_pool
from foreknow.trading.entry.basket_routes import BasketRoutes, PartnerBasketRoutes
from foreknow.trading.entry.bet_routes import BetRoutes, PartnerBetRoutes
from foreknow.trading.entry.book_routes import BookRoutes
from foreknow.trading.entry.order_routes import OrderRoutes, PartnerOrderRoutes
from foreknow.trading.history.routes import TradeHistoryRoutes
from foreknow.trading.lists.routes import ListRoutes
from foreknow.trading.odds.routes import OddsRoutes
from foreknow.trading.partner.routes import PartnerRoutes
from foreknow.trading.settlement.objection_routes import ObjectionRoutes
from foreknow.trading.settlement.routes import SettlementRoutes
from foreknow.trading.statement.routes import StatementRoutes
from foreknow.web.context import RouteContext
from foreknow.web.docs import Docs
from foreknow.web.endpoint import endpoints_of
from foreknow.web.health import HealthRoutes
from foreknow.web.ingress import Ingress
from foreknow.web.members import MembersPage, MembersSocket, OfMember, Page, Robots, for_members, member_sockets
from foreknow.web.openapi import SocketPath
from foreknow.web.origins import origin_of
from foreknow.web.pipeline import Pipeline
from foreknow.web.routing import Routes, SocketApplication
from foreknow.web.site import Site, SiteRoutes

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
        scraper: Scraper,
        is_leaving: Callable[[], bool],
        on_settings: Callable[[], None],
        look_again: Callable[[], Awaitable[Looks]],
        more: Sequence[Callable[[RouteContext], object]],
        is_blind: bool = False,
    ) -> None:
        """Make the routes of `services`, and those that `more` makes, as `settings` have them; others need another.

        `on_settings` is called after a change of them or of the looks here; `look_again` looks for one that another
        server has seen, and returns the looks. `is_blind`: strangers get 503, since they may be barred.
        """
        self._settings = settings
        #: Whether strangers read nothing.
        self.is_closed = is_blind or settings.read == "members"
        context, looks = services.context, services.looks.now
        files = SiteFiles(looks, look_again=look_again)
        site = site_of(settings, looks)
        routes: list[object] = [
            HealthRoutes(context, is_leaving=is_leaving),
            SiteRoutes(site),
            SitePageRoutes(services.looks, first_language=settings.offered_languages[0]),
            *self._user_routes(services),
            *self._market_routes(services),
            *self._talk_routes(services),
            *self._admin_routes(services),
            *self._site_routes(services, site, on_settings=on_settings),
            *(make(context) for make in more),
        ]
        endpoints = [endpoint for each in routes for endpoint in endpoints_of(each)]
        own_origin = origin_of(settings.public_url) if settings.public_url else None
        sockets, pages = self._open_parts(services, ingress, site, own_origin=own_origin)
        if self.is_closed:
            error_class = Unavailable if is_blind else Unauthorized
            endpoints = [for_members(endpoint, Unavailable if is_blind else None) for endpoint in endpoints]
            sockets, pages = _for_members(sockets, pages, services, ingress, error_class, own_origin=own_origin)
        if settings.read == "members":
            pages = (*pages, Robots())
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
        metrics = _metrics_page(scraper, settings)
        shell = shell_looks(site, creators_trade=settings.creators_trade == "on", style=style_address(looks))
        self._client = self._web_client(context, ingress, shell)
        docs = Docs(endpoints, [TRADE_FEED, LIVE_UPDATES], GROUPS, is_home=self._client is None)
        #: Those of a site for members too, but what `pages` wants a session for.
        self.pages: tuple[Page, ...] = (docs, files, _unsubscribe(ingress, services, settings, site), *pages, metrics)

    def _open_parts(
        self, services: Services, ingress: Ingress, site: Site, *, own_origin: str | None
    ) -> tuple[Sockets, tuple[Page, ...]]:
        """Return sockets and pages as a site has them that everyone may read."""
        live = LiveSocket(services.live, services.authenticator, _of_member(services, ingress), own_origin=own_origin)
        sockets: Sockets = [(TRADE_FEED.path, FeedSocket(services.feed)), (LIVE_UPDATES.path, live)]
        # Before the images: its addresses lie among theirs.
        previews = PreviewPages(
            services.previews, ingress.addresses, first_language=self._settings.offered_languages[0]
        )
        pages: tuple[Page, ...] = (previews, StoredImages(services.image_store, services.images.make_sizes))
        if self._settings.read == "all":
            pages = (*pages, *_elsewhere(self._settings, services.context, ingress, site, services.feed_ids))
        return sockets, pages

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
        return WebClient(
            built,
            context,
            ingress,
            origin_of=self._origin_of,
            shows_events=not self.is_closed,
            shows_pages=looks is not None and looks.has_pages,
        )

    def _site_routes(self, services: Services, site: Site, *, on_settings: Callable[[], None]) -> list[object]:
        """Return how admins change the site, its events' images and the prices of assets."""
        context = services.context
        return [
            SettingsRoutes(context, on_change=on_settings),
            LooksRoutes(context, services.looks, on_change=on_settings),
            FirstHourRoutes(context, has_looks=has_looks(site)),
            ImageRoutes(services.images, context),
            AssetRoutes(context, hold_ms=self._settings.admin_price_hours * HOUR_MS),
        ]

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
            ProfileRoutes(context),
            LiquidityRoutes(context, sweep=sweep_pool, on_sweep=services.on_trade),
            EditingRoutes(context),
            SeriesRoutes(context),
            PoolRoutes(context),
            MarketRoutes(context),
            ChartRoutes(context),
            SettlementRoutes(context, services.payments),
            ObjectionRoutes(context, services.payments),
            ListRoutes(context, services.splits, on_split=services.on_trade),
            OddsRoutes(context, sources=settings.odds_sources, stale_ms=stale_ms),
            BetRoutes(context, services.desk),
            OrderRoutes(context, services.desk),
            BasketRoutes(context, services.desk),
            BookRoutes(context),
            TradeHistoryRoutes(context),
            PortfolioRoutes(context),
            OwnPortfolioRoutes(context),
            AllowanceRoutes(context, settings.granted_allowance),
            PartnerBetRoutes(context, services.desk),
            PartnerOrderRoutes(context, services.desk),
            PartnerBasketRoutes(context, services.desk),
            PartnerRoutes(context),
            StatementRoutes(context),
        ]

    def _admin_routes(self, services: Services) -> list[object]:
        context, settings = services.context, self._settings
        return [
            AdminRoutes(context, services.user_authenticator, services.members, public_url=settings.public_origin),
            InvitationRoutes(context, public_url=settings.public_origin, welcome_kopecks=settings.welcome_kopecks),
            AdminPartnerRoutes(context, services.partner_authenticator),
            UpkeepRoutes(context, guard_of(settings), is_trial=settings.trial == "on"),
            WebhookRoutes(context, services.webhooks, internal_hosts=settings.webhook_hosts),
            PartnerWebhookRoutes(context, services.webhooks, internal_hosts=settings.webhook_hosts),
        ]

    def _talk_routes(self, services: Services) -> list[object]:
        context = services.context
        return [
            CommentRoutes(context),
            ForecastRoutes(context, earned_in=scores_of),
            ClarificationRoutes(context),
            ModerationRoutes(context, services.user_authenticator),
            ChatRoutes(context, services.chat, services.alerts, services.chat_cookies),
            OperatorRoutes(context, services.chat),
            NotificationRoutes(context, currency=self._settings.shown_currency),
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


def _of_member(services: Services, ingress: Ingress) -> OfMember:
    return member_sockets(ingress.sockets, services.session_watch.follow, services.context.terms)


def _for_members(
    sockets: Sockets,
    pages: Sequence[Page],
    services: Services,
    ingress: Ingress,
    error_class: type[DomainError],
    *,
    own_origin: str | None,
) -> tuple[Sockets, tuple[Page, ...]]:
    """Return sockets and pages as a site has them that only members may read."""
    authenticator, terms, of_member = services.authenticator, services.context.terms, _of_member(services, ingress)
    of_site = partial(MembersSocket, authenticator=authenticator, of_member=of_member, terms=terms)
    wrap = partial(of_site, own_origin=own_origin, error_class=error_class)
    return (
        [(path, wrap(socket)) for path, socket in sockets],
        tuple(MembersPage(page, authenticator, terms, error_class) for page in pages),
    )


def _elsewhere(
    settings: Settings, context: RouteContext, ingress: Ingress, site: Site, feed_ids: FeedIds
) -> list[Page]:
    """Return what other sites and programs show of a site that everyone may read."""
    first = settings.offered_languages[0]
    pages: list[Page] = [EmbedPages(context, ingress, site_name=site.name, theme=site.theme, first_language=first)]
    if _has_feed(settings):
        pages.append(
            FeedPage(context, ingress, feed_ids, origin=settings.public_origin, site=site, first_language=first)
        )
    return pages


def _has_feed(settings: Settings) -> bool:
    """Return whether there is a feed: its readers are programs without an account, and it needs its own address."""
    return bool(settings.public_url) and settings.read == "all"


def _unsubscribe(ingress: Ingress, services: Services, settings: Settings, site: Site) -> UnsubscribePages:
    return UnsubscribePages(
        services.db,
        services.unsubscribe,
        ingress.addresses,
        ingress.limits,
        site_name=site.name,
        theme=site.theme,
        sends_mail=settings.sends_mail,
        spoken=settings.spoken,
    )


def _metrics_page(scraper: Scraper, settings: Settings) -> MetricsPage:
    token = settings.metrics_token.get_secret_value()
    return MetricsPage(scraper, token=token, is_public=bool(settings.public_url))
