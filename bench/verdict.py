"""A verdict on a pool with many holders: how soon they are notified, and how long bets in another pool wait meanwhile.

python -m bench verdict --database sqlite
python -m bench verdict --database postgres --holders 10000

Every position has an owner of its own; the rows are made without the interface. Bets in the other pool come at random
moments; their latency counts from the moment they were due. The same load without a verdict, in the same run, shows the
machine's part. Last, a page of positions is read in turn by who holds them in pools without and with verdicts.
"""

from __future__ import annotations

import argparse
import time

import httpx
import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import Figures
from bench.payments import SLICE_S, hold_positions, latencies, load
from bench.service import BenchService, running
from bench.spread import Spread
from foreknow.market.pools.tables import pools
from foreknow.people.follows.tables import pool_news
from foreknow.people.notifications.tables import notifications
from foreknow.platform.db.engine import Database, open_database

FIRST_HOLDERS = 1_000
WINDOW_MINUTES = 60
#: Positions on a page, each in a pool of its own, and how often the page is read in a round.
PAGE, READS, ROUNDS = 50, 50, 7


def main(arguments: list[str]) -> None:
    """Measure the load alone, then beside the notifications, then pages of positions, and print the figures."""
    parser = argparse.ArgumentParser(
        prog="bench verdict", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--holders", type=int, default=100_000)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    database = open_database(service.database)
    try:
        creator = service.trader(99, creator=True)
        pool_id = service.event(creator)["pools"][0]["id"]
        await hold_positions(service.database, pool_id, options.holders)
        await _give_windows(database)
        requests = order_requests(BETS, traders(service), open_markets(service, 1))
        # Warm up: the first bets create positions and load pages.
        await load(service, requests, options.bets_per_second, 2.0)
        idle = await load(service, requests, options.bets_per_second, options.idle_seconds)
        print("bets alone:", latencies(idle), flush=True)
        beside = Figures()
        async with _client(service, creator) as client:
            (await client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0})).raise_for_status()
        while await database.read(lambda tx: tx.execute(sa.select(pool_news.c.id).limit(1)).first()):
            some = await load(service, requests, options.bets_per_second, SLICE_S)
            beside.latencies_ms += some.latencies_ms
            beside.statuses += some.statuses
            beside.seconds += some.seconds
        print("beside it: ", latencies(beside))
        first_s, all_s = await _seconds(database, pool_id)
        print(
            f"{options.database}: the first {FIRST_HOLDERS:,} of {options.holders:,} holders notified after"
            f" {first_s:.2f} s, all after {all_s:.1f} s;"
            f" longest wait of a bet {max(beside.latencies_ms):.0f} ms, alone {max(idle.latencies_ms):.0f} ms;"
            f" p50 ÷ alone {beside.percentile_ms(0.5) / idle.percentile_ms(0.5):.2f},"
            f" p99 ÷ alone {beside.percentile_ms(0.99) / idle.percentile_ms(0.99):.2f}",
            flush=True,
        )
        print(f"a page of {PAGE} decided positions ÷ of open ones: {await _pages(service, database, creator)}")
    finally:
        await database.close()


async def _pages(service: BenchService, database: Database, creator: str) -> Spread:
    """Return how much longer a page of positions takes where all of their pools have verdicts."""
    without, with_ = (service.trader(number) for number in (1_001, 1_002))
    for token in (without, with_):
        made = [service.event(creator)["pools"][0] for _ in range(PAGE)]
        await _give_windows(database)
        async with _client(service, token) as client:
            for pool in made:
                order = {"market_id": pool["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
                (await client.post("/market/bets", json=order)).raise_for_status()
        if token == with_:
            async with _client(service, creator) as client:
                for pool in made:
                    (await client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0})).raise_for_status()
    took_s: dict[str, list[float]] = {without: [], with_: []}
    for number in range(1 + ROUNDS):
        for token in (without, with_) if number % 2 else (with_, without):
            seconds = await _read(service, token)
            if number:
                took_s[token].append(seconds)
    return Spread.of_ratios(took_s[with_], took_s[without])


async def _read(service: BenchService, token: str) -> float:
    async with _client(service, token) as client:
        began_s = time.perf_counter()
        for _ in range(READS):
            (await client.get("/market/positions", params={"limit": PAGE})).raise_for_status()
        return time.perf_counter() - began_s


async def _give_windows(database: Database) -> None:
    change = pools.update().where(pools.c.decided_at_ms.is_(None)).values(dispute_minutes=WINDOW_MINUTES)
    await database.write(lambda tx: tx.execute(change))


async def _seconds(database: Database, pool_id: int) -> tuple[float, float]:
    """Return how long after the verdict the first holders were notified, and all."""
    at_ms = notifications.c.created_at_ms
    of_kind = sa.select(at_ms).where(notifications.c.type == "verdict_decided").order_by(at_ms)
    decided = sa.select(pools.c.decided_at_ms).where(pools.c.id == pool_id)
    times_ms = await database.read(lambda tx: tx.execute(of_kind).scalars().all())
    decided_ms: int = await database.read(lambda tx: tx.execute(decided).scalar_one())
    first_ms = times_ms[min(FIRST_HOLDERS, len(times_ms)) - 1]
    return (first_ms - decided_ms) / 1000, (times_ms[-1] - decided_ms) / 1000


def _client(service: BenchService, token: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=service.url + "/api/v1", timeout=60, headers=headers)
