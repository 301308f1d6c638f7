"""The composition root: creates every part and passes it what it needs. No feature creates another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from starlette.types import Receive, Scope, Send

from foreknow.kernel.clock import Clock, system_clock, use_test_clock
from foreknow.kernel.errors import BadRequest, NotFound
from foreknow.kernel.private_files import close_folder
from foreknow.kernel.settings import Settings
from foreknow.market.images.routes import AVATARS
from foreknow.people.mail import unsubscribing
from foreknow.people.users import ensure_first_admin
from foreknow.people.users.routes import SIGN_IN, SIGN_UP
from foreknow.people.users.tokens import TokenKeys
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.instrumented import InstrumentedDatabase
from foreknow.platform.db.replica_reads import open_public_reads
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.sending import SendingWatch
from foreknow.platform.settings import LiveSettings, SettingsWatch, store
from foreknow.service.front import Front
from foreknow.service.metrics import Scraper, Sources, WorkerSocket
from foreknow.service.metrics.http import HttpMetrics
from foreknow.service.sending import guard_of
from foreknow.service.services import Secrets, Services
from foreknow.service.serving.order_door import OrderDoor
from foreknow.site.chat.routes import CHAT, OPERATOR_CALLS
from foreknow.site.comments.routes import COMMENTS
from foreknow.site.elsewhere import FEED_IDS
from foreknow.site.looks import Looks
from foreknow.site.webhooks.own_routes import WEBHOOKS
from foreknow.trading.entry.order_routes import ORDERS
from foreknow.trading.entry.routes import TRADING
from foreknow.web.context import RouteContext
from foreknow.web.cross_origin import CrossOrigin
from foreknow.web.direct import DirectRequest, Rest
from foreknow.web.endpoint import PREFIX, RateLimitGroup
from foreknow.web.ingress import Ingress, open_ingress

log = structlog.get_logger("foreknow.app")

#: Longest wait for a file of the site's looks that a page was given the address of, seconds.
NAMED_S = 5.0


class App:
    """The service as an ASGI application. `start` before the first request; the ASGI lifespan does it too."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = system_clock,
        database_clock: Clock | None = None,
        more: Sequence[Callable[[RouteContext], object]] = (),
        worker: WorkerSocket | None = None,
    ) -> None:
        """Create an application, to be started. The database must have been migrated.

        `worker`: this process is one of several that share an address, and shows the metrics of all of them.

        For tests and benchmarks: `database_clock` decides the time of writes instead of the database, `more` adds
        endpoints.
        """
        self._more = tuple(more)
        self._worker = worker
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
        #: None where pages of other sites may not use the API.
        self.cross_origin: CrossOrigin | None = None
        #: None until orders are taken.
        self.order_door: OrderDoor | None = None
        #: The settings as they count now.
        self.live = LiveSettings(settings)
        self._watch = SettingsWatch(self.db, self.live, read_looks=self._read_looks, on_change=self._on_settings)
        self._services: Services | None = None
        self._scraper: Scraper | None = None
        self._front: Front | None = None
        #: While this process cannot look who may read.
        self._blind_front: Front | None = None
        #: What to stop, from the last to the first, each whatever the others raise.
        self._closing = contextlib.AsyncExitStack()
        self._closing.push_async_callback(self.db.close)
        self._closing.push_async_callback(self.public_reads.stop)

    @property
    def services(self) -> Services:
        """What runs, from `start` on."""
        assert self._services is not None, "the application has not been started"
        return self._services

    @property
    def front(self) -> Front:
        """What requests reach, from `start` on."""
        if self.live.is_blind:
            if self._blind_front is None:
                self._blind_front = self._make_front(is_blind=True)
            return self._blind_front
        assert self._front is not None, "the application has not been started"
        return self._front

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
        sending = SendingWatch(self.db, guard_of(self.settings))
        # Before anything is written: ids leap in a database that was restored.
        await sending.look()
        self._closing.push_async_callback(sending.stop)
        cursors = await self.db.write(lambda tx: shared_secret(tx, "cursors"))
        unsubscribe = await self.db.write(lambda tx: shared_secret(tx, unsubscribing.KEY_NAME))
        feed = await self.db.write(lambda tx: shared_secret(tx, FEED_IDS))
        token_secret = self.settings.token_secret.get_secret_value()
        fallback = self.settings.token_secret_fallback.get_secret_value()
        tokens = await self.db.write(lambda tx: TokenKeys.shared(tx, token_secret, fallback))
        await self.db.write(lambda tx: ensure_first_admin(tx, self.settings, at_ms=now_ms(tx)))
        found = await self.db.read(store.find)
        self.live.take(found)
        self.live.looks_version = found.looks_version
        services = self._services = Services(
            self.live, self.clock, self.db, self.public_reads, Secrets(tokens, cursors, unsubscribe, feed)
        )
        await services.looks.prepare()
        scraper = self._scraper = Scraper(_metric_sources(self.ingress, services), self.db, worker=self._worker)
        self._open_front()
        self._closing.push_async_callback(scraper.stop)
        self._closing.push_async_callback(services.stop)
        self._closing.push_async_callback(self._watch.stop)
        await services.start()
        self.order_door = OrderDoor(services.desk.refuses_all, self.ingress.request_log.count_unread, self._get_cors)
        scraper.start()
        self._watch.start()
        sending.start()

    async def look_at_settings(self) -> None:
        """Let what the site has set count now, as it does by itself within a second."""
        await self._watch.look()

    def _make_front(self, *, is_blind: bool = False) -> Front:
        assert self._scraper is not None
        return Front(
            self.live.now,
            self.ingress,
            self.services,
            scraper=self._scraper,
            is_leaving=lambda: self.leaving,
            on_settings=self._watch.wake,
            look_again=self._look_again,
            more=self._more,
            is_blind=is_blind,
        )

    def _get_cors(self) -> CrossOrigin | None:
        return self.cross_origin

    async def _read_looks(self) -> None:
        await self.services.looks.read()

    async def _look_again(self) -> Looks:
        await self._watch.look_soon(NAMED_S)
        return self.services.looks.now

    def _open_front(self) -> None:
        """Let requests from now on find the site as its settings have it."""
        cors = self.live.now.cors
        self._front, self._blind_front = self._make_front(), None
        self.ingress.sockets.let_strangers(read=not self._front.is_closed)
        self.cross_origin = CrossOrigin(self._api, self.ingress, cors) if cors else None

    def _on_settings(self) -> None:
        assert self._front is not None
        self._open_front()
        self.services.forget_settings()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if self.live.is_blind:
            await self._watch.look_soon()
        if scope["type"] == "http":
            page = None if scope["path"].startswith(PREFIX) else self.front.page(scope)
            if page is None:
                await (self.cross_origin or self._api)(scope, receive, send)
            else:
                await self.ingress.page(page, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    def answer(self, request: DirectRequest) -> Rest:
        """Answer an HTTP request of a server that takes finished responses; return what is left to do."""
        # One look at the clock: the blind go the long way, where they look again first.
        if self.cross_origin is not None or not request.scope["path"].startswith(PREFIX) or self.live.is_blind:
            return self
        assert self._front is not None
        return self._front.pipeline.answer(request)

    async def _api(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.front.pipeline(scope, receive, send)

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
        SIGN_UP: settings.limit_sign_up,
        AVATARS: settings.limit_avatars,
        TRADING: settings.limit_trading,
        ORDERS: settings.limit_orders,
        CHAT: settings.limit_chat,
        OPERATOR_CALLS: settings.limit_call_operator,
        COMMENTS: settings.limit_comments,
        WEBHOOKS: settings.limit_webhooks,
    }


def _metric_sources(ingress: Ingress, services: Services) -> Sources:
    """Return what the metrics count."""
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
