"""How many bets a second the young and the old service take: on one new market, and on old ones by old users."""

from __future__ import annotations

import argparse
import statistics

from bench.bets import BETS, TRADERS, order_requests, traders
from bench.flat.targets import OTHERS, Old, sign_in
from bench.load import Figures
from bench.service import BenchService


async def compare_bets(
    young: BenchService, old: BenchService, found: tuple[Old, Old], options: argparse.Namespace
) -> None:
    """Print the ratios of rates and of CPU time a bet."""
    hot = [order_requests(BETS, traders(one), [_new_market(one)]) for one in (young, old)]
    spread = [
        order_requests(BETS, _old_users(one), history.open_markets)
        for one, history in zip((young, old), found, strict=True)
    ]
    for name, orders in (("one new market", hot), ("old markets, old users", spread)):
        rates, costs = [], []
        for _ in range(options.rounds):
            first, second = [
                await service.drive(requests, connections=options.connections, seconds=options.seconds)
                for service, requests in zip((young, old), orders, strict=True)
            ]
            rates.append(second.per_second / first.per_second)
            costs.append(second.cpu_us / first.cpu_us)
            print(f"  {name}: {_line(first)}   {_line(second)}   ratio {rates[-1]:.2f}", flush=True)
        print(
            f"bets, {name}: old/young rate {statistics.median(rates):.2f}, CPU a bet {statistics.median(costs):.2f}",
            flush=True,
        )


def _new_market(service: BenchService) -> int:
    creator = service.trader(0, creator=True)
    return int(service.event(creator)["pools"][0]["markets"][0]["id"])


def _old_users(service: BenchService) -> list[str]:
    headers = [sign_in(service, user_id) for user_id in OTHERS[:TRADERS]]
    return [one["Authorization"].removeprefix("Bearer ") for one in headers]


def _line(figures: Figures) -> str:
    refused = f" ({figures.refused} refused)" if figures.refused else ""
    return f"{figures.per_second:,.0f}/s, {figures.cpu_us:.0f} µs of CPU{refused}"
