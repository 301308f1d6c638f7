"""A TCP balancer as they all are: it sends each new connection to one of the servers that say they are ready."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Iterator, Sequence

import httpx

from tests.support.cluster import Node
from tests.support.http import NO_TLS

CHECK_EVERY_S = 0.05


class Balancer:
    """Run it with `running`; `port` is where it listens."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Stand before `nodes`."""
        self._nodes = nodes
        self._turn = 0
        self.port = 0
        self.ready: set[Node] = set()
        #: Connections that each server has through here.
        self.open: Counter[Node] = Counter()

    @property
    def api_url(self) -> str:
        """Where the interface's paths begin."""
        return f"http://127.0.0.1:{self.port}/api/v1"

    def is_done_with(self, node: Node) -> bool:
        """Tell whether a server gets nothing more from here, and has nothing left to answer."""
        return node not in self.ready and not self.open[node]

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Listen while the block runs."""
        started, ending = threading.Event(), asyncio.Event()
        loop = asyncio.new_event_loop()

        async def serve() -> None:
            server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            checks = [asyncio.create_task(self._check(node)) for node in self._nodes]
            started.set()
            await ending.wait()
            for task in checks:
                task.cancel()
            server.close()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        started.wait()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(ending.set)
            thread.join()
            loop.run_until_complete(_end_all(loop))
            loop.close()

    async def _check(self, node: Node) -> None:
        while True:
            async with httpx.AsyncClient(trust_env=False, verify=NO_TLS) as client:
                try:
                    is_ready = (await client.get(f"{node.api_url}/ready")).is_success
                except httpx.TransportError:
                    is_ready = False
            (self.ready.add if is_ready else self.ready.discard)(node)
            await asyncio.sleep(CHECK_EVERY_S)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer):
            for node in self._in_turn():
                try:
                    there = await asyncio.open_connection("127.0.0.1", node.port)
                except OSError:
                    continue
                self.open[node] += 1
                try:
                    await asyncio.gather(_pipe(reader, there[1]), _pipe(there[0], writer))
                finally:
                    self.open[node] -= 1
                    there[1].close()
                break

    def _in_turn(self) -> list[Node]:
        ready = [node for node in self._nodes if node in self.ready]
        self._turn += 1
        return [ready[(self._turn + number) % len(ready)] for number in range(len(ready))]


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until its end, and then the end."""
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()


async def _end_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
