"""Durable bets a second over HTTP on one hot market, against an authenticated no-op POST of the same app.

python -m bench bets --database sqlite
python -m bench bets --database postgres
"""

from __future__ import annotations

import argparse
import itertools
import statistics

import msgspec
import uvloop

from bench.load import Figures, NextRequest, drive, request
from bench.service import BenchService, running

TRADERS = 64


def main(arguments: list[str]) -> None:
    """Measure in turn, round by round, and print the median ratio."""
    parser = argparse.ArgumentParser(prog="bench bets", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markets", type=int, default=1, help="spread the bets over so many pools")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator = service.trader(0, creator=True)
    market_ids = [
        pool["markets"][0]["id"]
        for _ in range(0, options.markets, 100)
        for pool in service.event(creator, pools=min(options.markets, 100))["pools"]
    ]
    tokens = [service.trader(1 + number) for number in range(TRADERS)]
    noops, bets = (
        order_requests("/api/v1/bench/noop", tokens, market_ids),
        order_requests("/api/v1/market/bets", tokens, market_ids),
    )
    ratios: list[float] = []
    load = {"connections": options.connections, "seconds": options.seconds}
    for _ in range(options.rounds):
        noop = await drive(service.url, noops, **load)
        bet = await drive(service.url, bets, **load)
        ratios.append(bet.per_second / noop.per_second)
        print(_line("no-op", noop), _line("bets", bet), f"ratio {ratios[-1]:.2f}", sep="   ", flush=True)
    print(f"{options.database}, {len(market_ids)} market(s): median ratio {statistics.median(ratios):.2f}")


def order_requests(path: str, tokens: list[str], market_ids: list[int]) -> NextRequest:
    """Make orders of the traders in turn, YES and NO in turn so that the price stays near the middle."""
    markets = itertools.cycle(market_ids)
    sides = itertools.cycle(["YES", "NO"])
    # Not all alike: equal bets in turn lead back to the same prices for ever, and those are ties, which floats decide
    # for nobody.
    stakes = itertools.cycle(range(701, 1300, 7))

    def next_request(connection: int) -> bytes:
        body = {"market_id": next(markets), "token_type": next(sides), "amount_kopecks": next(stakes)}
        headers = {"Authorization": f"Bearer {tokens[connection % len(tokens)]}"}
        return request("POST", path, headers=headers, body=msgspec.json.encode(body))

    return next_request


def _line(name: str, figures: Figures) -> str:
    refused = sum(count for status, count in figures.statuses.items() if status >= 300)
    note = f" ({refused} refused)" if refused else ""
    return f"{name} {figures.per_second:,.0f}/s p99 {figures.percentile_ms(0.99):.1f} ms{note}"
