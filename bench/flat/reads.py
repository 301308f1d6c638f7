"""How long each endpoint takes, in the young service and in the old one: on the clock, and on the CPU.

What a request costs the service and its database in CPU time hardly depends on what else the machine does; how long it
takes on the clock does, and its 99th percentile most of all.
"""

from __future__ import annotations

import itertools
import socket
import statistics
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bench.flat.oncpu import on_cpu_ms
from bench.flat.targets import Callers, Target
from bench.load import request
from bench.service import BenchService

#: The first requests open connections and fill caches of statements.
WARM_UP = 10


class RawConnection:
    """One keep-alive connection: a request, the whole answer, the time between."""

    def __init__(self, url: str) -> None:
        """Connect."""
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, wanted: bytes) -> tuple[int, int, float]:
        """Return the status, the length of the body, and the milliseconds that it took."""
        began = time.perf_counter()
        self._socket.sendall(wanted)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._receive()
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        received = len(body)
        while received < length:
            received += len(self._receive())
        return int(head[9:12]), length, (time.perf_counter() - began) * 1000

    def _receive(self) -> bytes:
        some = self._socket.recv(1 << 18)
        if not some:
            raise ConnectionError("the server hung up")
        return some


@dataclass(slots=True)
class Times:
    """What one endpoint took in one service."""

    clock_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    answer_bytes: list[int] = field(default_factory=list)


def median(values: Sequence[float]) -> float:
    """Return what half of them pass."""
    return statistics.median(values)


def p99(values: Sequence[float]) -> float:
    """Return what one of a hundred passes."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two services, and the processes that work for it."""

    service: BenchService
    who: Callers
    process_ids: Collection[int]


class _Asked:
    """One service being asked one endpoint."""

    def __init__(self, side: Side, target: Target) -> None:
        self._name = target.name
        self._process_ids = side.process_ids
        self._wire = RawConnection(side.service.url)
        self._wanted = itertools.cycle([_spell(path, target.headers) for path in target.paths])
        # Answers that are the same for all are kept until something is written: so something is.
        self._write = request("PATCH", "/api/v1/users/me", headers=side.who.creator, body=b'{"name":"Trader"}')
        self.times = Times()

    def ask(self) -> None:
        """Write something, then ask once."""
        self._wire.ask(self._write)
        before_ms = on_cpu_ms(self._process_ids)
        status, length, took_ms = self._wire.ask(next(self._wanted))
        if status != 200:
            raise AssertionError(f"{self._name}: {status}")
        self.times.cpu_ms.append(on_cpu_ms(self._process_ids) - before_ms)
        self.times.clock_ms.append(took_ms)
        self.times.answer_bytes.append(length)

    def close(self) -> None:
        """Forget the first requests, and hang up."""
        for values in (self.times.cpu_ms, self.times.clock_ms, self.times.answer_bytes):
            del values[:WARM_UP]
        self._wire.close()


def compare(young: tuple[Side, Target], old: tuple[Side, Target], *, samples: int) -> tuple[Times, Times]:
    """Ask both in turn."""
    first, second = _Asked(*young), _Asked(*old)
    with closing(first), closing(second):
        for number in range(samples + WARM_UP):
            for asked in (first, second) if number % 2 else (second, first):
                asked.ask()
    return first.times, second.times


def _spell(path: str, headers: dict[str, str]) -> bytes:
    return request("GET", path if path == "/metrics" else "/api/v1" + path, headers=headers)
