"""Splits: the process that turns a list's positions is killed before and after each of its commits; another goes on.

python -m faults splits
python -m faults splits --database postgres

After each kill the books must be right, and the other process turns what is left, each position once: a holder of
Other then has as many shares of the new outcome as of Other before.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from faults.payer import PIECE_POSITIONS
from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.clock import system_clock
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import ReadTx, Result
from foreknow.trading.lists.store import LEASE_MS
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.positions.tables import positions
from tests.support.books import audit_database
from tests.support.postgres import DURABLE_SETTINGS, running_postgres
from tests.trading.lists.crowds import ListCrowd, read_list, split_crowd, turn_all, turned_count

#: Ends the lease of the process that died, without waiting for it.
LATER_MS = LEASE_MS + 1_000
COMMITS_MAX = 50
#: Indexes in the list of a crowd, once it is split.
OTHER, ADDED = 2, 3


class TurnedWrongly(AssertionError):
    """A holder has more or less than before, or a list was not turned."""


@dataclass(slots=True)
class Outcome:
    """Kills, and what was turned in spite of them."""

    kills: int = 0
    lists: int = 0
    positions: int = 0


def kill_turns(url: str, *, commits: Sequence[int] = range(1, COMMITS_MAX)) -> Outcome:
    """Kill a turning process at each of these commits, before and after it, until one ends by itself."""
    migrate(url)
    outcome = Outcome()
    acme: PartnerCaller | None = None
    for commit in commits:
        killed = 0
        for when in ("before", "after"):
            made = _run(_prepare(url, acme))
            acme = made.acme
            killed += _run(_kill(url, made, commit=commit, when=when, outcome=outcome))
        outcome.kills += killed
        if killed == 0:
            # Its turn has no more commits than that.
            break
    return outcome


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: the caller's may have an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _prepare(url: str, acme: PartnerCaller | None) -> ListCrowd:
    """Let a crowd trade in a list, and split it."""
    db = open_database(url)
    try:
        return await split_crowd(db, acme=acme)
    finally:
        await db.close()


async def _kill(url: str, made: ListCrowd, *, commit: int, when: str, outcome: Outcome) -> bool:
    """Kill a process at a commit, let another go on, check; return whether the first died."""
    db = open_database(url, clock=lambda: system_clock() + LATER_MS)
    try:
        turned_before = await db.read(turned_count)
        expected = await db.read(lambda tx: _shares(tx, made, outcome=OTHER))
        command = [sys.executable, "-m", "faults.payer", url, str(commit), when, "lists"]
        victim = await asyncio.to_thread(subprocess.run, command)
        await asyncio.to_thread(audit_database, url)
        left = len(expected) - (await db.read(turned_count) - turned_before)
        await turn_all(SplitTurner(db, piece_positions=PIECE_POSITIONS))
        await asyncio.to_thread(audit_database, url)
        pool = await db.read(lambda tx: read_list(tx, made))
        others = await db.read(lambda tx: _shares(tx, made, outcome=OTHER))
        added = await db.read(lambda tx: _shares(tx, made, outcome=ADDED))
        if pool.turning or others != expected or added != expected:
            raise TurnedWrongly(f"after another process went on from the kill {when} commit {commit}")
        if await db.read(turned_count) - turned_before != len(expected):
            raise TurnedWrongly(f"a position was turned twice or never, after the kill {when} commit {commit}")
    finally:
        await db.close()
    outcome.lists += 1
    outcome.positions += left
    return victim.returncode != 0


def _shares(tx: ReadTx, made: ListCrowd, *, outcome: int) -> dict[int, int]:
    """Return the YES shares of an outcome that each trader holds."""
    market = read_list(tx, made).markets[outcome].id
    held = sa.select(positions.c.user_id, positions.c.shares).where(
        positions.c.market_id == market, positions.c.side == "YES", positions.c.closed_at_ms.is_(None)
    )
    return {row.user_id: row.shares for row in tx.execute(held)}


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog="faults splits", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        if options.database == "postgres":
            url = stack.enter_context(running_postgres(DURABLE_SETTINGS)).fresh_database()
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="foreknow-faults-"))
            url = f"sqlite:///{folder}/foreknow.sqlite3"
        outcome = kill_turns(url)
    print(
        f"{options.database}: {outcome.kills} kills in {outcome.lists} splits, {outcome.positions} positions turned by"
        f" the process that went on, each once, every book right"
    )
