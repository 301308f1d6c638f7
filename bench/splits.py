"""Taking an outcome out of a list with many holders of Other, and how long bets in it and elsewhere wait meanwhile.

python -m bench splits --database sqlite
python -m bench splits --database postgres --positions 10000
python -m bench splits --turned 10

Every position has an owner of its own; the rows are made without the interface. Every second bet is in the list, the
others are in another pool; they come at random moments, and their latency counts from the moment they were due. The
same load before the split, in the same run, shows the machine's part.

With `--turned N` bets are compared instead: in a list out of which N outcomes were taken, all turned, and in a plain
pool of as many outcomes, in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from typing import Any

import httpx
import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import Figures, NextRequest
from bench.payments import SHARES, SLICE_S, fill_pool, latencies, load
from bench.resting import give_money
from bench.service import BenchService, running
from bench.spread import Spread
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.positions.tables import positions
from tests.trading.settlement.world import crowd


def main(arguments: list[str]) -> None:
    """Measure the load alone, then beside a split, and print both."""
    parser = argparse.ArgumentParser(
        prog="bench splits", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    parser.add_argument(
        "--turned", type=int, default=0, help="compare bets in a list of that number of splits with a plain pool"
    )
    parser.add_argument("--rounds", type=int, default=5, help="with --turned")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load, with --turned")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_compare(service, options) if options.turned else _measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator = service.trader(99, creator=True)
    pool = _open_list(service, creator)
    await fill_pool(service.database, pool["id"], _hold_other, options.positions)
    markets = [pool["markets"][0]["id"], *open_markets(service, 1)]
    requests = order_requests(BETS, traders(service), markets)
    await load(service, requests, options.bets_per_second, 2.0)
    idle = await load(service, requests, options.bets_per_second, options.idle_seconds)
    print("bets alone:", latencies(idle), flush=True)
    seconds, answered_s, beside = await _split(service, creator, pool["id"], requests, options.bets_per_second)
    print("beside it: ", latencies(beside))
    print(
        f"{options.database}: {options.positions:,} positions turned in {seconds:.1f} s"
        f" ({options.positions / seconds:,.0f}/s), POST outcomes answered after {answered_s:.1f} s;"
        f" longest wait of a bet {max(beside.latencies_ms):.0f} ms, alone {max(idle.latencies_ms):.0f} ms;"
        f" p99 {beside.percentile_ms(0.99):.0f} ms, alone {idle.percentile_ms(0.99):.0f} ms"
    )


async def _compare(service: BenchService, options: argparse.Namespace) -> None:
    """Drive bets in both pools in turn, and print the server's CPU time of each and their ratio."""
    creator, tokens = service.trader(99, creator=True), traders(service)
    grown = _split_often(service, creator, _open_list(service, creator)["id"], options.turned)
    names = [market["name"] for market in grown["markets"]]
    prices = [market["yes_probability"] for market in grown["markets"]]
    metadata = {"market_names": names, "market_probabilities": prices, "lmsr_b_kopecks": 10**7}
    plain = _open(service, creator, metadata)
    loads = [order_requests(BETS, tokens, [pool["markets"][0]["id"]]) for pool in (grown, plain)]
    turns: list[list[float]] = [[], []]
    for number in range(1 + options.rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            figures = await service.drive(loads[which], connections=64, seconds=options.seconds)
            if number:
                turns[which].append(figures.cpu_us)
    ratios = Spread.of_ratios(*turns)
    print(
        f"{options.database}: bets in a list of {len(grown['markets'])} outcomes, {options.turned} of them taken out:"
        f" {Spread(turns[0])} µs of CPU each, in a plain pool {Spread(turns[1])}; ratio {ratios}"
    )


def _split_often(service: BenchService, token: str, pool_id: int, count: int) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"}
    shown: dict[str, Any] = service.admin.get(f"/pools/{pool_id}").json()
    for number in range(count):
        expected = shown["markets"][shown["other"]]["yes_probability"] / 4
        body = {"name": f"Outcome {number}", "share": 0.25, "probability": expected}
        answer = service.admin.post(f"/pools/{pool_id}/outcomes", json=body, headers=headers)
        shown = answer.raise_for_status().json()
    return shown


def _open_list(service: BenchService, token: str) -> dict[str, Any]:
    names = ["Ann", "Bob", "Other"]
    return _open(service, token, {"market_names": names, "lmsr_b_kopecks": 10**7, "shape": {"kind": "list"}})


def _open(service: BenchService, token: str, metadata: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"}
    body = {"name": "Bench", "pools": [{"name": "Who?", "metadata": metadata}]}
    created = service.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
    published = service.admin.post(f"/events/{created['id']}/publish", headers=headers).raise_for_status()
    pool: dict[str, Any] = published.json()["pools"][0]
    return pool


def _hold_other(tx: WriteTx, *, pool_id: int, numbers: Sequence[int]) -> None:
    """Give each YES shares of Other, and the escrow what it may have to pay."""
    pool = load_pools(tx, [pool_id])[pool_id]
    other = pool.markets[2]
    held = [
        {
            "user_id": user_id,
            "market_id": other.id,
            "pool_id": pool.id,
            "event_id": pool.event_id,
            "side": "YES",
            "shares": SHARES,
            "cost_kopecks": SHARES // 2,
            "left_shares": 0,
            "left_cost_kopecks": 0,
            "pnl_kopecks": 0,
            "opened_at_ms": 0,
        }
        for user_id in crowd(tx, len(numbers))
    ]
    tx.execute(positions.insert(), held)
    change = {"yes": SHARES * len(held), "id": other.id}
    tx.execute(sa.text("UPDATE markets SET q_yes = q_yes + :yes WHERE id = :id"), change)
    give_money(tx, pool.escrow_account_id, SHARES * len(held))


async def _split(
    service: BenchService, token: str, pool_id: int, requests: NextRequest, per_second: float
) -> tuple[float, float, Figures]:
    """Return how long it took until all were turned, until the request was answered, and the load beside it."""
    beside = Figures()
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=service.url + "/api/v1", timeout=60, headers=headers) as client:
        shown = (await client.get(f"/pools/{pool_id}")).json()
        expected = shown["markets"][2]["yes_probability"] / 4
        began_s = time.perf_counter()

        async def add() -> float:
            body = {"name": "Dana", "share": 0.25, "probability": expected}
            (await client.post(f"/pools/{pool_id}/outcomes", json=body)).raise_for_status()
            return time.perf_counter() - began_s

        answered = asyncio.create_task(add())
        while not ((splits := (await client.get(f"/pools/{pool_id}")).json()["splits"]) and splits[0]["turned"]):
            some = await load(service, requests, per_second, SLICE_S)
            beside.latencies_ms += some.latencies_ms
            beside.statuses += some.statuses
            beside.seconds += some.seconds
        seconds = time.perf_counter() - began_s
        return seconds, await answered, beside
