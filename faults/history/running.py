"""One order: processes of clients trade, read and resolve while servers are killed; every answer must have its place.

python -m faults history --operations 20000
python -m faults history --database postgres --processes 2 --operations 1000000

Bets, sales, baskets, limit orders and cancels, reads of pools, of one's own and of all pages, liquidity, splits,
pauses, verdicts and corrections, each written down with its answer and its times. Then the order of each pool, as the
service shows it, is recomputed by exact pricing, and must explain every answer and agree with real time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from bench.fill import temporary
from faults.history import made
from faults.history.checking import Findings, check
from faults.history.made import FinalPool
from faults.history.people import PRINTED_EVERY, OpenPool, Plan
from faults.history.wire import User, Wire
from faults.kills import Killed
from faults.trading import RICH_KOPECKS
from foreknow.platform.db.migrate import migrate
from tests.support.books import audit_database
from tests.support.lists import list_pool
from tests.support.service import ADMIN_EMAIL, PASSWORD, Service, pool

#: Operations of one pool, about.
OF_A_POOL = 2_000
SEED = 9
B = 100_000
#: Least operations of a trader between two traversals of all pages, whose number grows with the pool.
TRAVERSED_EVERY = 40
#: Trades by trade: whose, of which limit order, in which role; by pool.
Owners = defaultdict[int, dict[int, tuple[int, int | None, str | None]]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    operations: int
    kills: int
    #: Processes of the service, and of clients.
    processes: int = 1
    clients: int = 2
    #: Of each process of clients.
    traders: int = 16
    of_a_pool: int = OF_A_POOL


@dataclass(frozen=True, slots=True)
class Cast:
    """Who trades what."""

    traders: list[User]
    admin: User
    pools: list[OpenPool]


def make_cast(database_url: str, sizes: Sizes) -> Cast:
    """Make users, and pools of all kinds."""
    migrate(database_url)
    service = Service(database_url)
    try:
        people = [service.user(balance_kopecks=RICH_KOPECKS) for _ in range(sizes.clients * sizes.traders)]
        pools = [_open_pool(service, place) for place in range(max(2, sizes.operations // sizes.of_a_pool))]
        token = service.sign_in(ADMIN_EMAIL, PASSWORD)
    finally:
        service.stop()
    traders = [User(one.id, one.email, one.password, one.token) for one in people]
    return Cast(traders, User(0, ADMIN_EMAIL, PASSWORD, token), pools)


def _open_pool(service: Service, place: int) -> OpenPool:
    has_window = place % 2 == 1
    kinds = (
        list_pool(b=B),
        pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2], b=B, margin=0.02),
        pool(b=B),
    )
    described = kinds[place % len(kinds)]
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60 if has_window else 0}
    event = service.event(pools=[described])
    (made_pool,) = event["pools"]
    market_ids = [market["id"] for market in made_pool["markets"]]
    other = None if made_pool["other"] is None else market_ids[made_pool["other"]]
    return OpenPool(made_pool["id"], event["id"], market_ids, other, has_window)


class Servers:
    """Processes of one service, killed one after the other."""

    def __init__(self, database_url: str, folder: Path, count: int) -> None:
        """Start them."""
        folders = [folder / str(number) for number in range(count)]
        for one in folders:
            one.mkdir()
        self._all = [Killed(database_url, one) for one in folders]
        self.kills = 0

    @property
    def ports(self) -> list[int]:
        """Their ports."""
        return [server.port for server in self._all]

    def kill_one(self, chance: Random) -> None:
        """Kill one, and start it again."""
        server = chance.choice(self._all)
        server.kill()
        self.kills += 1
        server.start()

    def stop(self) -> None:
        """Kill all."""
        for server in self._all:
            server.kill()


def run_history(
    database_url: str, folder: Path, sizes: Sizes, *, seed: int = SEED
) -> Iterator[tuple[FinalPool, list[Any]]]:
    """Do all operations under kills; yield each pool as the service shows it with its operations, and audit at last."""
    cast = make_cast(database_url, sizes)
    servers = Servers(database_url, folder, sizes.processes)
    try:
        _trade(cast, servers, folder, sizes, seed)
        owners = asyncio.run(_owners(cast, servers.ports))
        for one in cast.pools:
            final = asyncio.run(_final_pool(cast, servers.ports, one, owners))
            operations = [made.read(folder / f"{one.id}.{number}") for number in range(sizes.clients)]
            yield final, [operation for each in operations for operation in each]
    finally:
        servers.stop()
    audit_database(database_url)


def _trade(cast: Cast, servers: Servers, folder: Path, sizes: Sizes, seed: int) -> None:
    clients = []
    for number in range(sizes.clients):
        plan = Plan(
            number=number,
            processes=sizes.clients,
            ports=servers.ports,
            traders=cast.traders[number :: sizes.clients],
            admin=cast.admin,
            pools=cast.pools,
            operations=sizes.operations // sizes.clients,
            seed=seed + number,
            traversed_every=max(TRAVERSED_EVERY, sizes.of_a_pool // 10),
            folder=str(folder),
        )
        path = folder / f"plan.{number}"
        path.write_bytes(msgspec.json.encode(plan))
        command = [sys.executable, "-m", "faults.history.people", str(path)]
        clients.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    counter = _Counter(clients)
    chance = Random(seed)
    try:
        for number in range(sizes.kills):
            counter.wait(sizes.operations * (number + 1) // (sizes.kills + 1))
            time.sleep(chance.random() * 0.02)
            servers.kill_one(chance)
        counter.wait_for_end()
    finally:
        for client in clients:
            client.kill()
            client.wait()


class _Counter:
    """Counts what processes of clients say that they have done."""

    def __init__(self, clients: Sequence[subprocess.Popen[str]]) -> None:
        self._clients = clients
        self._done = 0
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._listen, args=(client,)) for client in clients]
        for thread in self._threads:
            thread.start()

    def wait(self, operations: int) -> None:
        """Wait until this many operations were done, or all have ended."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._done >= operations or not any(thread.is_alive() for thread in self._threads)
            )

    def wait_for_end(self) -> None:
        """Wait for the end of all. Raises `RuntimeError` where one failed."""
        for thread in self._threads:
            thread.join()
        if any(client.wait() for client in self._clients):
            raise RuntimeError("a process of clients failed")

    def _listen(self, client: subprocess.Popen[str]) -> None:
        assert client.stdout is not None
        with client.stdout as lines:
            for _line in lines:
                with self._changed:
                    self._done += PRINTED_EVERY
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()


async def _owners(cast: Cast, ports: Sequence[int]) -> Owners:
    """Return whose each trade is, by the own lists of all traders."""
    found: Owners = defaultdict(dict)
    for user in cast.traders:
        with contextlib.closing(Wire(ports, user, Random(SEED))) as wire:
            for row in await _rows(wire, "/users/me/trades", "trades"):
                found[row["pool_id"]][row["id"]] = (user.id, row["order_id"], row["role"])
    return found


async def _final_pool(cast: Cast, ports: Sequence[int], one: OpenPool, owners: Owners) -> FinalPool:
    with contextlib.closing(Wire(ports, cast.admin, Random(SEED))) as wire:
        trades = await _rows(wire, f"/events/{one.event_id}/trades", "trades")
        _, page, *_ = await wire.read(f"/events/{one.event_id}/page", is_anonymous=True)
    return FinalPool(page, trades, owners[one.id])


async def _rows(wire: Wire, path: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        status, page, *_ = await wire.read(f"{path}?limit=100{cursor}")
        assert status == 200, page
        rows += page[name]
        if not page["has_more"]:
            return rows
        cursor = f"&cursor={page['next_cursor']}"


def check_history(database_url: str, sizes: Sizes, *, seed: int = SEED) -> Findings:
    """Do all operations under kills, and check each pool."""
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder:
        for final, operations in run_history(database_url, Path(folder), sizes, seed=seed):
            findings.add(check(final, operations))
    return findings


def main(arguments: list[str]) -> None:
    """Trade, kill, check; print the figures. Raises where something does not agree."""
    parser = argparse.ArgumentParser(
        prog="faults history", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--processes", type=int, default=1, help="of the service; PostgreSQL alone (default: 1)")
    parser.add_argument("--clients", type=int, default=2, help="processes of clients (default: 2)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of what clients choose (default: {SEED})")
    options = parser.parse_args(arguments)
    sizes = Sizes(options.operations, options.kills, processes=options.processes, clients=options.clients)
    with temporary(options.database) as url:
        began_s = time.monotonic()
        found = check_history(url, sizes, seed=options.seed)
    done = ", ".join(f"{count:,} {kind}" for kind, count in sorted(found.operations.items()))
    print(
        f"{options.database}: {found.operations.total():,} operations by {options.clients} processes on"
        f" {options.processes} of the service, {options.kills} kills, in {time.monotonic() - began_s:,.0f} s: {done};"
        f" {found.trades:,} trades, {found.refused:,} refused, {found.unknown} without an answer ({found.executed} of"
        f" them executed); {found.placed:,} placed in one order a pool, {len(found.wrong)} do not agree"
    )
    if found.wrong:
        raise SystemExit("\n".join(found.wrong[:20]))
