"""A service of its own for a benchmark: a server process on a fresh database, with traders, creators and markets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from bench.cpu import cpu_s, family_cpu_s
from bench.load import Figures, NextRequest, drive
from bench.trees import ROOT, Tree
from tests.support.postgres import DURABLE_SETTINGS, Postgres, running_postgres

ADMIN_EMAIL = "bench@example.org"
ADMIN_PASSWORD = "bench-" + secrets.token_hex(8)
RICH_KOPECKS = 10**13
#: A server is quiet that used less than this part of a core in a moment.
QUIET_SHARE = 0.1
MOMENT_S = 0.25
#: The service with a few routes more; its port follows.
MEASURED = Tree("this checkout").server


@dataclass(slots=True)
class BenchService:
    """A running server, driven as any client would drive it."""

    url: str
    process: subprocess.Popen[bytes]
    database: str
    postgres: Postgres | None = None
    admin: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        """Wait until it answers, then sign the admin in."""
        self.admin = httpx.Client(base_url=self.url + "/api/v1", timeout=60)
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                if self.admin.get("/health").is_success:
                    break
            if self.process.poll() is not None:
                raise RuntimeError("the server ended before it answered")
            time.sleep(0.05)
        answer = self.admin.post("/auth/sign-in", json={"login": ADMIN_EMAIL, "password": ADMIN_PASSWORD})
        self.admin.headers["Authorization"] = f"Bearer {answer.raise_for_status().json()['access_token']}"

    def cpu_s(self) -> float:
        """Return the CPU seconds that the server process has used so far."""
        return cpu_s(self.process.pid)

    def resident_bytes(self) -> int:
        """Return how much memory of the server process is resident."""
        return resident_bytes(self.process.pid)

    def database_cpu_s(self) -> float:
        """Return the CPU seconds that PostgreSQL has used so far; 0 on SQLite, which works in the server process."""
        if self.postgres is None:
            return 0.0
        first_line = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"
        return family_cpu_s(int(self.postgres.sql(first_line)))

    async def drive(
        self, next_request: NextRequest, *, connections: int, seconds: float, per_second: float | None = None
    ) -> Figures:
        """Load this server as `bench.load.drive` does, counting its CPU time."""
        return await drive(
            self.url,
            next_request,
            connections=connections,
            seconds=seconds,
            per_second=per_second,
            cpu_s=self.cpu_s,
        )

    def trader(self, number: int, *, creator: bool = False, balance_kopecks: int = RICH_KOPECKS) -> str:
        """Make a user with money and return an access token."""
        with httpx.Client(base_url=self.url + "/api/v1", timeout=60) as client:
            person = {"email": f"trader{number}@example.org", "password": "correct horse", "name": f"Trader {number}"}
            signed_up = client.post("/auth/sign-up", json=person).raise_for_status().json()
        user_id = signed_up["user"]["id"]
        if creator:
            self.admin.patch(f"/admin/users/{user_id}", json={"is_creator": True}).raise_for_status()
        if balance_kopecks:
            credit = {"amount_kopecks": balance_kopecks, "note": "bench"}
            self.admin.post(f"/admin/users/{user_id}/credit", json=credit).raise_for_status()
        return str(signed_up["access_token"])

    def event(self, token: str, *, pools: int = 1, b: int = 10**7) -> dict[str, Any]:
        """Create and publish an event with yes/no pools."""
        headers = {"Authorization": f"Bearer {token}"}
        metadata = {"market_names": ["Yes"], "market_probabilities": [0.5], "lmsr_b_kopecks": b}
        body = {"name": "Bench", "pools": [{"name": f"Pool {n}", "metadata": metadata} for n in range(pools)]}
        created = self.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
        published = self.admin.post(f"/events/{created['id']}/publish", headers=headers).raise_for_status()
        return dict(published.json())


def resident_bytes(process_id: int) -> int:
    """Return how much memory of a process is resident."""
    pages = int(Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def running(
    database: str,
    *,
    settings: dict[str, str] | None = None,
    program: Sequence[str] = MEASURED,
    folder: Path = ROOT,
    log: IO[bytes] | None = None,
    fill: Callable[[str], None] = lambda _url: None,
) -> Iterator[BenchService]:
    """Run one server process on a fresh `sqlite` or `postgres` database, durable as in production.

    It is `program` with a port behind it, started in `folder`; what it says goes to `log`, or else to where we say
    things. `fill` puts rows into the database of this URL before.
    """
    with tempfile.TemporaryDirectory(prefix="foreknow-bench-") as data, contextlib.ExitStack() as stack:
        url, server = f"sqlite:///{data}/bench.sqlite3", None
        if database == "postgres":
            server = stack.enter_context(running_postgres(DURABLE_SETTINGS))
            url = server.fresh_database()
        fill(url)
        port = free_port()
        environment = {
            **os.environ,
            "FOREKNOW_DATABASE_URL": url,
            "FOREKNOW_DATA_DIR": data,
            "FOREKNOW_RATE_LIMITS": "off",
            "FOREKNOW_PASSWORD_COST": "low",
            "FOREKNOW_ADMIN_EMAIL": ADMIN_EMAIL,
            "FOREKNOW_ADMIN_PASSWORD": ADMIN_PASSWORD,
            "FOREKNOW_LOG_LEVEL": "warning",
            **(settings or {}),
        }
        process = subprocess.Popen([*program, str(port)], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield BenchService(f"http://127.0.0.1:{port}", process, url, server)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            process.kill()


async def until_quiet(services: Sequence[BenchService], *, wait_s: float = 5.0) -> bool:
    """Wait until no server has much left to do of what came before; False where that takes longer than `wait_s`."""
    deadline_s = time.monotonic() + wait_s
    while time.monotonic() < deadline_s:
        before_s = [service.cpu_s() + service.database_cpu_s() for service in services]
        await asyncio.sleep(MOMENT_S)
        after_s = [service.cpu_s() + service.database_cpu_s() for service in services]
        if all(after - before < QUIET_SHARE * MOMENT_S for after, before in zip(after_s, before_s, strict=True)):
            return True
    return False


def free_port() -> int:
    """Return a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
