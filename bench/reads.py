"""Public reads a second, each against a route of the same app that answers as many constant bytes.

python -m bench reads --database sqlite
python -m bench reads --bets-per-second 100

With `--bets-per-second` traders bet in the same pools during the measurement, at the same rate for the constant route:
every trade invalidates the cached responses.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from dataclasses import dataclass
from typing import Any

import httpx
import uvloop

from bench.bets import BETS, order_requests
from bench.load import Figures, NextRequest, request
from bench.service import BenchService, running

TRADES = 300
POOLS = 20
#: Connections of the traders.
BETTORS = 8


def main(arguments: list[str]) -> None:
    """Measure each read in turn with the constant route, and print the median ratios."""
    parser = argparse.ArgumentParser(prog="bench reads", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bets-per-second", type=float, default=0.0, help="trade in all these pools meanwhile")
    parser.add_argument("--only", default="", help="only reads with this in their name")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    reads = prepare(service, options.bets_per_second, connections=options.connections, seconds=options.seconds)
    for name, path in reads.paths.items():
        if options.only not in name:
            continue
        length = len(service.admin.get(path).raise_for_status().content)
        pairs = [(await reads.load(path), await reads.load(constant(length))) for _ in range(options.rounds)]
        ratio = statistics.median(read.per_second / base.per_second for read, base in pairs)
        by_cpu = statistics.median(base.cpu_us / read.cpu_us for read, base in pairs)
        read, base = pairs[-1]
        print(
            f"{name} ({length:,} bytes): {read.per_second:,.0f}/s, constant {base.per_second:,.0f}/s,"
            f" ratio {ratio:.2f}, by the server's CPU time {by_cpu:.2f}",
            flush=True,
        )


@dataclass(frozen=True, slots=True)
class PublicReads:
    """Paths that anyone may read, by name, and how one is loaded."""

    service: BenchService
    paths: dict[str, str]
    bets: NextRequest
    bets_per_second: float
    connections: int
    seconds: float

    async def load(self, path: str) -> Figures:
        """Read a path on all connections, with bets meanwhile if any are wanted."""
        reading = self.service.drive(_always(path), connections=self.connections, seconds=self.seconds)
        if not self.bets_per_second:
            return await reading
        trading = self.service.drive(
            self.bets, connections=BETTORS, seconds=self.seconds, per_second=self.bets_per_second
        )
        metrics, traded = await asyncio.gather(reading, trading)
        if traded.refused or not traded.accepted:
            raise RuntimeError(f"the bets beside the reads were answered {dict(traded.statuses)}")
        return metrics


def constant(length: int) -> str:
    """Return the path of a response of constant bytes."""
    return f"/bench/constant?bytes={length}"


def prepare(service: BenchService, bets_per_second: float, *, connections: int, seconds: float) -> PublicReads:
    """Open pools with some trades each, and set prices."""
    creator = service.trader(0, creator=True)
    pools = service.event(creator, pools=POOLS)["pools"]
    _trade(service, creator, pools)
    _set_prices(service)
    market_ids = [pool["markets"][0]["id"] for pool in pools]
    paths = {
        f"pools batch of {POOLS}": "/pools/batch?ids=" + ",".join(str(pool["id"]) for pool in pools),
        "pool": f"/pools/{pools[0]['id']}",
        "market": f"/markets/{market_ids[0]}",
        "orderbook": f"/market/orderbook/{market_ids[0]}",
        "pool charts": f"/pools/{pools[0]['id']}/charts",
        "market chart": f"/markets/{market_ids[0]}/chart",
        "price": "/assets/BTC/price",
        "rate": "/currency/rate?from=USD&to=RUB",
    }
    bets = order_requests(BETS, [creator], market_ids)
    return PublicReads(service, paths, bets, bets_per_second, connections, seconds)


def _always(path: str) -> NextRequest:
    wanted = request("GET", "/api/v1" + path)
    return lambda _connection: wanted


def _trade(service: BenchService, token: str, pools: list[dict[str, Any]]) -> None:
    with httpx.Client(base_url=service.url + "/api/v1", headers={"Authorization": f"Bearer {token}"}) as client:
        for number in range(TRADES):
            market_id = pools[number % POOLS]["markets"][0]["id"]
            order = {"market_id": market_id, "token_type": "YES" if number % 3 else "NO", "amount_kopecks": 100_000}
            client.post("/market/bets", json=order).raise_for_status()


def _set_prices(service: BenchService) -> None:
    asset = {"name": "Bitcoin", "asset_type": "crypto", "price": 97_123.45}
    service.admin.put("/admin/assets/BTC", json=asset).raise_for_status()
    rate = {"from": "USD", "to": "RUB", "rate": 78.125}
    service.admin.put("/admin/currency-rates", json=rate).raise_for_status()
