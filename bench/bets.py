"""Durable bets a second over HTTP on one hot market, against an authenticated no-op POST of the same app.

python -m bench bets --database sqlite
python -m bench bets --database postgres --markets 1000
"""

from __future__ import annotations

import argparse
import itertools
import statistics

import msgspec
import uvloop

from bench.load import Figures, NextRequest, request
from bench.service import BenchService, running

TRADERS = 64
BETS = "/api/v1/market/bets"
NOOP = "/api/v1/bench/noop"


def main(arguments: list[str]) -> None:
    """Measure both in turn, round by round, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench bets", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markets", type=int, default=1, help="number of pools to bet in")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    bets, noops = bets_and_noops(service, options.markets)
    ratios: list[float] = []
    costs: list[float] = []
    load = {"connections": options.connections, "seconds": options.seconds}
    for _ in range(options.rounds):
        noop = await service.drive(noops, **load)
        bet = await service.drive(bets, **load)
        ratios.append(bet.per_second / noop.per_second)
        costs.append(noop.cpu_us / bet.cpu_us)
        print(line("no-op", noop), line("bets", bet), f"ratio {ratios[-1]:.2f}", sep="   ", flush=True)
    print(
        f"{options.database}, {options.markets} market(s): median ratio {statistics.median(ratios):.2f},"
        f" by the server's CPU time {statistics.median(costs):.2f}"
    )


def bets_and_noops(service: BenchService, markets: int) -> tuple[NextRequest, NextRequest]:
    """Open pools and sign up traders; return a source of bets on them, and one of no-ops of the same shape."""
    market_ids, tokens = open_markets(service, markets), traders(service)
    return order_requests(BETS, tokens, market_ids), order_requests(NOOP, tokens, market_ids)


def open_markets(service: BenchService, count: int) -> list[int]:
    """Open `count` yes/no pools, 100 for each event, and return the ids of their markets."""
    creator = service.trader(0, creator=True)
    return [
        pool["markets"][0]["id"]
        for opened in range(0, count, 100)
        for pool in service.event(creator, pools=min(count - opened, 100))["pools"]
    ]


def traders(service: BenchService, count: int = TRADERS) -> list[str]:
    """Sign up funded traders, and return their access tokens."""
    return [service.trader(1 + number) for number in range(count)]


def order_requests(path: str, tokens: list[str], market_ids: list[int]) -> NextRequest:
    """Return a source of orders: traders in turn, YES and NO in turn so that the price stays near 0.5."""
    markets = itertools.cycle(market_ids)
    sides = itertools.cycle(["YES", "NO"])
    # Different stakes: equal bets in turn return to the same prices, which are ties that floats cannot decide.
    stakes = itertools.cycle(range(701, 1300, 7))

    def next_request(connection: int) -> bytes:
        body = {"market_id": next(markets), "token_type": next(sides), "amount_kopecks": next(stakes)}
        headers = {"Authorization": f"Bearer {tokens[connection % len(tokens)]}"}
        return request("POST", path, headers=headers, body=msgspec.json.encode(body))

    return next_request


def line(name: str, metrics: Figures) -> str:
    """Print the result of a load."""
    note = f" ({metrics.refused} refused)" if metrics.refused else ""
    return (
        f"{name} {metrics.per_second:,.0f}/s, {metrics.cpu_us:.0f} µs of CPU each,"
        f" p99 {metrics.percentile_ms(0.99):.1f} ms{note}"
    )
