"""Everything that runs while the service serves, created and connected."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from foreknow.kernel.access.callers import Authenticator
from foreknow.kernel.clock import SECOND_MS, Clock
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.settings import Settings
from foreknow.market.assets.providers import open_providers
from foreknow.market.assets.pruning import ObservationPruner
from foreknow.market.assets.refresher import Refresher
from foreknow.market.images import ImageService, open_store
from foreknow.market.images.objects import ImageStore
from foreknow.market.pools.deadlines import earliest_awaited_price
from foreknow.market.series import SeriesOpener
from foreknow.people.alerts import AlertSender, read_channels
from foreknow.people.attention import AttentionAlerts
from foreknow.people.mail import MailSender, open_mail_sender
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.newcomers import Newcomers
from foreknow.people.oauth import OAuthService
from foreknow.people.users import SessionService, UserAuthenticator
from foreknow.people.users.account_mails import AccountMails
from foreknow.people.users.admission import SignUpRules
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.mailed_links import MailedLinks
from foreknow.people.users.password_check import PasswordCheck
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.session_watch import SessionWatch
from foreknow.people.users.tokens import AccessTokens, RefreshTokens, TokenKeys
from foreknow.platform.db.engine import Database
from foreknow.platform.db.instrumented import InstrumentedDatabase
from foreknow.platform.db.public_reads import PublicReads
from foreknow.site.activity import ActivityFollower
from foreknow.site.allowance.service import AllowanceService
from foreknow.site.chat.cookies import ChatCookies
from foreknow.site.chat.hub import ChatHub
from foreknow.site.feed import FeedHub
from foreknow.site.following import FollowingService
from foreknow.site.live import LiveHub
from foreknow.site.looks import read_looks
from foreknow.site.moderation import ReportAlerts
from foreknow.site.own_data import AccountDeletion
from foreknow.site.previews import PreviewService
from foreknow.site.record import RecordFollower
from foreknow.site.webhooks import WebhookSender
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.effects.order_worker import OrderWorker
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.odds import Budget, OddsRounds, OddsRules, ResultFetcher, open_sources
from foreknow.trading.partner.authenticator import PartnerAuthenticator
from foreknow.trading.resolution.service import Resolver
from foreknow.trading.settlement.payments import PaymentService
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PREFIX
from foreknow.web.response_cache import ResponseCache


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the database keeps for all processes: the keys of tokens, cursors of lists, and links in mails."""

    tokens: TokenKeys
    cursors: bytes
    #: See `people/mail/unsubscribing.py`.
    unsubscribe: bytes


class Services:
    """All that runs while the service serves."""

    def __init__(
        self, settings: Settings, clock: Clock, db: InstrumentedDatabase, public_reads: PublicReads, secrets: Secrets
    ) -> None:
        """Make every service and hand it what it needs; nothing runs yet."""
        limited = settings.rate_limits == "on"
        self.db = db
        self.responses = ResponseCache(db, public_reads, clock)
        self.context = RouteContext(db, public_reads, clock, Cursors(secrets.cursors), self.responses, settings.terms)
        self.chat_cookies = ChatCookies(secure=settings.cookies_are_secure)
        access_tokens = AccessTokens(*secrets.tokens.access)
        self.passwords = Passwords(settings.password_cost, limited=limited)
        self.password_check = PasswordCheck(
            db, clock, self.passwords, limit_failures=limited, admins_alone=settings.passwords == "admins"
        )
        self.user_authenticator = UserAuthenticator(db, access_tokens, clock, settings.terms)
        self.partner_authenticator = PartnerAuthenticator(db, clock)
        self.authenticator = _authenticator(self.user_authenticator, self.partner_authenticator)
        self.session_watch = SessionWatch(db, clock)
        self.devices = DeviceCookies(*secrets.tokens.devices, secure=settings.cookies_are_secure)
        self.looks = read_looks(settings.site_dir)
        self.unsubscribe = UnsubscribeLinks(secrets.unsubscribe)
        self.account_mails, self.mails = self._mails(settings, MailedLinks(*secrets.tokens.links))
        self.sessions, self.oauth = self._sign_in(settings, clock, secrets, access_tokens)
        self.image_store = _image_store(settings)
        self.images = ImageService(db, self.image_store, public_url=settings.public_origin)
        self.previews = PreviewService(public_reads, clock, site_name=settings.site_name)
        self.live = LiveHub(db, clock)
        self.feed = FeedHub(db, on_trades=[self.live.wake])
        self.activity = ActivityFollower(db)
        self.following = FollowingService(db)
        self.record = RecordFollower(db)
        self.webhooks = WebhookSender(db, clock, internal_hosts=settings.webhook_hosts)
        on_commit = [
            self.responses.invalidate_pools,
            public_reads.note_pools,
            self.live.note_pools,
            lambda _: self.webhooks.wake(),
        ]
        self.orders = OrderWorker(db, on_piece=on_commit)
        #: To be called with the pools in which a commit traded.
        self.on_trade = [*on_commit, _waking(self.feed, self.activity, self.following)]
        self.desk = TradeDesk(db, on_commit=self.on_trade, on_fill=self.orders.wake)
        self.splits = SplitTurner(db, on_piece=on_commit)
        self.payments = PaymentService(db, on_commit=on_commit)
        self.allowances = AllowanceService(db, settings.allowance, verified_only=settings.asks_for_verification)
        self.alerts = _alert_sender(db, settings)
        self.attention = AttentionAlerts(db, self.alerts)
        self.report_alerts = ReportAlerts(db, self.alerts)
        self.chat = ChatHub(db, clock)
        self.deletion = self._deletion()
        sources = open_sources(settings.odds_sources)
        self.results = ResultFetcher(sources)
        self.odds = OddsRounds(db, sources, _odds_rules(settings), on_move=self.on_trade)
        self.series = SeriesOpener(db, settings.terms)
        self.refresher = Refresher(db, open_providers(settings.asset_providers, settings.rate_providers))
        self.pruner = ObservationPruner(db, needed_from=earliest_awaited_price)
        self.resolver = Resolver(
            db, self.results, round_s=settings.odds_every_s, request_prices=self.refresher.request_prices
        )

    def _deletion(self) -> AccountDeletion:
        return AccountDeletion(
            self.db,
            authenticator=self.user_authenticator,
            check=self.password_check,
            images=self.images,
            on_chat=self.chat.wake,
        )

    def _sign_in(
        self, settings: Settings, clock: Clock, secrets: Secrets, access_tokens: AccessTokens
    ) -> tuple[SessionService, OAuthService]:
        """Make what signs people up and in, with a password and through a provider."""
        rules = self._sign_up_rules(settings)
        sessions = SessionService(
            db=self.db,
            clock=clock,
            authenticator=self.user_authenticator,
            passwords=self.passwords,
            access_tokens=access_tokens,
            refresh_tokens=RefreshTokens(*secrets.tokens.refresh),
            devices=self.devices,
            limit_failures=settings.rate_limits == "on",
            on_sign_in=self.chat_cookies.on_sign_in,
            rules=rules,
            mails=self.account_mails,
            newcomers=_newcomers(settings),
        )
        oauth = OAuthService(
            db=self.db,
            clock=clock,
            authenticator=self.user_authenticator,
            sessions=sessions,
            keys=secrets.tokens.oauth,
            providers=settings.oidc_providers,
            api_url=settings.public_origin + PREFIX,
            secure_cookies=settings.cookies_are_secure,
            rules=rules,
        )
        return sessions, oauth

    def _sign_up_rules(self, settings: Settings) -> SignUpRules:
        return SignUpRules.of(settings, terms_version=self.looks.terms_version)

    def _mails(self, settings: Settings, links: MailedLinks) -> tuple[AccountMails, MailSender]:
        account_mails = AccountMails(
            links,
            self._sign_up_rules(settings),
            _newcomers(settings),
            is_on=settings.sends_mail,
            is_required=settings.asks_for_verification,
        )
        return account_mails, open_mail_sender(self.db, settings, links, self.unsubscribe)

    async def start(self) -> None:
        """Start what runs in the background."""
        await self.images.start()
        await self.mails.note_settings()
        await self.allowances.prepare()
        await self.following.prepare()
        for service in (
            self.activity,
            self.following,
            self.record,
            self.feed,
            self.live,
            self.desk,
            self.orders,
            self.splits,
            self.payments,
            self.allowances,
            self.alerts,
            self.attention,
            self.report_alerts,
            self.mails,
            self.webhooks,
            self.chat,
            self.session_watch,
            self.deletion,
            self.refresher,
            self.pruner,
            self.resolver,
            self.odds,
            self.series,
        ):
            service.start()

    async def stop(self) -> None:
        """Finish what is under way; call it before the database closes."""
        services = (
            self.deletion,
            self.desk,
            self.orders,
            self.splits,
            self.payments,
            self.allowances,
            self.live,
            self.following,
            self.record,
            self.activity,
            self.feed,
            self.chat,
            self.session_watch,
            self.webhooks,
            self.attention,
            self.report_alerts,
            self.mails,
            self.alerts,
            self.resolver,
            self.results,
            self.refresher,
            self.pruner,
            self.odds,
            self.series,
            self.images,
            self.previews,
            self.oauth,
            self.passwords,
            self.partner_authenticator,
            self.user_authenticator,
        )
        async with contextlib.AsyncExitStack() as stack:
            # From the last entered to the first, and each whatever the others raise.
            for service in reversed(services):
                stack.push_async_callback(service.stop)


def _authenticator(users: UserAuthenticator, partners: PartnerAuthenticator) -> Authenticator:
    return Authenticator(users.check, partners.check, users.known, partners.known)


class _Sleeper(Protocol):
    def wake(self) -> None: ...


def _waking(*sleepers: _Sleeper) -> Callable[[Collection[int]], None]:
    """Return what wakes all of these after a commit in some pools."""

    def wake(_pool_ids: Collection[int]) -> None:
        for one in sleepers:
            one.wake()

    return wake


def _newcomers(settings: Settings) -> Newcomers:
    return Newcomers(
        welcome_kopecks=settings.sign_up_kopecks,
        per_network=settings.grants_per_address,
        verified_only=settings.asks_for_verification,
    )


def _image_store(settings: Settings) -> ImageStore:
    options = {name: value.get_secret_value() for name, value in settings.image_store_options.items()}
    return open_store(settings.image_store_url, options, data_dir=settings.data_dir)


def _alert_sender(db: Database, settings: Settings) -> AlertSender:
    return AlertSender(
        db,
        read_channels(settings.support_alert_urls.get_secret_value()),
        read_channels(settings.operator_alert_urls.get_secret_value(), setting="FOREKNOW_OPERATOR_ALERT_URLS"),
    )


def _odds_rules(settings: Settings) -> OddsRules:
    return OddsRules(
        every_ms=settings.odds_every_s * SECOND_MS,
        stale_ms=settings.odds_stale_s * SECOND_MS,
        trader_name=settings.odds_name,
        budget=Budget(
            step_kopecks=settings.odds_step_kopecks,
            pool_kopecks=settings.odds_budget_kopecks,
            day_kopecks=settings.odds_day_limit_kopecks,
        ),
        terms=settings.terms,
    )
