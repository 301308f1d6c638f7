"""The trade desk against one transaction a bet: the same rules, rows and locks on the same server.

python -m bench naive --database postgres

The naive variant (`bench.server`) runs the desk's own code with batches of one, as many at a time as the pool has
connections. It is tried with fewer and with more clients at once and judged by what suits it best. First all bets are
on one hot market, then they are spread over many.
"""

from __future__ import annotations

import argparse
import statistics

import uvloop

from bench.bets import BETS, line, open_markets, order_requests, traders
from bench.load import Figures, NextRequest
from bench.service import BenchService, running

NAIVE_BETS = "/api/v1/bench/bets"


def main(arguments: list[str]) -> None:
    """Measure the two in turn, round by round, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench naive", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="postgres")
    parser.add_argument("--connections", type=int, default=256, help="clients of the desk at once")
    parser.add_argument("--naive-connections", type=int, nargs="+", default=[8, 32, 256], help="and of the other")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markets", type=int, nargs="+", default=[1, 1000], help="number of pools to bet in")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    tokens = traders(service)
    market_ids = open_markets(service, max(options.markets))
    for count in options.markets:
        desk_bets = order_requests(BETS, tokens, market_ids[:count])
        naive_bets = order_requests(NAIVE_BETS, tokens, market_ids[:count])
        # Warm up: the first bet on a market opens positions and takes longer.
        await service.drive(desk_bets, connections=options.connections, seconds=options.seconds)
        ratios, costs = [], []
        for _ in range(options.rounds):
            desk, desk_us = await _costed(service, desk_bets, options.connections, options.seconds)
            tried = [
                (*await _costed(service, naive_bets, clients, options.seconds), clients)
                for clients in options.naive_connections
            ]
            naive, naive_us, clients = max(tried, key=lambda one: one[0].per_second)
            ratios.append(desk.per_second / naive.per_second)
            costs.append(naive_us / desk_us)
            print(
                line("desk", desk),
                line(f"one transaction a bet ({clients} clients)", naive),
                f"ratio {ratios[-1]:.1f}, by CPU time {costs[-1]:.1f} ({desk_us:,.0f} and {naive_us:,.0f} µs)",
                sep="   ",
                flush=True,
            )
        print(
            f"{options.database}, {count} market(s): median ratio {statistics.median(ratios):.1f},"
            f" by CPU time of server and database {statistics.median(costs):.1f}",
            flush=True,
        )


async def _costed(service: BenchService, bets: NextRequest, connections: int, seconds: float) -> tuple[Figures, float]:
    """Load the server; return what came of it, and the CPU microseconds a bet of server and database together."""
    before_s = service.database_cpu_s()
    metrics = await service.drive(bets, connections=connections, seconds=seconds)
    return metrics, metrics.cpu_us + 1e6 * (service.database_cpu_s() - before_s) / metrics.accepted
