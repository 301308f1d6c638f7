"""Load generators, cheap enough that the server stays the bottleneck: raw HTTP/1.1 over keep-alive connections.

drive  closed: every connection sends its next request once its last is answered. Tells how much the server can do.
offer  open: requests are due at random moments, whether or not the server keeps up. Tells how long a client waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import random
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

#: Makes the next request's bytes for connection number n.
NextRequest = Callable[[int], bytes]
#: Returns the CPU seconds that a process has used so far.
CpuSeconds = Callable[[], float]
#: Timeout for opening the connections, and for the last responses.
TIMEOUT_S = 30


@dataclass(slots=True)
class Figures:
    """Responses within the measured time."""

    seconds: float = 0.0
    #: CPU seconds that the server used in that time; NaN where it was not measured.
    cpu_s: float = math.nan
    statuses: Counter[int] = field(default_factory=Counter)
    latencies_ms: list[float] = field(default_factory=list)
    #: Responses before and after that time, too.
    answers: int = 0

    @property
    def accepted(self) -> int:
        """Answers with a 2xx."""
        return sum(count for status, count in self.statuses.items() if status < 300)

    @property
    def refused(self) -> int:
        """All other answers."""
        return sum(self.statuses.values()) - self.accepted

    @property
    def per_second(self) -> float:
        """Accepted answers a second."""
        return self.accepted / self.seconds

    @property
    def cpu_us(self) -> float:
        """CPU time that the server spent on an accepted answer, in microseconds."""
        return 1e6 * self.cpu_s / self.accepted if self.accepted else math.nan

    def percentile_ms(self, share: float) -> float:
        """The latency below which `share` of the answers came."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


#: Drives one service for some seconds.
Load = Callable[[], Awaitable[Figures]]


class Connection(asyncio.Protocol):
    """Sends one request at a time, and reports each complete response."""

    def __init__(self, on_answer: Callable[[Connection, int], None]) -> None:
        self._on_answer = on_answer
        self._buffer = b""
        #: The last answer, its head included.
        self.answer = b""
        self.sent_at_s = 0.0
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports only look like asyncio's.
        self._transport = cast("asyncio.Transport", transport)

    def send(self, request_bytes: bytes, *, due_s: float | None = None) -> None:
        """Send a request, which was due at `due_s` if not now."""
        self.sent_at_s = time.perf_counter() if due_s is None else due_s
        self._transport.write(request_bytes)

    def close(self) -> None:
        """Hang up."""
        self._transport.close()

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
        status = int(self._buffer[9:12])
        self.answer, self._buffer = self._buffer, b""
        self._on_answer(self, status)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(exc)


async def drive(
    url: str,
    next_request: NextRequest,
    *,
    connections: int,
    seconds: float,
    per_second: float | None = None,
    cpu_s: CpuSeconds | None = None,
) -> Figures:
    """Send requests over `connections` for `seconds`, as fast as they are answered or `per_second` in all.

    Only answers of these seconds count, and with `cpu_s` the CPU time the server used in them.
    """
    metrics = Figures()
    measuring, stopping = False, False
    numbers: dict[Connection, int] = {}
    pause_s = connections / per_second if per_second else 0.0
    loop = asyncio.get_running_loop()

    def send(connection: Connection) -> None:
        if stopping:
            connection.close()
        else:
            connection.send(next_request(numbers[connection]))

    def answered(connection: Connection, status: int) -> None:
        took_s = time.perf_counter() - connection.sent_at_s
        metrics.answers += 1
        if measuring:
            metrics.statuses[status] += 1
            metrics.latencies_ms.append(took_s * 1000)
        if pause_s:
            loop.call_later(max(0.0, pause_s - took_s), send, connection)
        else:
            send(connection)

    opened = await open_connections(url, connections, answered)
    numbers.update((connection, number) for number, connection in enumerate(opened))
    for connection, number in numbers.items():
        if pause_s:
            # Spread over the first period, so that a paced load does not come in waves.
            loop.call_later(pause_s * (number % 97) / 97, send, connection)
        else:
            send(connection)
    measuring, before_s, began_s = True, cpu_s() if cpu_s else math.nan, time.perf_counter()
    await asyncio.sleep(seconds)
    measuring, metrics.seconds = False, time.perf_counter() - began_s
    metrics.cpu_s = (cpu_s() if cpu_s else math.nan) - before_s
    stopping = True
    await asyncio.wait([connection.closed for connection in opened], timeout=TIMEOUT_S)
    return metrics


async def offer(
    url: str,
    next_request: NextRequest,
    *,
    per_second: float,
    connections: int,
    seconds: float,
    cpu_s: CpuSeconds | None = None,
) -> Figures:
    """Send requests at random moments (a Poisson process), `per_second` on average, however slowly they are answered.

    A latency counts from the moment a request was due, so that one which had to wait for a free connection, or for
    this generator, counts with the whole delay that its client would see (no "coordinated omission").
    """
    metrics = Figures()
    waiting: deque[float] = deque()
    idle = asyncio.Event()
    moments = random.Random(20)
    number = 0

    def answered(connection: Connection, status: int) -> None:
        metrics.answers += 1
        metrics.statuses[status] += 1
        metrics.latencies_ms.append((time.perf_counter() - connection.sent_at_s) * 1000)
        if waiting:
            send(connection, waiting.popleft())
        else:
            free.append(connection)
        if len(free) == connections:
            idle.set()

    def send(connection: Connection, due_s: float) -> None:
        nonlocal number
        number += 1
        idle.clear()
        connection.send(next_request(number), due_s=due_s)

    opened = await open_connections(url, connections, answered)
    free = list(opened)
    before_s, began_s = cpu_s() if cpu_s else math.nan, time.perf_counter()
    due_s = began_s + moments.expovariate(per_second)
    while due_s < began_s + seconds:
        await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
        while due_s <= time.perf_counter():
            if free:
                send(free.pop(), due_s)
            else:
                waiting.append(due_s)
            due_s += moments.expovariate(per_second)
    metrics.seconds = time.perf_counter() - began_s
    metrics.cpu_s = (cpu_s() if cpu_s else math.nan) - before_s
    # Requests under way count, too: they are the slowest.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(idle.wait(), TIMEOUT_S)
    for connection in opened:
        connection.close()
    await asyncio.wait([connection.closed for connection in opened], timeout=TIMEOUT_S)
    return metrics


async def open_connections(url: str, count: int, on_answer: Callable[[Connection, int], None]) -> list[Connection]:
    """Open connections; each calls `on_answer` with itself and the status of each answer."""
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    loop = asyncio.get_running_loop()
    opened = []
    for _ in range(count):
        _, connection = await loop.create_connection(functools.partial(Connection, on_answer), host, port)
        opened.append(connection)
    return opened


def request(method: str, path: str, *, headers: dict[str, str] | None = None, body: bytes = b"") -> bytes:
    """Return the bytes of one HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
