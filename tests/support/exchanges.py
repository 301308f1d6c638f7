"""A proxy before PostgreSQL that counts the exchanges of the connections through it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

PIECE_BYTES = 65_536
#: Type and length of a message of the server's.
HEAD_BYTES = 5


class ExchangeCounter:
    """Passes everything on; an exchange ends when the server says that it is ready for the next (message `Z`)."""

    def __init__(self, url: str) -> None:
        """Stand before the database at `url`."""
        self._target = urlsplit(url)
        self._port = 0
        self._passing: set[asyncio.Task[None]] = set()
        self.exchanges = 0

    @property
    def url(self) -> str:
        """The same database, through the proxy."""
        here = self._target.netloc.replace(f":{self._target.port}", f":{self._port}")
        # Without TLS, whose negotiation is no message.
        return self._target._replace(netloc=here, query="ssl=disable").geturl()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[ExchangeCounter]:
        """Listen until the block ends."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._passing:
                task.cancel()
            await asyncio.gather(*self._passing, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(self._target.hostname, self._target.port)
        for passing in (self._pass(reader, to_server), self._count(from_server, writer)):
            task = asyncio.create_task(passing)
            self._passing.add(task)
            task.add_done_callback(self._passing.discard)

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError), contextlib.closing(writer):
            while piece := await reader.read(PIECE_BYTES):
                writer.write(piece)
                await writer.drain()

    async def _count(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            while True:
                head = await reader.readexactly(HEAD_BYTES)
                body = await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
                self.exchanges += head[:1] == b"Z"
                writer.write(head + body)
                await writer.drain()
