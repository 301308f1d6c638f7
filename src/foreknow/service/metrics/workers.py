"""The metrics of all workers of one address, of which a scrape reaches any.

Each worker has a socket in a folder that only its own user can enter, and answers a connection with its metrics. The
one that is scraped adds those of the others to its own, each sample with the number of its worker as a label.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from prometheus_client import Metric
from prometheus_client.registry import Collector

log = structlog.get_logger("foreknow.metrics")

#: Longest wait for the metrics of another worker: one that hangs must not make a scrape fail.
ANSWER_S = 2.0
LABEL = "worker"
#: Connections that may wait for a worker; there is one for each scrape.
BACKLOG = 64
#: Every answer begins with its length, so that one that was cut off is noticed.
LENGTH_BYTES = 8
_HEAD = b"\n# HELP "

Render = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class WorkerSocket:
    """The socket of worker `number` (from 0), and where the sockets of all workers are, by their numbers."""

    number: int
    listening: socket.socket
    paths: tuple[Path, ...]


def open_sockets(folder: Path, count: int) -> list[WorkerSocket]:
    """Bind a socket for each worker in `folder`, which only this user can enter."""
    paths = tuple(folder / str(number) for number in range(count))
    opened = []
    for number, path in enumerate(paths):
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        listening.listen(BACKLOG)
        opened.append(WorkerSocket(number, listening, paths))
    return opened


class WorkerMetrics:
    """Gives this worker's metrics to the others, and gathers theirs."""

    def __init__(self, own: WorkerSocket, render: Render) -> None:
        """`render` returns this worker's metrics in Prometheus's text format."""
        self._own = own
        self._render = render
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to answer the other workers."""
        self._own.listening.setblocking(False)
        self._task = asyncio.create_task(self._answer_all(), name="worker-metrics")

    async def stop(self) -> None:
        """Answer no more. The socket stays: another process may take the place of this one."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def gather(self) -> Mapping[int, bytes | None]:
        """Return the metrics of all workers by number, this one's first; None for one that does not answer."""
        others = [number for number in range(len(self._own.paths)) if number != self._own.number]
        own, *theirs = await asyncio.gather(self._render(), *(self._ask(number) for number in others))
        return {self._own.number: own, **dict(zip(others, theirs, strict=True))}

    async def _ask(self, number: int) -> bytes | None:
        try:
            async with asyncio.timeout(ANSWER_S):
                reader, writer = await asyncio.open_unix_connection(self._own.paths[number])
                try:
                    length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
                    return await reader.readexactly(length)
                finally:
                    writer.close()
        except (OSError, EOFError, TimeoutError) as failure:
            log.warning("worker metrics missing", number=number, reason=repr(failure))
            return None

    async def _answer_all(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(self._own.listening)
            with connection:
                try:
                    async with asyncio.timeout(ANSWER_S):
                        page = await self._render()
                        await loop.sock_sendall(connection, len(page).to_bytes(LENGTH_BYTES) + page)
                except (OSError, TimeoutError) as failure:
                    log.warning("worker metrics not sent", reason=repr(failure))
                except Exception:  # no failure of one answer may end the task
                    log.exception("worker metrics failed")


class Labelled(Collector):
    """The metrics of another collector, each sample with more labels."""

    def __init__(self, collector: Collector, labels: Mapping[str, str]) -> None:
        """Add `labels`."""
        self._collector = collector
        self._labels = labels

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        for family in self._collector.collect():
            family.samples = [one._replace(labels={**one.labels, **self._labels}) for one in family.samples]
            yield family


def merge(pages: Sequence[bytes]) -> bytes:
    """Return pages in Prometheus's text format as one: a family's samples stand together, under one head."""
    families: dict[bytes, list[bytes]] = {}
    for page in pages:
        for family in (b"\n" + page).split(_HEAD)[1:]:
            help_, type_, *samples = family.rstrip(b"\n").split(b"\n")
            name = help_.split(b" ", 1)[0]
            families.setdefault(name, [_HEAD.lstrip() + help_, type_]).extend(samples)
    return b"".join(b"\n".join(lines) + b"\n" for lines in families.values())
