"""One HTTP/1.1 connection from a chosen address of this machine, for honest clients and attackers alike."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import dataclass

#: The longest head of an answer that is read.
_HEAD_BYTES_MAX = 64 * 1024
#: How long a connection may take to come about.
CONNECT_S = 10
#: What a connection does that the other side has closed, or that makes no sense.
BROKEN = (OSError, EOFError, ValueError, asyncio.LimitOverrunError, TimeoutError)


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service is, and from which address of 127.0.0.0/8 to come."""

    host: str
    port: int
    source: str


class Line:
    """A connection that is opened when it is first needed."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it was opened, and not closed by this side."""
        return self._streams is not None

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect where that was not done yet."""
        if self._streams is None:
            async with asyncio.timeout(CONNECT_S):
                self._streams = await asyncio.open_connection(
                    self._address.host, self._address.port, limit=_HEAD_BYTES_MAX, local_addr=(self._address.source, 0)
                )
        return self._streams

    async def send(self, data: bytes) -> None:
        """Send bytes, and wait while the other side takes none."""
        _, writer = await self.open()
        writer.write(data)
        await writer.drain()

    async def answer(self) -> int:
        """Read one whole answer and return its status."""
        status, _ = await self._answer()
        return status

    async def ask(self, request_bytes: bytes) -> int:
        """Send a request and return the status of its answer."""
        await self.send(request_bytes)
        return await self.answer()

    async def read(self, request_bytes: bytes) -> tuple[int, bytes]:
        """Send a request and return the status and the body of its answer."""
        await self.send(request_bytes)
        return await self._answer()

    async def _answer(self) -> tuple[int, bytes]:
        reader, _ = await self.open()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.find(b"content-length:")
        body = b""
        if at >= 0:
            body = await reader.readexactly(int(head[at + 15 : head.index(b"\r\n", at)]))
        if b"connection: close" in head:
            self.close()
        return int(head[9:12]), body

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            _, writer = self._streams
            self._streams = None
            with contextlib.suppress(OSError, RuntimeError):
                writer.transport.abort()

    async def shrink(self) -> None:
        """Take as little as the system allows before the other side has to wait."""
        _, writer = await self.open()
        taken: socket.socket = writer.get_extra_info("socket")
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
