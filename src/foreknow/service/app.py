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
from foreknow.service.front import Front
from foreknow.service.metrics import WorkerSocket
from foreknow.service.sending import guard_of
from foreknow.service.services import Secrets, Services
from foreknow.site.chat.routes import CHAT, OPERATOR_CALLS
from foreknow.site.comments.routes import COMMENTS
from foreknow.site.webhooks.own_routes import WEBHOOKS
from foreknow.trading.entry.order_routes import ORDERS
from foreknow.trading.entry.routes import TRADING
from foreknow.web.context import RouteContext
from foreknow.web.direct import DirectRequest, Rest
from foreknow.web.endpoint import PREFIX, RateLimitGroup
from foreknow.web.ingress import open_ingress

log = structlog.get_logger("foreknow.app")


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
        sending = SendingWatch(self.db, guard_of(self.settings))
        # Before anything is written: ids leap in a database that was restored.
        await sending.look()
        self._closing.push_async_callback(sending.stop)
        cursors = await self.db.write(lambda tx: shared_secret(tx, "cursors"))
        unsubscribe = await self.db.write(lambda tx: shared_secret(tx, unsubscribing.KEY_NAME))
        token_secret = self.settings.token_secret.get_secret_value()
        fallback = self.settings.token_secret_fallback.get_secret_value()
        tokens = await self.db.write(lambda tx: TokenKeys.shared(tx, token_secret, fallback))
        await self.db.write(lambda tx: ensure_first_admin(tx, self.settings, at_ms=now_ms(tx)))
        services = Services(
            self.settings, self.clock, self.db, self.public_reads, Secrets(tokens, cursors, unsubscribe)
        )
        front = Front(
            self.settings,
            self.ingress,
            services,
            is_leaving=lambda: self.leaving,
            more=self._more,
            worker=self._worker,
        )
        self._closing.push_async_callback(front.scraper.stop)
        self._closing.push_async_callback(services.stop)
        await services.start()
        front.scraper.start()
        sending.start()
        self._running = services, front

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if scope["type"] == "http":
            page = None if scope["path"].startswith(PREFIX) else self.front.page(scope)
            if page is None:
                await self.front.pipeline(scope, receive, send)
            else:
                await self.ingress.page(page, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._lifespan(receive, send)

    def answer(self, request: DirectRequest) -> Rest:
        """Answer an HTTP request of a server that takes finished responses; return what is left to do."""
        return self.front.pipeline.answer(request) if request.scope["path"].startswith(PREFIX) else self

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
