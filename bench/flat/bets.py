"""How many bets a second the young and the old service take: by old users on one new market, and on old ones."""

from __future__ import annotations

import argparse
import statistics

from bench.bets import BETS, TRADERS, order_requests
from bench.flat.targets import BUSY, OTHERS, Old, sign_in
from bench.load import Figures
from bench.service import BenchService


async def compare_bets(
    young: BenchService, old: BenchService, found: tuple[Old, Old], options: argparse.Namespace
) -> None:
    """Print the ratios of rates and of CPU time a bet."""
    users = [_old_users(one) for one in (young, old)]
    pairs = list(zip((young, old), users, found, strict=True))
    hot = [order_requests(BETS, tokens, [_new_market(service)]) for service, tokens, _ in pairs]
    spread = [order_requests(BETS, tokens, history.open_markets) for _, tokens, history in pairs]
    for name, orders in (("one new market", hot), ("old markets", spread)):
        rates, costs = [], []
        for _ in range(options.rounds):
            first, second = [
                await service.drive(requests, connections=options.connections, seconds=options.seconds)
                for service, requests in zip((young, old), orders, strict=True)
            ]
            if not first.accepted or not second.accepted:
                raise SystemExit(f"{name}: no bet was taken, {first.statuses} {second.statuses}")
            rates.append(second.per_second / first.per_second)
            costs.append(second.cpu_us / first.cpu_us)
            print(f"  {name}: {_line(first)}   {_line(second)}   ratio {rates[-1]:.2f}", flush=True)
        print(
            f"bets, {name}: old/young rate {statistics.median(rates):.2f}, CPU a bet {statistics.median(costs):.2f}",
            flush=True,
        )


def _new_market(service: BenchService) -> int:
    # The busiest of old are creators, too.
    creator = sign_in(service, BUSY[0])["Authorization"].removeprefix("Bearer ")
    return int(service.event(creator)["pools"][0]["markets"][0]["id"])


def _old_users(service: BenchService) -> list[str]:
    headers = [sign_in(service, user_id) for user_id in OTHERS[:TRADERS]]
    return [one["Authorization"].removeprefix("Bearer ") for one in headers]


def _line(metrics: Figures) -> str:
    refused = f" ({metrics.refused} refused)" if metrics.refused else ""
    return f"{metrics.per_second:,.0f}/s, {metrics.cpu_us:.0f} µs of CPU{refused}"
