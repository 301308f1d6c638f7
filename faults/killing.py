"""What the kills of background workers share: each dies before and after each of its commits, and another goes on."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Self

from bench.fill import temporary
from foreknow.kernel.clock import system_clock
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import Result
from foreknow.platform.jobs import piecewise
from foreknow.site.forecast_scores import tables as scores
from tests.support.books import audit_database

#: How far the clock of each further process is ahead: all leases of those before have ended by it.
LATER_MS = max(piecewise.LEASE_MS, scores.LEASE_MS) + 1_000
COMMITS = range(1, 50)


class DoneWrongly(AssertionError):
    """Someone has more or less than before, or something was not done, or done twice."""


class Trial(ABC):
    """Work that is due when processes are killed, and what must hold of it."""

    #: What `faults.payer` is to do.
    what: ClassVar[str]

    def __init__(self) -> None:
        self.kills = 0
        #: How often work was prepared.
        self.rounds = 0

    def kill(self, url: str, *, commits: Sequence[int] = COMMITS, workers: int = 1) -> Self:
        """Kill processes at each of these commits, before and after it, until none dies: there are no more commits."""
        migrate(url)
        for commit in commits:
            killed = 0
            for when in ("before", "after"):
                self.prepare(url)
                killed += run_apart(_kill(url, self, commit=commit, when=when, workers=workers))
            if not killed:
                break
        return self

    @property
    @abstractmethod
    def figures(self) -> str:
        """What came of the kills, in a line."""

    @abstractmethod
    def prepare(self, url: str) -> None:
        """Make work that is due."""

    @abstractmethod
    async def look(self, db: Database) -> None:
        """Note what must hold from now on."""

    @abstractmethod
    async def check(self, db: Database) -> None:
        """Raise `DoneWrongly` unless everyone has what they had, however much is done."""

    @abstractmethod
    async def go_on(self, db: Database) -> None:
        """Do what is left, as another process."""

    @abstractmethod
    async def check_done(self, db: Database) -> None:
        """Raise `DoneWrongly` unless all is done, once."""


def run_apart(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: the caller's may have an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def run_command(name: str, description: str | None, arguments: list[str], trial: Trial) -> None:
    """Run `python -m faults NAME`: kill and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog=f"faults {name}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--workers", type=int, default=1, help="processes at once that are killed (default: 1)")
    options = parser.parse_args(arguments)
    with temporary(options.database) as url:
        print(f"{options.database}: {trial.kill(url, workers=options.workers).figures}")


async def _kill(url: str, trial: Trial, *, commit: int, when: str, workers: int) -> int:
    """Kill processes at a commit, let another go on, check; return how many died."""
    db = open_database(url, clock=lambda: system_clock() + workers * LATER_MS)
    at = f"the kill {when} commit {commit}"
    try:
        await trial.look(db)
        died = await asyncio.gather(
            *(_run_victim(url, str(commit), when, trial.what, str(number * LATER_MS)) for number in range(workers))
        )
        await _check(url, db, trial.check, f"after {at}")
        await trial.go_on(db)
        await _check(url, db, trial.check, f"after another process went on from {at}")
        await _check(url, db, trial.check_done, f"after another process went on from {at}")
    finally:
        await db.close()
    trial.kills += sum(died)
    trial.rounds += 1
    return sum(died)


async def _run_victim(*arguments: str) -> bool:
    """Run a process until it has died or done all that is due; return whether it died."""
    victim = await asyncio.create_subprocess_exec(sys.executable, "-m", "faults.payer", *arguments)
    code = await victim.wait()
    if code not in (0, -signal.SIGKILL):
        raise DoneWrongly(f"a process failed: {arguments}")
    return code != 0


async def _check(url: str, db: Database, check: Callable[[Database], Coroutine[Any, Any, None]], when: str) -> None:
    try:
        await check(db)
        await asyncio.to_thread(audit_database, url)
    except AssertionError as wrong:
        raise DoneWrongly(f"{when}: {wrong}") from wrong
