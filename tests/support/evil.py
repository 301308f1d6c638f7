"""Servers that never end, on a local port: for tests of what reads from outside, and for `bench attacks`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Script:
    """What a server sends once it has been asked: `first`, and then `again` without end, with pauses between."""

    first: bytes
    again: bytes
    pause_s: float = 0.0

    @property
    def block(self) -> bytes:
        """Return what is sent at a time."""
        return self.again if self.pause_s else self.again * max(1, 64 * 1024 // len(self.again))


#: By what is endless. Each ends with the reason why it is cut off.
FAST: Mapping[str, tuple[Script, str]] = {
    "continue": (Script(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "more than 8 interim responses"),
    "early-hints": (Script(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), "more than 8 interim responses"),
    "headers": (Script(OK, b"a: b\r\n"), "more than 200 lines of headers"),
    "folded-header": (Script(OK + b"a: b\r\n", b" b\r\n"), "more than 200 lines of headers"),
    "bare-lines": (Script(OK, b"a:\n"), "more than 200 lines of headers"),
    "one-header": (Script(OK + b"a: ", b"b"), "headers of more than 32768 bytes"),
    "no-line": (Script(b"", b"H"), "headers of more than 32768 bytes"),
    "small-chunks": (Script(CHUNKED, b"1\r\na\r\n"), "1004 chunks for 1004 bytes"),
    "chunk-extension": (Script(CHUNKED + b"1;", b"a"), "a chunk with a line of more than 256 bytes"),
    "no-chunks": (Script(CHUNKED, b"not a chunk\r\n"), "a chunk without its size"),
    "trailers": (Script(CHUNKED + b"0\r\n", b"a: b\r\n"), "more than 200 lines of headers"),
}
#: Bodies that never end in time or size, but are well-formed.
BODIES: Mapping[str, Script] = {
    "close-delimited": Script(OK + b"\r\n", b" "),
    "announced": Script(OK + b"Content-Length: 99999999999\r\n\r\n", b" "),
    "large-chunks": Script(CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"),
}
SLOW: Mapping[str, Script] = {
    "silent": Script(b"", b"", pause_s=60),
    "slow-head": Script(OK + b"a: ", b"b", pause_s=0.02),
    "slow-headers": Script(OK, b"a: b\r\n", pause_s=0.02),
    "slow-body": Script(OK + b"Content-Length: 60000\r\n\r\n", b" ", pause_s=0.02),
    "slow-chunks": Script(CHUNKED, b"1\r\na\r\n", pause_s=0.02),
}


class Evil:
    """A server that follows a script, path by path."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = scripts
        #: What was sent by path, in bytes.
        self.sent_bytes = dict.fromkeys(scripts, 0)
        self.url = ""
        self._closing = asyncio.Event()
        self._answering: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @contextlib.asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[Evil]:
        """Serve while the block runs, on any free port by default."""
        server = await asyncio.start_server(self._begin, "127.0.0.1", port)
        host, port = server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            server.close()
            self._closing.set()
            for writer in self._answering.values():
                writer.transport.abort()
            await asyncio.gather(*self._answering)

    async def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering = asyncio.create_task(self._answer(reader, writer))
        self._answering[answering] = writer
        answering.add_done_callback(self._answering.pop)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError):
            name = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode().strip("/")
            script = self._scripts[name]
            writer.write(script.first)
            while not (writer.transport.is_closing() or self._closing.is_set()):
                writer.write(script.block)
                await writer.drain()
                self.sent_bytes[name] += len(script.block)
                if script.pause_s:
                    await self._pause(script.pause_s)
        writer.transport.abort()

    async def _pause(self, pause_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), pause_s)
