"""Several `foreknow serve --workers` on one PostgreSQL, as an operator runs them on several machines."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from foreknow.platform.db.engine import open_database
from tests.support.forks import FOREKNOW
from tests.support.http import NO_TLS
from tests.support.processes import server_of, workers_of
from tests.support.service import ADMIN_EMAIL, PASSWORD, TIMEOUT_S, Service
from tests.support.waiting import WAIT_S, wait_until

#: Where `service` is to be the cluster rather than one process: `pytest.param("cluster", marks=CLUSTER_MARKS)`. One
#: process of the test run takes them all, so that four servers are started once.
CLUSTER_MARKS = (pytest.mark.postgres, pytest.mark.xdist_group("cluster"))
#: Longer than any test: what leaves goes on to stop at a second signal.
DRAIN_S = 3_600
#: The system spreads connections by chance; with this number, each worker has some all but certainly.
CONNECTIONS_MAX = 300


class Node:
    """One server with its workers, which can be stopped and started again on its port."""

    def __init__(self, environment: dict[str, str], log: Path, *, workers: int) -> None:
        """Begin to start it, on any free port."""
        self._environment = environment
        self._log = log
        self._count = workers
        self.port = 0
        self.start()

    @property
    def api_url(self) -> str:
        """Where the interface's paths begin."""
        return f"http://127.0.0.1:{self.port}/api/v1"

    @property
    def workers(self) -> list[int]:
        """The processes that serve: its workers, or itself where it has none."""
        return workers_of(self.process.pid) if self._count > 1 else [self.process.pid]

    def start(self) -> None:
        """Begin to start it."""
        command = [str(FOREKNOW), "serve", "--port", str(self.port), "--workers", str(self._count)]
        with self._log.open("w") as log:
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def wait_until_serving(self) -> None:
        """Return once all workers serve."""
        wait_until(lambda: self.process.poll() is not None or self._said("serving"))
        assert self.process.poll() is None, self._log.read_text()
        self.port = int(self._said("serving")[0]["url"].rpartition(":")[2])

    def kill(self, worker: int) -> None:
        """Kill a worker and return once another one serves in its place."""
        served = len(self._said("worker started"))
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: len(self._said("worker started")) > served)

    def lose(self) -> None:
        """Kill the whole server (SIGKILL) and wait for its end."""
        for pid in {self.process.pid, *self.workers}:
            os.kill(pid, signal.SIGKILL)
        self.process.wait(WAIT_S)

    def stop(self) -> None:
        """Stop as at Ctrl-C, without waiting for balancers; fails where that is not done well."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(WAIT_S) == 0

    def _said(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.endswith("}")]
        return [line for line in lines if line["event"] == event]


class Cluster(Service):
    """Two servers with two workers each: what tests know of a service, and each request goes to the next server."""

    def __init__(
        self, database_url: str, *, servers: int = 2, workers: int = 2, settings: Mapping[str, str] | None = None
    ) -> None:
        """Start all of them; `settings` are further variables of their environment."""
        self.database_url = database_url
        self._folder = Path(tempfile.mkdtemp(prefix="foreknow-cluster-"))
        self._clients: list[httpx.Client] = []
        self._numbers = itertools.count(1)
        self._admin = self._creator = None
        self._signed_in_s: dict[str, float] = {}
        environment = {
            **os.environ,
            "FOREKNOW_DATABASE_URL": database_url,
            "FOREKNOW_DATA_DIR": str(self._folder / "data"),
            "FOREKNOW_ADMIN_EMAIL": ADMIN_EMAIL,
            "FOREKNOW_ADMIN_PASSWORD": PASSWORD,
            "FOREKNOW_PASSWORD_COST": "low",
            "FOREKNOW_RATE_LIMITS": "off",
            "FOREKNOW_LOG_FORMAT": "json",
            "FOREKNOW_DRAIN_SECONDS": str(DRAIN_S),
            **(settings or {}),
        }
        logs = [self._folder / f"{number}.log" for number in range(servers)]
        self.nodes = [Node(environment, log, workers=workers) for log in logs]
        self._wait_until_serving()
        self._turns = itertools.cycle(self.nodes)

    @property
    def api_url(self) -> str:
        """Where the interface's paths begin: on another server each time."""
        return next(self._turns).api_url

    def stop(self) -> None:
        """Stop all servers."""
        for client in self._clients:
            client.close()
        self.rest()
        shutil.rmtree(self._folder)

    def rest(self) -> None:
        """Stop all servers until `go_on`: four processes that wait take a fifth of a core from the tests."""
        for node in self.nodes:
            if node.process.poll() is None:
                node.stop()

    def go_on(self) -> None:
        """Start all servers that `rest` has stopped, at the same addresses."""
        for node in self.nodes:
            if node.process.poll() is not None:
                node.start()
        self._wait_until_serving()

    def look(self, work: Callable[[Any], Any]) -> Any:
        """Run `work(tx)` on a snapshot of the database."""

        async def read() -> Any:
            database = open_database(self.database_url)
            try:
                return await database.read(work)
            finally:
                await database.close()

        # In a thread of its own: the test's may have an event loop.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(_run, read).result()

    def workers_clients(self) -> list[httpx.Client]:
        """Return a client for each worker: all its requests go to that one."""
        found: dict[int, httpx.Client] = {}
        for node, workers, attempt in self.attempts(found):
            client = httpx.Client(
                base_url=node.api_url,
                limits=httpx.Limits(max_connections=1, keepalive_expiry=None),
                timeout=TIMEOUT_S,
                trust_env=False,
                verify=NO_TLS,
            )
            self._clients.append(client)
            stream = client.get("/health").extensions["network_stream"]
            worker = server_of(
                server_port=node.port, client_port=stream.get_extra_info("client_addr")[1], among=workers
            )
            assert worker is not None, attempt
            if worker in found:
                client.close()
            else:
                found[worker] = client
        return list(found.values())

    def _client(self, headers: Mapping[str, str]) -> httpx.Client:
        """Return a client with connections of its own, so that those of all clients reach every worker."""
        return httpx.Client(base_url=self.api_url, headers=headers, timeout=TIMEOUT_S, verify=NO_TLS, trust_env=False)

    def _wait_until_serving(self) -> None:
        for node in self.nodes:
            node.wait_until_serving()

    def attempts(self, found: dict[int, Any]) -> Iterator[tuple[Node, list[int], int]]:
        """Yield servers to connect to, until every worker of theirs is `found`."""
        for node in self.nodes:
            workers = node.workers
            for attempt in range(CONNECTIONS_MAX):
                if found.keys() >= set(workers):
                    break
                yield node, workers, attempt
        assert len(found) == sum(len(node.workers) for node in self.nodes)


def takes_cluster(item: pytest.Item | None) -> bool:
    """Tell whether a test is one of those marked for the cluster."""
    return item is not None and any(mark == CLUSTER_MARKS[1].mark for mark in item.iter_markers("xdist_group"))


def _run(work: Callable[[], Any]) -> Any:
    import asyncio

    return asyncio.run(work())
