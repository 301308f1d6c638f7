"""Public reads a second, each against a route of the same app that answers as many constant bytes.

python -m bench reads --database sqlite
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import httpx
import uvloop

from bench.load import NextRequest, drive, request
from bench.service import BenchService, running

TRADES = 300
POOLS = 20


def main(arguments: list[str]) -> None:
    """Measure each read in turn with the constant route, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench reads", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator = service.trader(0, creator=True)
    event = service.event(creator, pools=POOLS)
    pools = event["pools"]
    _trade(service, creator, pools)
    market_id = pools[0]["markets"][0]["id"]
    paths = {
        f"pools batch of {POOLS}": "/pools/batch?ids=" + ",".join(str(pool["id"]) for pool in pools),
        "pool": f"/pools/{pools[0]['id']}",
        "market": f"/markets/{market_id}",
        "orderbook": f"/market/orderbook/{market_id}",
        "pool charts": f"/pools/{pools[0]['id']}/charts",
        "market chart": f"/markets/{market_id}/chart",
    }
    load = {"connections": options.connections, "seconds": options.seconds}
    for name, path in paths.items():
        length = len(service.admin.get(path).raise_for_status().content)
        constant = _always(f"/bench/constant?bytes={length}")
        pairs = [
            (await drive(service.url, _always(path), **load), await drive(service.url, constant, **load))
            for _ in range(options.rounds)
        ]
        ratios = [read.per_second / base.per_second for read, base in pairs]
        read, base = pairs[-1]
        print(
            f"{name} ({length:,} bytes): {read.per_second:,.0f}/s, constant {base.per_second:,.0f}/s,"
            f" ratio {statistics.median(ratios):.2f}"
        )


def _always(path: str) -> NextRequest:
    wanted = request("GET", "/api/v1" + path)
    return lambda _connection: wanted


def _trade(service: BenchService, token: str, pools: list[dict[str, Any]]) -> None:
    with httpx.Client(base_url=service.url + "/api/v1", headers={"Authorization": f"Bearer {token}"}) as client:
        for number in range(TRADES):
            market_id = pools[number % POOLS]["markets"][0]["id"]
            order = {"market_id": market_id, "token_type": "YES" if number % 3 else "NO", "amount_kopecks": 100_000}
            client.post("/market/bets", json=order).raise_for_status()
