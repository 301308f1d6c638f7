"""Disks that are full or fail under SQLite: what is answered meanwhile, and what is left after.

python -m faults disk

Reads, writes and syncs fail as SQLite's own functions would say it; the files that are cut short or removed really
are. Each fault meets a service at work: nothing may be answered but successes and 503, and every answered bet must be
there once the fault is over, books and all.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from faults.trading import Trader, open_trader
from faults.vfs import SQLITE_FULL, SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_FSYNC, Disk, watched
from foreknow.platform.db.migrate import migrate
from tests.support.service import Service

#: Before and while each fault.
BETS = 10
READS = ("/ready", "/users/me", "/events?limit=5", "/market/positions", "/events?q=event")
NOTICED_WITHIN_S = 60.0


class Scene:
    """A service at work on a database in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Start it."""
        self.path = folder / "foreknow.sqlite3"
        self.url = f"sqlite:///{self.path}"
        migrate(self.url)
        self.service = Service(self.url)
        self.trader = open_trader(self.service)
        self.work()

    def work(self) -> None:
        """Bet and read."""
        for _ in range(BETS):
            self.trader.bet()
        self.trader.look(*READS)

    def forget_pages(self) -> None:
        """Make every connection read the file again, as a write of another process does."""
        with contextlib.closing(sqlite3.connect(self.path)) as other, other:
            other.execute("UPDATE alembic_version SET version_num = version_num")

    def restart(self) -> None:
        """Stop and start, as the log advises."""
        self.service.restart()
        token = self.trader.person.token
        self.trader.person.client.close()
        client = self.service.client(token=token)
        object.__setattr__(self.trader.person, "client", client)


def fails(kind: str, code: int) -> Callable[[Scene, Disk], None]:
    """Let reads, writes or syncs fail for a while."""

    def fault(scene: Scene, disk: Disk) -> None:
        scene.forget_pages()
        disk.errors[kind] = code
        scene.work()
        disk.errors.clear()

    return fault


def removed(suffix: str) -> Callable[[Scene, Disk], None]:
    """Remove a file under the service's hands, then restart it."""

    def fault(scene: Scene, _disk: Disk) -> None:
        Path(f"{scene.path}{suffix}").unlink()
        refused_after(scene.trader)
        scene.work()
        scene.restart()

    return fault


def replaced(scene: Scene, _disk: Disk) -> None:
    """Put a copy in the database's place, as a careless restore does, and back again."""
    aside, copy = scene.path.with_name("aside"), scene.path.with_name("copy")
    copy.write_bytes(scene.path.read_bytes())
    scene.path.rename(aside)
    copy.rename(scene.path)
    refused_after(scene.trader)
    scene.work()
    aside.rename(scene.path)
    scene.restart()


def cut_short(scene: Scene, _disk: Disk) -> None:
    """Let the end of the database be gone for a while."""
    with contextlib.closing(sqlite3.connect(scene.path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    scene.forget_pages()
    whole = scene.path.read_bytes()
    os.truncate(scene.path, len(whole) // 2)
    scene.trader.look(*READS)
    scene.trader.bet()
    with scene.path.open("r+b") as file:
        file.write(whole)
    # What SQLite read as zeros it keeps in memory.
    scene.restart()


def refused_after(trader: Trader) -> float:
    """Bet until a bet is refused; return how long that took."""
    began_s = time.monotonic()
    while trader.bet()[1] != 503:
        if time.monotonic() > began_s + NOTICED_WITHIN_S:
            raise AssertionError("bets are still accepted")
    return time.monotonic() - began_s


FAULTS: dict[str, Callable[[Scene, Disk], None]] = {
    "reads fail": fails("read", SQLITE_IOERR_CORRUPTFS),
    "the disk is full": fails("write", SQLITE_FULL),
    "syncs fail": fails("sync", SQLITE_IOERR_FSYNC),
    "the database is cut short": cut_short,
    "the log is removed": removed("-wal"),
    "the log's index is removed": removed("-shm"),
    "the database is replaced": replaced,
}


@contextlib.contextmanager
def scene() -> Iterator[tuple[Scene, Disk]]:
    """Run a service in a folder whose files can be made to fail."""
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder, watched(Path(folder)) as disk:
        disk.is_noting = False
        opened = Scene(disk.folder)
        try:
            yield opened, disk
        finally:
            disk.errors.clear()
            opened.service.stop()


def meet(fault: Callable[[Scene, Disk], None]) -> Trader:
    """Let a service at work meet a fault and get over it; return its trader. Raises `AnsweredAndLost`."""
    with scene() as (at_work, disk):
        trader = at_work.trader
        fault(at_work, disk)
        at_work.work()
        refused, trader.refused = trader.refused, []
        for key in refused:
            trader.bet(key=key)
        if trader.refused:
            raise AssertionError(f"{len(trader.refused)} bets are refused after the fault is over")
        at_work.service.stop()
        trader.check(at_work.url)
    return trader


def main(arguments: list[str]) -> None:
    """Let a service meet every fault, and print what it answered."""
    parser = argparse.ArgumentParser(prog="faults disk", description=__doc__)
    parser.parse_args(arguments)
    wrong = 0
    for name, fault in FAULTS.items():
        trader = meet(fault)
        wrong += len(trader.wrong)
        print(f"{name}: {len(trader.answered)} bets answered and there, {trader.statuses[503]} times 503", flush=True)
        for line in trader.wrong:
            print(f"  {line}")
    print(f"{len(FAULTS)} faults of the disk: no answered bet lost, {wrong} answers that were neither success nor 503")
    if wrong:
        raise SystemExit(1)
