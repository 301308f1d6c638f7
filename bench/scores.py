"""How long it takes to score a pool of many trades and forecasts, and how long bets wait meanwhile.

python -m bench scores --database sqlite
python -m bench scores --database postgres --trades 1000000 --forecasters 10000

The rows of the pool are made without the interface. Bets in another pool come at random moments, first alone, then
until the pool is scored; their latency counts from the moment they were due.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from functools import partial

import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import Figures
from bench.payments import SLICE_S, latencies, load
from bench.service import BenchService, running
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import DAY_MS, system_clock
from foreknow.market.pools.tables import pools
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecast_scores.tables import forecast_scorings
from foreknow.site.forecasts.tables import forecasts
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import positions
from tests.trading.settlement.world import crowd

#: Who trades in the pool.
TRADERS = 500
DAYS = 30
ROWS_AT_ONCE = 5_000
_TRADE = (
    "event_id",
    "pool_id",
    "market_id",
    "user_id",
    "position_id",
    "action",
    "side",
    "amount_kopecks",
    "fee_kopecks",
    "shares",
    "pnl_kopecks",
    "probability_before",
    "probability_after",
    "created_at_ms",
)


def main(arguments: list[str]) -> None:
    """Measure bets alone, then while the pool is scored, and print both."""
    parser = argparse.ArgumentParser(
        prog="bench scores", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--trades", type=int, default=1_000_000)
    parser.add_argument("--forecasters", type=int, default=10_000)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    pool = _open_pool(service)
    database = open_database(service.database)
    try:
        await _fill(database, pool, trades_count=options.trades, forecasters=options.forecasters)
        bets = order_requests(BETS, traders(service), open_markets(service, 1))
        # Warm up: the first bets create positions and load pages.
        await load(service, bets, options.bets_per_second, 2.0)
        idle = await load(service, bets, options.bets_per_second, options.idle_seconds)
        print("bets alone:", latencies(idle), flush=True)
        await database.write(partial(_make_final, pool_id=pool[1]))
        began_s, slices = time.monotonic(), list[Figures]()
        while not await database.read(partial(_is_scored, pool_id=pool[1])):
            slices.append(await load(service, bets, options.bets_per_second, SLICE_S))
        seconds = time.monotonic() - began_s
    finally:
        await database.close()
    beside = sorted(ms for one in slices for ms in one.latencies_ms)
    print(
        f"{options.database}: {options.trades:,} trades and {options.forecasters:,} forecasts scored"
        f" {seconds:.0f} s after the pool was final; bets beside it p50 {beside[len(beside) // 2]:.1f} ms,"
        f" p99 {beside[len(beside) * 99 // 100]:.1f} ms (alone {idle.percentile_ms(0.99):.1f} ms), longest"
        f" {beside[-1]:.0f} ms (alone {max(idle.latencies_ms):.0f} ms)"
    )


def _open_pool(service: BenchService) -> tuple[int, int, int]:
    """Publish a yes/no question; return its event, pool and market."""
    headers = {"Authorization": f"Bearer {service.trader(97, creator=True)}"}
    body = {"name": "Scored", "pools": [{"name": "Scored", "metadata": {"lmsr_b_kopecks": 10**7}}]}
    made = service.admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
    service.admin.post(f"/events/{made['id']}/publish", headers=headers).raise_for_status()
    return int(made["id"]), int(made["pools"][0]["id"]), int(made["pools"][0]["markets"][0]["id"])


async def _fill(database: Database, pool: tuple[int, int, int], *, trades_count: int, forecasters: int) -> None:
    """Let people have traded for a month, and others have said what they think."""
    event_id, pool_id, market_id = pool
    source, begin_ms = random.Random(1), system_clock() - DAYS * DAY_MS

    def begin(tx: WriteTx) -> list[tuple[int, int]]:
        tx.execute(pools.update().where(pools.c.id == pool_id).values(published_at_ms=begin_ms))
        ids = crowd(tx, TRADERS)
        rows = [
            {"user_id": one, "market_id": market_id, "pool_id": pool_id, "event_id": event_id, "side": "YES"}
            | {"shares": 1, "cost_kopecks": 1, "left_shares": 0, "left_cost_kopecks": 0, "pnl_kopecks": 0}
            | {"opened_at_ms": begin_ms}
            for one in ids
        ]
        held = tx.execute(positions.insert().returning(positions.c.id), rows).scalars().all()
        return list(zip(ids, held, strict=True))

    def trade(tx: WriteTx, *, numbers: Sequence[int]) -> None:
        rows = []
        for number in numbers:
            user_id, position_id = people[number // 2 % TRADERS]
            at_ms = begin_ms + number * DAYS * DAY_MS // trades_count
            action = "buy" if number % 2 == 0 else "sell"
            shares = 1_000 + number // 2 % 999
            whose = (event_id, pool_id, market_id, user_id, position_id)
            rows.append((*whose, action, "YES", 500, 0, shares, 0, 0.5, 0.5, at_ms))
        insert_rows(tx, trades, _TRADE, rows)

    def say(tx: WriteTx, *, count: int) -> None:
        rows = []
        for user_id in crowd(tx, count):
            at_ms, said = begin_ms + source.randrange(DAYS // 2 * DAY_MS), [0.05 + 0.9 * source.random()]
            kept = {"sent": said, "probabilities": said, "market": [0.5], "note": "", "accepted": [at_ms]}
            rows.append({"pool_id": pool_id, "user_id": user_id, "since_ms": at_ms, "created_at_ms": at_ms} | kept)
        tx.execute(forecasts.insert(), rows)

    people = await database.write(begin)
    for numbers in chunks(range(trades_count), ROWS_AT_ONCE):
        await database.write(partial(trade, numbers=numbers))
    for numbers in chunks(range(forecasters), ROWS_AT_ONCE):
        await database.write(partial(say, count=len(numbers)))


def _make_final(tx: WriteTx, *, pool_id: int) -> None:
    at_ms = system_clock()
    change = {"state": "resolved", "resolved_at_ms": at_ms, "won_side": 0, "resolution": {"won_side": 0}}
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**change, decided_at_ms=at_ms, decided_by="admin"))


def _is_scored(tx: ReadTx, *, pool_id: int) -> bool:
    done = sa.and_(forecast_scorings.c.pool_id == pool_id, forecast_scorings.c.due_at_ms.is_(None))
    return tx.execute(sa.select(forecast_scorings.c.pool_id).where(done)).first() is not None
