"""Wake-ups between processes: on PostgreSQL by LISTEN and NOTIFY on connections of their own, on SQLite none.

A NOTIFY inside a trade's transaction would make all commits of the database wait for one another, so it is sent after
the commit, from here. Wake-ups carry nothing and may be lost or come twice: a worker that is woken reads the tables,
and does so twice a second anyway. On SQLite, that is how other processes notice a commit.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import asyncpg
import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.platform.db.engine import Database
from foreknow.platform.db.postgres.connections import connect, postgres_url

log = structlog.get_logger("foreknow.feed")

RECONNECT_S = 0.2
#: A wake-up that takes longer to send is given up with its connection.
SEND_TIMEOUT_S = 10.0
#: Pause after an unexpected failure.
PAUSE_S = 1.0
#: Pauses before listening again.
RELISTEN = BackOff(first_ms=200, most_ms=2_000)
#: Interval of checks of the connection that listens, and the time limit of each.
CHECK_S = 2.0
#: At most one wake-up a channel in this time.
PACE_S = 0.01
#: How asyncpg says that a connection is lost or not to be had; the third where it dies between two answers.
_LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


class Notifications(Protocol):
    """Sends and receives wake-ups on named channels."""

    def start(self) -> None:
        """Begin to listen, and to send."""
        ...

    async def stop(self) -> None:
        """Stop both."""
        ...

    def notify(self, channel: str) -> None:
        """Wake all processes that listen on `channel`, soon; never blocks."""
        ...


class NullNotifications:
    """Wakes no other process."""

    def start(self) -> None:
        """See `Notifications.start`."""

    async def stop(self) -> None:
        """See `Notifications.stop`."""

    def notify(self, channel: str) -> None:
        """See `Notifications.notify`."""


class PgNotifications:
    """Wake-ups by PostgreSQL."""

    def __init__(self, url: str, heard: Mapping[str, Callable[[], None]]) -> None:
        """Reach the database at `url`; `heard` is what to call, without blocking, on each channel's wake-ups."""
        target = postgres_url(url)
        _, self._arguments = target.get_dialect()().create_connect_args(target)
        self._heard = heard
        self._due: set[str] = set()
        self._any_due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._connections: list[Any] = []

    def start(self) -> None:
        """See `Notifications.start`."""
        self._tasks = [
            asyncio.create_task(self._listen(), name="feed-listen"),
            asyncio.create_task(self._send(), name="feed-notify"),
        ]

    async def stop(self) -> None:
        """See `Notifications.stop`."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in self._connections:
            connection.terminate()

    def notify(self, channel: str) -> None:
        """See `Notifications.notify`."""
        self._due.add(channel)
        self._any_due.set()

    async def _connect(self) -> Any:
        connection = await connect(**self._arguments)
        self._connections = [other for other in self._connections if not other.is_closed()] + [connection]
        return connection

    async def _listen(self) -> None:
        failures = 0
        while True:
            connection: Any = None
            pause_s = PAUSE_S
            try:
                connection = await self._connect()
                await self._hear(connection)
                failures = 0
                await self._watch(connection)
            except _LOST as failure:
                # Once an outage.
                if not failures:
                    log.warning("wake-ups not received", reason=repr(failure))
                failures += 1
                pause_s = RELISTEN.pause_ms(failures, jitter=0) / 1000
            except Exception:  # an unexpected failure must not end the listening
                log.exception("listening for wake-ups failed")
            if connection is not None:
                connection.terminate()
            await asyncio.sleep(pause_s)

    async def _hear(self, connection: Any) -> None:
        """Call what is to be called on each channel's wake-ups."""

        def listener(call: Callable[[], None]) -> Callable[..., None]:
            return lambda *_: call()

        for channel, call in self._heard.items():
            await connection.add_listener(channel, listener(call))

    @staticmethod
    async def _watch(connection: Any) -> None:
        """Wait for the end of the connection, which raises one of `_LOST`."""
        ended = asyncio.Event()
        connection.add_termination_listener(lambda _: ended.set())
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), CHECK_S)
            # A connection without a peer says nothing by itself.
            await connection.execute("SELECT 1", timeout=CHECK_S)

    async def _send(self) -> None:
        connection: Any = None
        while True:
            await self._any_due.wait()
            self._any_due.clear()
            due, self._due = self._due, set()
            try:
                if connection is None:
                    connection = await self._connect()
                for channel in due:
                    await connection.execute("SELECT pg_notify($1, '')", channel, timeout=SEND_TIMEOUT_S)
            except _LOST as failure:
                # The workers to be woken poll anyway.
                log.warning("wake-up not sent", reason=repr(failure))
                pause_s = RECONNECT_S
            except Exception:  # an unexpected failure must not end the sending
                log.exception("sending wake-ups failed")
                pause_s = PAUSE_S
            else:
                await asyncio.sleep(PACE_S)
                continue
            if connection is not None:
                connection.terminate()
                connection = None
            await asyncio.sleep(pause_s)


def open_notifications(db: Database, heard: Mapping[str, Callable[[], None]]) -> Notifications:
    """Return the wake-ups of the database's kind; `heard` as in `PgNotifications`."""
    return NullNotifications() if db.is_sqlite else PgNotifications(db.url, heard)
