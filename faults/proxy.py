"""A TCP proxy that brings about what networks do: delay, jitter, pieces, cuts, resets, half-open connections, pauses.

It runs in a thread of its own. What it holds back it passes on later, as TCP sends again what was lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from foreknow.platform.db.postgres.connections import TIMEOUTS

PIECE_BYTES = 65_536
#: After which the client's system would notice a half-open connection: TCP keep-alive, as the service sets it.
KEEP_ALIVE_S = TIMEOUTS.silence_s
#: Of what comes at once, how many bytes go one at a time, where they do; the rest follows.
SINGLE_BYTES = 4_096
SEED = 4


@dataclass(slots=True)
class Way:
    """One direction: how what goes there is passed on."""

    delay_s: float = 0.0
    jitter_s: float = 0.0
    is_byte_by_byte: bool = False
    #: Cleared: nothing is passed on.
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def heal(self) -> None:
        """Pass all on at once."""
        self.delay_s = self.jitter_s = 0.0
        self.is_byte_by_byte = False
        self.open.set()


@dataclass(eq=False, slots=True)
class Link:
    """A connection of a client, and the one to the server."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    #: One side is gone, and the other is not notified.
    is_half_open: bool = False


class Proxy:
    """Stands before a port of this machine; `port` is its own."""

    def __init__(self, target_port: int) -> None:
        """Pass all on."""
        self.port = 0
        self._target_port = target_port
        self._chance = random.Random(SEED)
        self._loop = asyncio.new_event_loop()
        self._links: set[Link] = set()
        self.to_server, self.to_client = Way(), Way()

    @contextlib.contextmanager
    def running(self) -> Iterator[Proxy]:
        """Listen while the block runs."""
        started, ending = threading.Event(), asyncio.Event()
        self.heal()

        async def serve() -> None:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            started.set()
            await ending.wait()
            server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        thread = threading.Thread(target=self._loop.run_until_complete, args=(serve(),), name="faults-proxy")
        thread.start()
        started.wait()
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(ending.set)
            thread.join()
            self._loop.close()

    def heal(self) -> None:
        """Pass on all that was held, and from now on all at once; half-open connections end."""
        self._do(self.to_server.heal)
        self._do(self.to_client.heal)
        self._do(lambda: _reset(*(link.client for link in self._links if link.is_half_open)))

    def hold(self, *ways: Way) -> None:
        """Pass on nothing in these directions."""
        for way in ways:
            self._do(way.open.clear)

    def reset(self) -> None:
        """End all connections of both sides with a reset."""
        self._do(lambda: _reset(*(side for link in self._links for side in (link.client, link.server))))

    def half_open(self) -> None:
        """Let the server forget all connections.

        Clients are not notified, and reset once they send something, or after `KEEP_ALIVE_S`.
        """

        def end() -> None:
            for link in self._links:
                link.is_half_open = True
                _reset(link.server)
                self._loop.call_later(KEEP_ALIVE_S, _reset, link.client)

        self._do(end)

    def slow(self, *, delay_s: float = 0.0, jitter_s: float = 0.0) -> None:
        """Pass on all later, in both directions."""
        for way in (self.to_server, self.to_client):
            way.delay_s, way.jitter_s = delay_s, jitter_s

    def split(self) -> None:
        """Pass on one byte at a time, in both directions."""
        self.to_server.is_byte_by_byte = self.to_client.is_byte_by_byte = True

    def _do(self, work: Callable[[], object]) -> None:
        """Run something on the proxy's event loop, if that runs."""
        if not self._loop.is_running():
            work()
            return
        done = threading.Event()

        def run() -> None:
            work()
            done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            _reset(writer)
            return
        link = Link(writer, to_server)
        self._links.add(link)
        # Of a connection that ends with the proxy, asyncio would log that it was cancelled.
        try:
            there = self._pass(reader, to_server, self.to_server, link)
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(there, self._pass(from_server, writer, self.to_client, link))
        finally:
            self._links.discard(link)
            writer.close()
            to_server.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way, link: Link) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                if way.delay_s or way.jitter_s:
                    await asyncio.sleep(way.delay_s + self._chance.random() * way.jitter_s)
                await way.open.wait()
                if link.is_half_open:
                    _reset(link.client)
                    return
                if way.is_byte_by_byte:
                    for byte in piece[:SINGLE_BYTES]:
                        writer.write(bytes([byte]))
                        await asyncio.sleep(0)
                    piece = piece[SINGLE_BYTES:]
                writer.write(piece)
                await writer.drain()
            await way.open.wait()
        if not link.is_half_open:
            writer.close()


def _reset(*writers: asyncio.StreamWriter) -> None:
    """End connections with a reset rather than an end."""
    for writer in writers:
        connected = writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
