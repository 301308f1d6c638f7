"""Faults of PostgreSQL under a running service: the responses during a fault, and the books after it.

python -m faults database

Connections are ended, the server is stopped as by a crash, its disk is full, a session left open holds a row. Nothing
may be answered but successes and 503, no client waits for long, and every answered bet is there after, books and all.
The full disk is a real one of a few megabytes (a tmpfs) where we may mount one, as root; elsewhere a trigger says what
PostgreSQL says of it.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from faults.trading import open_trader
from tests.support.postgres import (
    DURABLE_SETTINGS,
    Postgres,
    _init,
    _readable_programs,
    _start,
    _unprivileged_user,
)
from tests.support.schema import prepare
from tests.support.service import Service

BETS = 10
#: A database needs 10 MiB before its first row.
TINY_DISK = "size=40m"
STOP_S = 60
PASSWORD = "faults"


@dataclass(slots=True)
class Crashing(Postgres):
    """A PostgreSQL server that can crash and be started again at its address."""

    folder: Path = field(default_factory=Path)
    programs: Path = field(default_factory=Path)
    owner: str | None = None
    keeper: subprocess.Popen[bytes] | None = None

    def crash(self) -> None:
        """Stop it as by a crash; it recovers from its log at the next start."""
        os.kill(int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0]), signal.SIGQUIT)
        self.wait()

    def start(self) -> None:
        """Start it."""
        port = self.port or None
        self.port, self.keeper = _start(self.folder, self.programs, self.owner, DURABLE_SETTINGS, wanted_port=port)

    def wait(self) -> None:
        """Wait for its end, or bring it about."""
        assert self.keeper is not None
        if self.keeper.stdin is not None:
            self.keeper.stdin.close()
        self.keeper.wait(STOP_S)


@contextlib.contextmanager
def crashing() -> Iterator[Crashing]:
    """Run a PostgreSQL server."""
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        owner = _unprivileged_user(folder)
        programs = _readable_programs(folder, owner)
        _init(folder, programs, owner, PASSWORD)
        server = Crashing(0, PASSWORD, folder=folder, programs=programs, owner=owner)
        server.start()
        try:
            yield server
        finally:
            server.wait()


class Scene:
    """A running service on its own database, with two pools."""

    def __init__(self, server: Postgres) -> None:
        """Start it."""
        self.server = server
        self.url = server.fresh_database(prepare)
        self.name = urlsplit(self.url).path[1:]
        self.service = Service(self.url)
        self.trader, self.other = open_trader(self.service), open_trader(self.service)
        self.longest_s = 0.0
        self.work()

    def work(self) -> None:
        """Bet in both pools, by turns, and read."""
        for _ in range(BETS):
            for trader in (self.trader, self.other):
                began_s = time.monotonic()
                trader.bet()
                self.longest_s = max(self.longest_s, time.monotonic() - began_s)
        self.trader.look("/ready", "/users/me", "/events?limit=5", "/market/positions")

    def sql(self, statement: str) -> str:
        """Run a statement as an operator would."""
        return self.server.sql(statement, database=self.name)

    def bet_until(self, status: int) -> None:
        """Bet until the response has this status."""
        for _ in itertools.takewhile(lambda _: self.trader.bet()[1] != status, range(10_000)):
            time.sleep(0.01)


def connections_end(scene: Scene) -> None:
    """End all connections, three times."""
    for _ in range(3):
        scene.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        scene.work()


def server_crashes(scene: Scene) -> None:
    """Stop the server at once, work without it, start it."""
    assert isinstance(scene.server, Crashing)
    scene.server.crash()
    scene.work()
    scene.server.start()
    scene.bet_until(201)


def disk_seems_full(scene: Scene) -> None:
    """Let every trade be answered as a full disk answers it."""
    scene.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$; "
        "CREATE TRIGGER full_disk BEFORE INSERT ON trades FOR EACH ROW EXECUTE FUNCTION full_disk()"
    )
    scene.work()
    scene.sql("DROP TRIGGER full_disk ON trades; DROP FUNCTION full_disk")


def disk_is_full(scene: Scene) -> None:
    """Move the trades to a disk of a few megabytes and fill it."""
    with tiny_disk() as place:
        scene.sql(f"CREATE TABLESPACE tiny LOCATION '{place}'")
        scene.sql("ALTER TABLE trades SET TABLESPACE tiny")
        scene.sql("CREATE TABLE filler (text text) TABLESPACE tiny")
        fill = "INSERT INTO filler SELECT repeat(md5(n::text), 30) FROM generate_series(1, {}) n"
        for rows in (10_000, 1_000, 100, 1):
            with contextlib.suppress(RuntimeError):
                while True:
                    scene.sql(fill.format(rows))
        # The first page has space for a few rows.
        scene.bet_until(503)
        scene.work()
        scene.sql("DROP TABLE filler")
        scene.sql("CHECKPOINT")
        scene.sql("ALTER TABLE trades SET TABLESPACE pg_default")
        scene.sql("DROP TABLESPACE tiny")


@contextlib.contextmanager
def tiny_disk() -> Iterator[Path]:
    """Mount a disk of a few megabytes that PostgreSQL may write; as root only."""
    folder = Path(tempfile.mkdtemp(prefix="foreknow-faults-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"{TINY_DISK},mode=777", "tmpfs", folder], check=True)
    try:
        place = folder / "tablespace"
        place.mkdir()
        owner = _unprivileged_user(place)
        assert owner is not None
        yield place
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def row_is_locked(scene: Scene) -> None:
    """Hold the row of one pool in a session left open, as in psql; the other pool's orders must go through."""
    held = f"SELECT 1 FROM pools JOIN markets ON pool_id = pools.id WHERE markets.id = {scene.trader.market_id}"
    with holding(scene, f"{held} FOR UPDATE OF pools"):
        before = len(scene.other.answered)
        scene.work()
        if len(scene.other.answered) != before + BETS:
            raise AssertionError("orders of another pool were refused")


@contextlib.contextmanager
def holding(scene: Scene, statement: str) -> Iterator[None]:
    """Run a statement in a transaction that stays open for the block."""
    import asyncio
    import threading

    import asyncpg

    held, done = threading.Event(), threading.Event()

    async def hold() -> None:
        connection = await asyncpg.connect(scene.url)
        async with connection.transaction():
            await connection.execute(statement)
            held.set()
            await asyncio.to_thread(done.wait)
        await connection.close()

    thread = threading.Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    held.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()


FAULTS: dict[str, Callable[[Scene], None]] = {
    "connections end": connections_end,
    "the server crashes": server_crashes,
    "a session holds a pool": row_is_locked,
}


def meet(server: Postgres, fault: Callable[[Scene], None]) -> Scene:
    """Cause a fault in a running service and end it. Raises `AnsweredAndLost`."""
    scene = Scene(server)
    try:
        fault(scene)
        scene.work()
        for trader in (scene.trader, scene.other):
            refused, trader.refused = trader.refused, []
            for key in refused:
                trader.bet(key=key)
            if trader.refused:
                raise AssertionError(f"{len(trader.refused)} bets are refused after the fault is over")
    finally:
        scene.service.stop()
    for trader in (scene.trader, scene.other):
        trader.check(scene.url)
    return scene


def main(arguments: list[str]) -> None:
    """Cause every fault, and print the responses."""
    parser = argparse.ArgumentParser(prog="faults database", description=__doc__)
    parser.parse_args(arguments)
    faults = FAULTS | ({"the disk is full": disk_seems_full} if os.geteuid() else {"the disk is full": disk_is_full})
    wrong = 0
    with crashing() as server:
        for name, fault in faults.items():
            scene = meet(server, fault)
            answered = len(scene.trader.answered) + len(scene.other.answered)
            refused = scene.trader.statuses[503] + scene.other.statuses[503]
            found = [*scene.trader.wrong, *scene.other.wrong]
            wrong += len(found)
            print(
                f"{name}: {answered} bets answered and there, {refused} times 503,"
                f" the longest answer took {scene.longest_s:.1f} s",
                flush=True,
            )
            for line in found:
                print(f"  {line}")
    print(f"{len(faults)} faults of PostgreSQL: no answered bet lost, {wrong} answers neither success nor 503")
    if wrong:
        raise SystemExit(1)
