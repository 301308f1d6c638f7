"""Bets a second of `foreknow serve` with one worker and with two, on one PostgreSQL each, spread over many markets.

python -m bench workers
python -m bench workers --share 0.2

With `--share`, each worker gets that part of a core and no more, so that a machine of few cores has enough of them left
for the database and the clients: then workers are the limit, as on a larger machine. That takes root (`bench.quota`).
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.cpu import cpu_s
from bench.load import NextRequest
from bench.quota import limited
from bench.service import BenchService, running

SERVE = (str(Path(sys.executable).with_name("foreknow")), "serve", "--host", "127.0.0.1")


@dataclass(slots=True)
class Served:
    """A service with a number of workers, and the bets that it is offered."""

    service: BenchService
    bets: NextRequest
    process_ids: list[int]

    def cpu_s(self) -> float:
        """Return the CPU seconds that all workers have used so far."""
        return sum(map(cpu_s, self.process_ids))


def main(arguments: list[str]) -> None:
    """Measure one worker and more in turn, round by round, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench workers", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--markets", type=int, default=200, help="number of pools to bet in")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, help="of a core for each worker; none: as much as it can get")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        uvloop.run(_measure([serve(stack, count, options) for count in (1, options.workers)], options))


def serve(stack: contextlib.ExitStack, workers: int, options: argparse.Namespace) -> Served:
    """Run a service with this number of workers until `stack` ends; `options` has `markets`, `connections`, `share`."""
    program = (*SERVE, "--workers", str(workers), "--port")
    service = stack.enter_context(running("postgres", program=program))
    # A trader for each connection: who bets twice at once waits for the own account, wherever it is locked.
    markets, tokens = open_markets(service, options.markets), traders(service, options.connections)
    process_ids = [service.process.pid] if workers == 1 else workers_of(service.process.pid)
    assert len(process_ids) == workers, process_ids
    if options.share is not None:
        stack.enter_context(limited(process_ids, options.share))
    return Served(service, order_requests(BETS, tokens, markets), process_ids)


def workers_of(process_id: int) -> list[int]:
    """Return the workers of a server: the children of the process that forks them."""
    return [worker for child in _children(process_id) for worker in _children(child)]


def _children(process_id: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process_id)], capture_output=True, check=False)
    return [int(line) for line in listed.stdout.split()]


async def _measure(served: list[Served], options: argparse.Namespace) -> None:
    rates: list[float] = []
    costs: list[float] = []
    for _ in range(options.rounds):
        found = [await turn(one, options) for one in served]
        rates.append(found[1][0] / found[0][0])
        costs.append(found[1][1] / found[0][1])
        print(f"ratio {rates[-1]:.2f}, of CPU time a bet {costs[-1]:.2f}", flush=True)
    print(
        f"{options.workers} workers ÷ 1, {options.markets} markets: median ratio {statistics.median(rates):.2f},"
        f" of the workers' CPU time a bet {statistics.median(costs):.2f}"
    )


async def turn(served: Served, options: argparse.Namespace) -> tuple[float, float]:
    """Return bets a second, and the workers' CPU microseconds for each."""
    service = served.service
    # Warm up: the first bet on a market opens positions and takes longer.
    await service.drive(served.bets, connections=options.connections, seconds=2.0)
    before_s = (served.cpu_s(), service.database_cpu_s(), time.process_time())
    figures = await service.drive(served.bets, connections=options.connections, seconds=options.seconds)
    after_s = (served.cpu_s(), service.database_cpu_s(), time.process_time())
    spent = [after - before for after, before in zip(after_s, before_s, strict=True)]
    cores = "  ".join(
        f"{name} {seconds / figures.seconds:.2f}"
        for name, seconds in zip(("workers", "database", "clients"), spent, strict=True)
    )
    print(f"{len(served.process_ids)}: {figures.per_second:,.0f}/s   cores: {cores}", flush=True)
    return figures.per_second, 1e6 * spent[0] / figures.accepted
