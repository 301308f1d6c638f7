"""A load generator lean enough to leave the server the bottleneck: raw HTTP/1.1 over keep-alive connections."""

from __future__ import annotations

import asyncio
import functools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

#: Makes the next request's bytes for connection number n.
NextRequest = Callable[[int], bytes]


@dataclass(slots=True)
class Figures:
    """What came back within the measured time."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies_ms: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Accepted answers (2xx) a second."""
        return sum(count for status, count in self.statuses.items() if status < 300) / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency below which `share` of the answers came."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as the answer to the last is whole (or when its pace says so)."""

    def __init__(self, number: int, next_request: NextRequest, figures: Figures, pause_s: float) -> None:
        self._number = number
        self._next_request = next_request
        self._figures = figures
        self._pause_s = pause_s
        self._buffer = b""
        self._sent_at = 0.0
        self._stopped = False
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports only look like asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        if self._pause_s:
            # Spread over the first period, so that a paced load does not come in waves.
            asyncio.get_running_loop().call_later(self._pause_s * (self._number % 97) / 97, self._send)
        else:
            self._send()

    def _send(self) -> None:
        if self._stopped:
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(self._next_request(self._number))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head_end = self._buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = self._buffer[:head_end].lower()
        at = head.index(b"content-length:") + 15
        end = head.find(b"\r\n", at)
        length = int(head[at : end if end >= 0 else head_end])
        if len(self._buffer) < head_end + 4 + length:
            return
        self._figures.statuses[int(self._buffer[9:12])] += 1
        took_s = time.perf_counter() - self._sent_at
        self._figures.latencies_ms.append(took_s * 1000)
        self._buffer = b""
        if self._pause_s:
            asyncio.get_running_loop().call_later(max(0.0, self._pause_s - took_s), self._send)
        else:
            self._send()

    def stop(self) -> None:
        """Send nothing more."""
        self._stopped = True

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(exc)


async def drive(
    url: str, next_request: NextRequest, *, connections: int, seconds: float, per_second: float | None = None
) -> Figures:
    """Send requests over `connections` for `seconds`, as fast as they are answered or `per_second` in all."""
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    loop = asyncio.get_running_loop()
    figures = Figures()
    pause_s = connections / per_second if per_second else 0.0
    began = time.perf_counter()
    protocols = [_Connection(number, next_request, figures, pause_s) for number in range(connections)]
    for protocol in protocols:
        await loop.create_connection(functools.partial(_same, protocol), host, port)
    await asyncio.sleep(seconds)
    figures.seconds = time.perf_counter() - began
    for protocol in protocols:
        protocol.stop()
    await asyncio.wait([protocol.closed for protocol in protocols], timeout=10)
    return figures


def _same(protocol: _Connection) -> _Connection:
    return protocol


def request(method: str, path: str, *, headers: dict[str, str] | None = None, body: bytes = b"") -> bytes:
    """Spell one HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
