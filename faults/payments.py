"""Payments: the process that pays a resolved pool is killed before and after each of its commits; another goes on.

python -m faults payments
python -m faults payments --database postgres

Pools are resolved at once and at the end of a dispute window. After each kill the books must be right, every trader has
the same money (balance plus positions), and the other process pays what is left, each position once.
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

from faults.payer import PIECE_POSITIONS
from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.clock import MINUTE_MS, system_clock
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import Result, WriteTx
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.store import LEASE_MS
from tests.support.books import audit_database
from tests.support.postgres import DURABLE_SETTINGS, running_postgres
from tests.trading.settlement.crowds import Crowd, pay_all, wealth

#: Ends the lease of the process that died, without waiting for it.
LATER_MS = LEASE_MS + 1_000
WINDOW_MINUTES = 1
COMMITS_MAX = 50


class PaidWrongly(AssertionError):
    """A trader has more or less than before, or a pool was not paid."""


@dataclass(slots=True)
class Outcome:
    """Kills, and what was paid in spite of them."""

    kills: int = 0
    pools: int = 0
    positions: int = 0


def kill_payments(url: str, *, commits: Sequence[int] = range(1, COMMITS_MAX)) -> Outcome:
    """Kill a paying process at each of these commits, before and after it, until one ends by itself."""
    migrate(url)
    outcome = Outcome()
    acme: PartnerCaller | None = None
    for has_window in (False, True):
        for commit in commits:
            killed = 0
            for when in ("before", "after"):
                crowd = _run(_prepare(url, acme, has_window=has_window))
                acme = crowd.acme
                killed += _run(_kill(url, crowd, commit=commit, when=when, outcome=outcome))
            outcome.kills += killed
            if killed == 0:
                # Its payment has no more commits than that.
                break
    return outcome


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: the caller's may have an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _prepare(url: str, acme: PartnerCaller | None, *, has_window: bool) -> Crowd:
    """Let a crowd trade in a pool, and decide it; a dispute window has ended."""

    def work(tx: WriteTx) -> Crowd:
        crowd = Crowd(tx, acme=acme)
        if has_window:
            tx.execute(pools.update().where(pools.c.id == crowd.pool_id).values(dispute_minutes=WINDOW_MINUTES))
        crowd.resolve(tx, payouts=[0.5, 0.25, 0.25])
        return crowd

    db = open_database(url, clock=lambda: system_clock() - 2 * WINDOW_MINUTES * MINUTE_MS)
    try:
        return await db.write(work)
    finally:
        await db.close()


async def _kill(url: str, crowd: Crowd, *, commit: int, when: str, outcome: Outcome) -> bool:
    """Kill a process at a commit, let another go on, check; return whether the first died."""
    db = open_database(url, clock=lambda: system_clock() + LATER_MS)
    expected = await _wealth(db, crowd)
    command = [sys.executable, "-m", "faults.payer", url, str(commit), when, "pools"]
    victim = await asyncio.to_thread(subprocess.run, command)
    await asyncio.to_thread(audit_database, url)
    if await _wealth(db, crowd) != expected:
        raise PaidWrongly(f"after the kill {when} commit {commit}")
    survivor = PaymentService(db, piece_positions=PIECE_POSITIONS)
    await pay_all(survivor)
    await asyncio.to_thread(audit_database, url)
    pool = (await db.read(lambda tx: load_pools(tx, [crowd.pool_id])))[crowd.pool_id]
    if await _wealth(db, crowd) != expected or pool.paying:
        raise PaidWrongly(f"after another process went on from the kill {when} commit {commit}")
    await db.close()
    outcome.pools += 1
    outcome.positions += survivor.metrics.positions
    return victim.returncode != 0


async def _wealth(db: Database, crowd: Crowd) -> dict[int, int]:
    return await db.read(lambda tx: wealth(tx, crowd.traders, now_ms=system_clock()))


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog="faults payments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        if options.database == "postgres":
            url = stack.enter_context(running_postgres(DURABLE_SETTINGS)).fresh_database()
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="foreknow-faults-"))
            url = f"sqlite:///{folder}/foreknow.sqlite3"
        outcome = kill_payments(url)
    print(
        f"{options.database}: {outcome.kills} kills in {outcome.pools} payments, {outcome.positions} positions paid by"
        f" the process that went on, no trader had more or less at any check, every book right"
    )
