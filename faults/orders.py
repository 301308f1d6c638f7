"""Limit orders: the process that pays and ends resting orders is killed before and after each of its commits.

python -m faults orders
python -m faults orders --database postgres

Orders were filled and have expired while no worker ran. After each kill the books must be right and every owner has the
same money (balance plus what orders hold); another process does what is left, each payment and each notice once.
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
from foreknow.kernel.clock import iso, system_clock
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import ReadTx, Result
from foreknow.trading.limit_orders.worker import OrderWorker
from tests.support.books import audit_database
from tests.support.limit_orders import rest, stop_worker
from tests.support.postgres import DURABLE_SETTINGS, running_postgres
from tests.support.service import Service, expect

COMMITS_MAX = 50
MAKERS = 3
POOLS = 3
#: When the orders expire that are to, before their time is set to the past.
AHEAD_MS = 3_600_000


class PaidWrongly(AssertionError):
    """An owner has more or less than before, or something was not done, or twice."""


@dataclass(slots=True)
class OrderOutcome:
    """Kills, and what was done in spite of them by the processes that went on."""

    kills: int = 0
    paid: int = 0
    ended: int = 0


def kill_order_workers(url: str, *, commits: Sequence[int] = range(1, COMMITS_MAX)) -> OrderOutcome:
    """Kill a worker at each of these commits, before and after it, until one ends by itself."""
    migrate(url)
    outcome = OrderOutcome()
    for commit in commits:
        killed = 0
        for when in ("before", "after"):
            fills = _prepare(url)
            _run(_let_expire(url))
            killed += _run(_kill(url, commit=commit, when=when, fills=fills, outcome=outcome))
        outcome.kills += killed
        if killed == 0:
            # Its work has no more commits than that.
            break
    return outcome


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: the caller's may have an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _prepare(url: str) -> int:
    """Let orders rest in some pools, fill some and let the others expire; return how many were filled."""
    service = Service(url)
    try:
        stop_worker(service)
        makers = [service.user(balance_kopecks=20_000) for _ in range(MAKERS)]
        taker = service.user(balance_kopecks=1_000_000)
        expires_at = iso(system_clock() + AHEAD_MS)
        markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(POOLS)]
        for market in markets:
            for maker in makers:
                rest(maker, market, "YES", "buy", shares=1_000, price=45)
                rest(maker, market, "YES", "buy", shares=1_000, price=5, expires_at=expires_at)
            body = {"market_id": market, "token_type": "NO", "amount_kopecks": 30_000}
            expect(taker.client.post("/market/bets", json=body), 201)
    finally:
        service.stop()
    return MAKERS * POOLS


async def _let_expire(url: str) -> None:
    """Let the time of the orders that are to expire be past."""
    db = open_database(url)
    await db.write(lambda tx: tx.execute(sa.text("UPDATE limit_orders SET expires_at_ms = 1 WHERE expires_at_ms > 1")))
    await db.close()


async def _kill(url: str, *, commit: int, when: str, fills: int, outcome: OrderOutcome) -> bool:
    """Kill a process at a commit, let another go on, check; return whether the first died."""
    db = open_database(url)
    expected, notices = await db.read(_wealth), await db.read(_notices)
    command = [sys.executable, "-m", "faults.payer", url, str(commit), when, "orders"]
    victim = await asyncio.to_thread(subprocess.run, command)
    await asyncio.to_thread(audit_database, url)
    if await db.read(_wealth) != expected:
        raise PaidWrongly(f"after the kill {when} commit {commit}")
    await _go_on(db, outcome)
    await asyncio.to_thread(audit_database, url)
    if await db.read(_wealth) != expected or await db.read(_left):
        raise PaidWrongly(f"after another process went on from the kill {when} commit {commit}")
    if await db.read(_notices) != notices + fills:
        raise PaidWrongly(f"owners were not notified once of each fill, after the kill {when} commit {commit}")
    await db.close()
    return victim.returncode != 0


async def _go_on(db: Database, outcome: OrderOutcome) -> None:
    survivor = OrderWorker(db, piece=PIECE_POSITIONS)
    while await survivor.run_due():
        pass
    # Pools that it did not get at once.
    while await db.read(_left):
        await survivor.run_due()
    outcome.paid += survivor.metrics.paid
    outcome.ended += survivor.metrics.ended


def pay_what_is_left(url: str) -> None:
    """Do what killed processes have left to be done for fills and ends."""
    _run(_pay_what_is_left(url))


async def _pay_what_is_left(url: str) -> None:
    db = open_database(url)
    worker = OrderWorker(db)
    while await db.read(_owes):
        await worker.run_due()
    await db.close()


def _owes(tx: ReadTx) -> bool:
    return bool(tx.execute(sa.text("SELECT COUNT(*) FROM order_dues")).scalar_one())


def _wealth(tx: ReadTx) -> dict[int, int]:
    query = sa.text("""
        SELECT u.id, a.balance_kopecks + COALESCE(o.held, 0)
        FROM users u JOIN accounts a ON a.id = u.account_id
        LEFT JOIN (SELECT user_id, SUM(held_kopecks) AS held FROM limit_orders GROUP BY user_id) o ON o.user_id = u.id
    """)
    return {user_id: int(kopecks) for user_id, kopecks in tx.execute(query)}


def _notices(tx: ReadTx) -> int:
    return int(tx.execute(sa.text("SELECT COUNT(*) FROM notifications WHERE type = 'order_filled'")).scalar_one())


def _left(tx: ReadTx) -> bool:
    query = sa.text(
        "SELECT (SELECT COUNT(*) FROM limit_orders WHERE status = 'open') + (SELECT COUNT(*) FROM order_dues)"
    )
    return bool(tx.execute(query).scalar_one())


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(
        prog="faults orders", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        if options.database == "postgres":
            url = stack.enter_context(running_postgres(DURABLE_SETTINGS)).fresh_database()
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="foreknow-faults-"))
            url = f"sqlite:///{folder}/foreknow.sqlite3"
        outcome = kill_order_workers(url)
    print(
        f"{options.database}: {outcome.kills} kills; {outcome.paid} fills were paid and {outcome.ended} orders ended by"
        f" the processes that went on, no owner had more or less at any check, every book right"
    )
