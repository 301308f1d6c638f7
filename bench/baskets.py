"""CPU time of baskets of 2, 10 and 100 legs, each against a bet in the same pool, over HTTP.

Each is a purchase, one trade as a bet is one; swaps, which buy half of their legs and sell the others, are two.

python -m bench baskets
python -m bench baskets --database postgres --seconds 2
python -m bench baskets --swaps
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any

import msgspec
import uvloop

from bench.bets import line, traders
from bench.load import Figures, NextRequest, request
from bench.service import BenchService, running

BETS = "/api/v1/market/bets"
BASKETS = "/api/v1/market/baskets"
#: Legs of a basket, markets of its pool, and the most that it may cost of a bet.
SIZES = ((2, 10, 1.5), (10, 20, 2.5), (100, 100, 10.0))
#: Shares of a leg; different ones, so that baskets in turn do not return to the same prices.
SHARES = range(301, 500, 7)
#: Sold of a leg: fewer, of what is held.
SOLD_SHARES = 200
#: Baskets of a trader that buy alone.
FIRST = 4


def main(arguments: list[str]) -> None:
    """Measure both in turn, round by round, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench baskets", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--swaps", action="store_true", help="buy half of the legs and sell the others")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator, tokens = service.trader(0, creator=True), traders(service)
    load = {"connections": options.connections, "seconds": options.seconds}
    for legs, markets, most in SIZES:
        market_ids = _open_pool(service, creator, markets)
        ratios: list[float] = []
        for _ in range(options.rounds):
            bet = await _drive(service, _bets(tokens, market_ids), load)
            baskets = _swaps(tokens, market_ids, legs) if options.swaps else _purchases(tokens, market_ids, legs)
            basket = await _drive(service, baskets, load)
            ratios.append(basket[1] / bet[1])
            print(
                line("bets", bet[0]), line(f"{legs} legs", basket[0]), f"ratio {ratios[-1]:.2f}", sep="   ", flush=True
            )
        print(
            f"{options.database}: a basket of {legs} legs in a pool of {markets} takes {statistics.median(ratios):.2f}"
            f" times the CPU time of a bet{'' if options.swaps else f', at most {most}'}"
        )


async def _drive(service: BenchService, requests: NextRequest, load: dict[str, Any]) -> tuple[Figures, float]:
    """Load the service; return the figures, and the CPU time of an order, that of PostgreSQL included, µs."""
    before_s = service.database_cpu_s()
    figures = await service.drive(requests, **load)
    database_us = 1e6 * (service.database_cpu_s() - before_s) / (figures.per_second * load["seconds"])
    return figures, figures.cpu_us + database_us


def _open_pool(service: BenchService, creator: str, markets: int) -> list[int]:
    """Open a pool of some markets, and return their ids."""
    metadata = {"market_names": [f"Outcome {n}" for n in range(markets)], "lmsr_b_kopecks": 10**7}
    headers = {"Authorization": f"Bearer {creator}"}
    body = {"name": "Bench", "pools": [{"name": "Pool", "metadata": metadata}]}
    created = service.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
    service.admin.post(f"/events/{created['id']}/publish", headers=headers).raise_for_status()
    return [market["id"] for market in created["pools"][0]["markets"]]


def _bets(tokens: list[str], market_ids: list[int]) -> NextRequest:
    """Return a source of bets: markets in turn, so that the prices stay about the same."""
    markets, stakes = itertools.cycle(market_ids), itertools.cycle(SHARES)
    sides = itertools.cycle(["YES", "NO"])

    def next_request(connection: int) -> bytes:
        body = {"market_id": next(markets), "token_type": next(sides), "amount_kopecks": next(stakes)}
        return _request(BETS, tokens[connection % len(tokens)], body)

    return next_request


def _purchases(tokens: list[str], market_ids: list[int], legs: int) -> NextRequest:
    """Return a source of stakes on sets; of all of a pool's markets, of purchases of each."""
    stakes, starts = itertools.cycle(SHARES), itertools.cycle(range(len(market_ids)))
    around = market_ids * 2

    def next_request(connection: int) -> bytes:
        start = next(starts)
        chosen = around[start : start + legs]
        body: dict[str, Any] = {"market_ids": chosen, "amount_kopecks": next(stakes)}
        if legs == len(market_ids):
            body = {"changes": [{"market_id": market_id, "shares": next(stakes)} for market_id in chosen]}
        return _request(BASKETS, tokens[connection % len(tokens)], body)

    return next_request


def _swaps(tokens: list[str], market_ids: list[int], legs: int) -> NextRequest:
    """Return a source of baskets that buy half of their legs and sell the others, in turn, of what they have bought.

    The first of a trader buy alone.
    """
    counts = [0] * len(tokens)
    shares = itertools.cycle(SHARES)
    chosen = market_ids[:legs]

    def next_request(connection: int) -> bytes:
        trader = connection % len(tokens)
        number, counts[trader] = counts[trader], counts[trader] + 1
        changes: list[dict[str, int]] = []
        for place, market_id in enumerate(chosen):
            is_bought = number < FIRST or (place + number) % 2
            changes.append({"market_id": market_id, "shares": next(shares) if is_bought else -SOLD_SHARES})
        return _request(BASKETS, tokens[trader], {"changes": changes})

    return next_request


def _request(path: str, token: str, body: dict[str, Any]) -> bytes:
    return request("POST", path, headers={"Authorization": f"Bearer {token}"}, body=msgspec.json.encode(body))
