"""A proxy that can fall silent: it keeps its connections open and takes new ones, but passes nothing on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

#: A small buffer, so that a sender of more than this notices that no one reads.
BUFFER_BYTES = 16_384


class SilentProxy:
    """Passes on what comes while `speaking` is set, and keeps the rest until it is set again."""

    def __init__(self, port: int) -> None:
        """Stand before `port` of this machine."""
        self.port = 0
        self.speaking = asyncio.Event()
        self.speaking.set()
        self._target_port = port
        self._serving: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[SilentProxy]:
        """Listen on `port` until the block ends."""
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        listening.bind(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        server = await asyncio.start_server(self._serve, sock=listening, limit=BUFFER_BYTES)
        try:
            yield self
        finally:
            server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._pass_both_ways(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _pass_both_ways(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Also where the proxy ends before it has reached the other side.
        with contextlib.closing(writer):
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target_port)
            with contextlib.closing(to_server):
                await asyncio.gather(self._pass(reader, to_server), self._pass(from_server, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Who has gone, on either side, is no failure of the proxy's.
        with contextlib.suppress(OSError):
            while piece := await reader.read(BUFFER_BYTES):
                await self.speaking.wait()
                writer.write(piece)
                await writer.drain()
        writer.close()
