"""Notices a server that hangs although the network's system still answers for it.

TCP keep-alive finds a machine that is gone. It does not find a process that is stopped, a proxy before the server whose
other side is cut, or a half-open connection that a proxy keeps: what is sent there is acknowledged and never answered.
So while a transaction has gone on for a second, another connection is made. A server that does not accept it within
three seconds has its connections ended, so that the requests that wait are answered 503, and while no server accepts
one, later requests are refused at once instead of waiting for a connection. A long transaction of a server that lives
is left alone, which a limit for every statement would end. Of several servers each is checked, so that a primary that
hangs is left although another has become primary.
"""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from foreknow.platform.db.postgres.connections import DatabaseServer, connect, postgres_url, split_servers

log = structlog.get_logger("foreknow.database")


@dataclass(frozen=True, slots=True)
class PulseTimes:
    """When to look whether a server lives."""

    #: Of a transaction that makes us look.
    slow: float = 1.0
    #: In which a server that lives accepts a connection.
    probe: float = 3.0
    #: Between two looks.
    pause: float = 0.25


#: Turns of the event loop that a probe is given: a process that was itself stopped finds the answer waiting.
TURNS = 20


class Pulse:
    """Watches the uses of one engine, whose connections it makes."""

    def __init__(self, url: str, *, times_s: PulseTimes | None = None) -> None:
        """Watch nothing yet."""
        self.times_s = times_s or PulseTimes()
        target = postgres_url(url)
        _, self._arguments = target.get_dialect()().create_connect_args(target)
        self._servers = split_servers(self._arguments)
        #: By transaction, or what waits for a connection: when it began, the oldest first.
        self._uses: dict[object, float] = {}
        self._connecting: set[asyncio.Task[Any]] = set()
        #: All connections, those at rest included.
        self._connections: weakref.WeakSet[Any] = weakref.WeakSet()
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self._looked_s = -math.inf
        #: Whether no server accepts a connection, as far as we know.
        self.is_silent = False

    async def connect(self, **arguments: Any) -> Any:
        """Connect as `connections.connect` does, unless the server is silent or falls silent meanwhile: `OSError`."""
        if self.is_silent:
            raise ConnectionRefusedError("the server is silent")
        connecting = asyncio.create_task(self._connect(arguments))
        self._connecting.add(connecting)
        connecting.add_done_callback(self._connecting.discard)
        try:
            await asyncio.wait([connecting])
        except asyncio.CancelledError:
            connecting.cancel()
            # It may be there already, or come all the same.
            connecting.add_done_callback(_end_unwanted)
            raise
        if connecting.cancelled():
            raise ConnectionAbortedError("the server is silent")
        return connecting.result()

    def begin(self) -> object:
        """Watch a use that begins now."""
        use = object()
        self._uses[use] = time.monotonic()
        if self._timer is None:
            self._schedule()
        return use

    def end(self, use: object) -> None:
        """Watch it no longer."""
        del self._uses[use]

    @property
    def is_used(self) -> bool:
        """Whether a transaction runs, or waits for a connection."""
        return bool(self._uses)

    def end_connections(self) -> None:
        """End all connections, those that are being made included; their transactions fail."""
        for connecting in list(self._connecting):
            connecting.cancel()
        for connection in list(self._connections):
            connection.terminate()

    async def close(self) -> None:
        """Watch nothing any more, and end what connections there still are."""
        if self._timer is not None:
            self._timer.cancel()
        if self._looking is not None:
            self._looking.cancel()
        self.end_connections()
        if ending := [*self._connecting, *filter(None, [self._looking])]:
            await asyncio.wait(ending)
        self.end_connections()

    async def _connect(self, arguments: Mapping[str, Any]) -> Any:
        connection = await connect(**arguments)
        self._connections.add(connection)
        return connection

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self.times_s.pause, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if not self._uses and not self.is_silent:
            return
        self._schedule()
        before_s = time.monotonic() - self.times_s.slow
        oldest_s = next(iter(self._uses.values()), math.inf)
        is_due = self.is_silent or (oldest_s < before_s and self._looked_s < before_s)
        if is_due and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="database-pulse")

    async def _look(self) -> None:
        answers = await asyncio.gather(*map(self._lives, self._servers))
        self._looked_s = time.monotonic()
        lives = dict(zip(self._servers, answers, strict=True))
        was_silent, self.is_silent = self.is_silent, not any(answers)
        if self.is_silent and not was_silent:
            log.warning("database silent", transactions=len(self._uses))
        elif was_silent and not self.is_silent:
            log.info("database answers again")
        if self.is_silent:
            self.end_connections()
            return
        for connection in list(self._connections):
            # asyncpg tells no one where a connection leads to.
            if not lives.get(connection._addr, True):  # noqa: SLF001
                connection.terminate()

    async def _lives(self, server: DatabaseServer) -> bool:
        probe = asyncio.create_task(self._enter(server))
        try:
            for _ in range(TURNS):
                await asyncio.wait([probe], timeout=self.times_s.probe / TURNS)
                if probe.done():
                    break
            else:
                return False
        finally:
            probe.cancel()
            await asyncio.wait([probe])
        # Whatever a server says, that it is full or starts, it lives; and no file that is free says nothing of it.
        return not isinstance(probe.exception(), ConnectionError | TimeoutError)

    async def _enter(self, server: DatabaseServer) -> None:
        host, port = server
        (await self._connect({**self._arguments, "host": host, "port": port})).terminate()


def _end_unwanted(connecting: asyncio.Task[Any]) -> None:
    """End a connection that nothing waits for any more."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().terminate()
