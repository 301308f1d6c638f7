"""Everything that runs while the service serves, created and connected."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, TypeVar

from foreknow.kernel.access.callers import Authenticator
from foreknow.kernel.clock import SECOND_MS, Clock
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.settings import Settings
from foreknow.market.assets.observations import ObservationPruner
from foreknow.market.assets.providers import open_providers
from foreknow.market.assets.refresher import Refresher
from foreknow.market.images import ImageService, open_store
from foreknow.market.images.objects import ImageStore
from foreknow.market.pools.deadlines import earliest_awaited_price
from foreknow.market.series import SeriesOpener
from foreknow.people.alerts import AlertSender, channels_of
from foreknow.people.attention import AttentionAlerts
from foreknow.people.invitations.expiry import InvitationExpiry
from foreknow.people.mail import MailSender, open_mail_sender
from foreknow.people.mail.unsubscribing import UnsubscribeLinks
from foreknow.people.newcomers import Newcomers
from foreknow.people.oauth import OAuthService
from foreknow.people.users import SessionService, UserAuthenticator
from foreknow.people.users.account_mails import AccountMails
from foreknow.people.users.admission import Admissions
from foreknow.people.users.devices import DeviceCookies
from foreknow.people.users.mailed_links import MailedLinks
from foreknow.people.users.password_check import PasswordCheck
from foreknow.people.users.passwords import Passwords
from foreknow.people.users.session_watch import SessionWatch
from foreknow.people.users.tokens import AccessTokens, RefreshTokens, TokenKeys
from foreknow.platform.db.engine import Database
from foreknow.platform.db.instrumented import InstrumentedDatabase
from foreknow.platform.db.public_reads import PublicReads
from foreknow.platform.settings import LiveSettings
from foreknow.site.activity import ActivityFollower
from foreknow.site.admin.members import MemberInvitations
from foreknow.site.allowance.service import AllowanceService
from foreknow.site.chat.cookies import ChatCookies
from foreknow.site.chat.hub import ChatHub
from foreknow.site.comments import store as comments
from foreknow.site.elsewhere import FeedIds
from foreknow.site.feed import FeedHub
from foreknow.site.following import FollowingService
from foreknow.site.forecast_scores import ScoreFollower
from foreknow.site.forecasts import CrowdFollower
from foreknow.site.live import LiveHub
from foreknow.site.looks import LiveLooks, read_looks
from foreknow.site.moderation import ReportAlerts
from foreknow.site.own_data import AccountDeletion
from foreknow.site.previews import Brand, PreviewService
from foreknow.site.record import RecordFollower
from foreknow.site.webhooks import WebhookSender
from foreknow.site.worth import WorthFollower
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.effects.order_worker import OrderWorker
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.odds import Budget, OddsRounds, OddsRules, ResultFetcher, open_sources
from foreknow.trading.partner.keys import PartnerAuthenticator
from foreknow.trading.resolution.overdue import OverduePools
from foreknow.trading.resolution.service import Resolver
from foreknow.trading.settlement.notifying import HolderNotifier
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
    #: See `site/elsewhere/feed.py`.
    feed: bytes


class _Ending(Protocol):
    async def stop(self) -> None: ...


class _Running(_Ending, Protocol):
    def start(self) -> None: ...


_Ends = TypeVar("_Ends", bound=_Ending)
_Runs = TypeVar("_Runs", bound=_Running)


class Services:
    """All that runs while the service serves."""

    def __init__(
        self, live: LiveSettings, clock: Clock, db: InstrumentedDatabase, public_reads: PublicReads, secrets: Secrets
    ) -> None:
        """Make every service and hand it what it needs; nothing runs yet."""
        #: What is started and what is stopped, in the order in which it was made.
        self._starting: list[_Running] = []
        self._ending: list[_Ending] = []
        settings, self.db = live.given, db
        self.responses = ResponseCache(db, public_reads, clock)
        self.context = RouteContext(db, public_reads, clock, Cursors(secrets.cursors), self.responses, live)
        self.looks = self._ends(LiveLooks(db, read_looks(settings.site_dir)))
        self.chat_cookies = ChatCookies(secure=settings.cookies_are_secure)
        access_tokens = AccessTokens(*secrets.tokens.access)
        self.user_authenticator = self._ends(UserAuthenticator(db, access_tokens, clock, live))
        self.partner_authenticator = self._ends(PartnerAuthenticator(db, clock))
        self.authenticator = _authenticator(self.user_authenticator, self.partner_authenticator)
        self.passwords = self._ends(Passwords(settings.password_cost, limited=settings.rate_limits == "on"))
        self.password_check = self._password_check(settings, clock)
        self.devices = DeviceCookies(*secrets.tokens.devices, secure=settings.cookies_are_secure)
        self.unsubscribe = UnsubscribeLinks(secrets.unsubscribe)
        self.feed_ids = FeedIds(secrets.feed)
        self.account_mails, self.mails, self.members = self._mails(live, MailedLinks(*secrets.tokens.links))
        self.sessions, self.oauth = self._sign_in(live, clock, secrets, access_tokens)
        self.image_store = _image_store(settings)
        self.images = self._runs(ImageService(db, self.image_store, public_url=settings.public_origin))
        self.previews = self._ends(PreviewService(public_reads, clock, live, brand=self._brand))
        self.series = self._runs(SeriesOpener(db, live))
        self.pruner = self._runs(ObservationPruner(db, needed_from=earliest_awaited_price))
        self.refresher = self._runs(_refresher(db, settings))
        sources = open_sources(settings.odds_sources)
        self.results = self._ends(ResultFetcher(sources))
        self.resolver, self.overdue = self._runs(self._resolver(settings)), self._runs(OverduePools(db))
        self.alerts = self._runs(_alert_sender(db, settings))
        self.attention = self._runs(AttentionAlerts(db, self.alerts))
        self.report_alerts = self._runs(ReportAlerts(db, self.alerts))
        self.session_watch = self._runs(SessionWatch(db, clock))
        self.chat = self._runs(ChatHub(db, clock))
        self.webhooks = self._runs(WebhookSender(db, clock, internal_hosts=settings.webhook_hosts))
        self.live = self._runs(LiveHub(db, clock))
        self.feed = self._runs(FeedHub(db, on_trades=[self.live.wake]))
        self.activity = self._runs(ActivityFollower(db))
        self.following = self._runs(FollowingService(db))
        self.worth, self.crowds = self._runs(WorthFollower(db)), self._runs(CrowdFollower(db))
        self.record, self.forecast_scores = self._runs(RecordFollower(db)), self._runs(ScoreFollower(db, live))
        on_commit = [
            *(self.responses.invalidate_pools, public_reads.note_pools, self.live.note_pools),
            _waking(self.webhooks),
        ]
        #: To be called with the pools in which a commit traded.
        self.on_trade = [*on_commit, _waking(self.feed, self.activity, self.following)]
        # What trades and pays ends before all that shows it.
        self.odds = self._runs(OddsRounds(db, sources, _odds_rules(live), on_move=self.on_trade))
        self.allowances = self._runs(AllowanceService(db, live))
        self.payments = self._runs(PaymentService(db, on_commit=on_commit))
        self.holder_notices = self._runs(HolderNotifier(db))
        self.splits = self._runs(SplitTurner(db, on_piece=on_commit))
        self.orders = self._runs(OrderWorker(db, on_piece=on_commit))
        self.desk = self._runs(TradeDesk(db, live, on_commit=self.on_trade, on_fill=self.orders.wake))
        self.deletion = self._runs(self._deletion())

    def _runs(self, service: _Runs) -> _Runs:
        """Start this with the others, and stop it before all that was made before it."""
        self._starting.append(service)
        return self._ends(service)

    def _ends(self, service: _Ends) -> _Ends:
        """Stop this before all that was made before it."""
        self._ending.append(service)
        return service

    def _password_check(self, settings: Settings, clock: Clock) -> PasswordCheck:
        return PasswordCheck(
            self.db,
            clock,
            self.passwords,
            limit_failures=settings.rate_limits == "on",
            admins_alone=settings.passwords == "admins",
        )

    def _resolver(self, settings: Settings) -> Resolver:
        return Resolver(
            self.db, self.results, round_s=settings.odds_every_s, request_prices=self.refresher.request_prices
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
        self, live: LiveSettings, clock: Clock, secrets: Secrets, access_tokens: AccessTokens
    ) -> tuple[SessionService, OAuthService]:
        """Make what signs people up and in, with a password and through a provider."""
        settings, admissions = live.given, self._admissions(live)
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
            admissions=admissions,
            passwords_of_all=settings.passwords == "on",
            mails=self.account_mails,
            newcomers=Newcomers(live),
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
            admissions=admissions,
        )
        return sessions, self._ends(oauth)

    def _mails(self, live: LiveSettings, links: MailedLinks) -> tuple[AccountMails, MailSender, MemberInvitations]:
        admissions = self._admissions(live)
        account_mails = AccountMails(links, live, admissions, Newcomers(live))
        sender = self._runs(
            open_mail_sender(
                self.db, live, links, self.unsubscribe, comments.unread_among, theme=lambda: self.looks.now.theme
            )
        )
        self._runs(InvitationExpiry(self.db))
        sends_mail = live.given.sends_mail
        members = MemberInvitations(self.db, admissions, self.unsubscribe.invitations, sends_mail=sends_mail)
        return account_mails, sender, members

    def _admissions(self, live: LiveSettings) -> Admissions:
        return Admissions(live, terms_of_folder=self.looks.folder.terms_version)

    def _brand(self) -> Brand:
        return Brand(self.looks.mark, self.looks.now.theme)

    async def start(self) -> None:
        """Start what runs in the background."""
        await self.images.prepare()
        await self.mails.note_settings()
        await self.allowances.prepare()
        await self.following.prepare()
        for service in self._starting:
            service.start()

    def forget_settings(self) -> None:
        """Forget what is kept of what the settings were."""
        self.user_authenticator.forget()
        self.previews.forget()

    async def stop(self) -> None:
        """Finish what is under way; call it before the database closes."""
        async with contextlib.AsyncExitStack() as stack:
            # From the last entered to the first, and each whatever the others raise.
            for service in self._ending:
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


def _refresher(db: Database, settings: Settings) -> Refresher:
    return Refresher(db, open_providers(settings.asset_providers, settings.rate_providers))


def _image_store(settings: Settings) -> ImageStore:
    options = {name: value.get_secret_value() for name, value in settings.image_store_options.items()}
    return open_store(settings.image_store_url, options, data_dir=settings.data_dir)


def _alert_sender(db: Database, settings: Settings) -> AlertSender:
    return AlertSender(db, *channels_of(settings), public_url=settings.public_origin)


def _odds_rules(live: LiveSettings) -> OddsRules:
    settings = live.given
    return OddsRules(
        every_ms=settings.odds_every_s * SECOND_MS,
        stale_ms=settings.odds_stale_s * SECOND_MS,
        trader_name=settings.odds_name,
        budget=Budget(
            step_kopecks=settings.odds_step_kopecks,
            pool_kopecks=settings.odds_budget_kopecks,
            day_kopecks=settings.odds_day_limit_kopecks,
        ),
        settings=live,
    )
