"""Paying a resolved pool with many positions, and how long bets in another pool wait meanwhile.

python -m bench payments --database sqlite
python -m bench payments --database postgres --positions 10000
python -m bench payments --positions 0 --orders 100000

Every position, and every limit order that the result ends before them, has an owner of its own; the rows are made
without the interface. Bets in the other pool come at random moments; their latency counts from the moment they were
due. The same load without a payment, in the same run, shows the machine's part.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import httpx
import sqlalchemy as sa
import uvloop

from bench.bets import BETS, open_markets, order_requests, traders
from bench.load import Figures, NextRequest, offer
from bench.service import BenchService, running
from foreknow.kernel.chunks import chunks
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.money.holds.tables import limit_orders
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    account_ids,
    house_account,
    open_account,
)
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.store import write_orders
from foreknow.trading.positions.tables import positions
from tests.trading.settlement.world import crowd

#: Idle connections: more than are ever busy at a time.
OPEN_CONNECTIONS = 128
SHARES = 100
ORDER_SHARES = 1_000
#: Length of one measurement of the load; payments take several.
SLICE_S = 1.0
ROWS_AT_ONCE = 2_000


def main(arguments: list[str]) -> None:
    """Measure the load alone, then beside a payment, and print both."""
    parser = argparse.ArgumentParser(
        prog="bench payments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--bets-per-second", type=float, default=50.0)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        uvloop.run(_measure(service, options))


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment, and the load beside it."""

    seconds: float
    #: Until POST resolve had answered.
    answered_s: float
    load: Figures


async def _measure(service: BenchService, options: argparse.Namespace) -> None:
    creator = service.trader(99, creator=True)
    pool = service.event(creator)["pools"][0]
    await fill_pool(service.database, pool["id"], _hold, options.positions)
    await fill_pool(service.database, pool["id"], _rest, options.orders)
    requests = order_requests(BETS, traders(service), open_markets(service, 1))
    # Warm up: the first bets create positions and load pages.
    await load(service, requests, options.bets_per_second, 2.0)
    idle = await load(service, requests, options.bets_per_second, options.idle_seconds)
    print("bets alone:", latencies(idle), flush=True)
    paid = await _pay(service, creator, pool["id"], requests, options.bets_per_second)
    print("beside it: ", latencies(paid.load))
    print(
        f"{options.database}: {options.orders:,} orders ended, {options.positions:,} positions paid in"
        f" {paid.seconds:.1f} s ({(options.orders + options.positions) / paid.seconds:,.0f}/s),"
        f" POST resolve answered after {paid.answered_s:.1f} s;"
        f" longest wait of a bet {max(paid.load.latencies_ms):.0f} ms, alone {max(idle.latencies_ms):.0f} ms"
        f" (ratio {max(paid.load.latencies_ms) / max(idle.latencies_ms):.1f});"
        f" p99 {paid.load.percentile_ms(0.99):.0f} ms, alone {idle.percentile_ms(0.99):.0f} ms"
    )


async def hold_positions(url: str, pool_id: int, count: int) -> None:
    """Give as many people one position each, half of them YES, and the escrow what it may have to pay."""
    await fill_pool(url, pool_id, _hold, count)


async def fill_pool(url: str, pool_id: int, give: Callable[..., None], count: int) -> None:
    """Give as many people one position, or order, each."""
    database = open_database(url)
    try:
        for some in chunks(range(count), ROWS_AT_ONCE):
            await database.write(partial(give, pool_id=pool_id, numbers=some))
    finally:
        await database.close()


def _rest(tx: WriteTx, *, pool_id: int, numbers: Sequence[int]) -> None:
    """Let a buy at a low price rest for each, and the pool's order account hold its money."""
    pool = load_pools(tx, [pool_id])[pool_id]
    (market,) = pool.markets
    rows = [
        LimitOrderRow(
            id=order_id,
            pool_id=pool.id,
            market_id=market.id,
            user_id=user_id,
            action="buy",
            side="YES",
            price_bps=1_000,
            shares=ORDER_SHARES,
            held_kopecks=ORDER_SHARES // 10,
            created_at_ms=0,
            updated_at_ms=0,
        )
        for order_id, user_id in zip(draw_ids(tx, limit_orders, len(numbers)), crowd(tx, len(numbers)), strict=True)
    ]
    write_orders(tx, new=rows, changed=[])
    tx.execute(pools.update().where(pools.c.id == pool.id).values(open_orders=pools.c.open_orders + len(rows)))
    accounts = account_ids(tx, kind=AccountKind.ORDERS, owner_ids=[pool.id])
    account = accounts.get(pool.id) or open_account(tx, kind=AccountKind.ORDERS, owner_id=pool.id)
    give(tx, account, sum(row.held_kopecks for row in rows))


def _hold(tx: WriteTx, *, pool_id: int, numbers: Sequence[int]) -> None:
    """Give each a position, half of them YES, and the escrow what it may have to pay."""
    pool = load_pools(tx, [pool_id])[pool_id]
    (market,) = pool.markets
    held = [
        {
            "user_id": user_id,
            "market_id": market.id,
            "pool_id": pool.id,
            "event_id": pool.event_id,
            "side": "YES" if number % 2 else "NO",
            "shares": SHARES,
            "cost_kopecks": SHARES // 2,
            "left_shares": 0,
            "left_cost_kopecks": 0,
            "pnl_kopecks": 0,
            "opened_at_ms": 0,
        }
        for number, user_id in zip(numbers, crowd(tx, len(numbers)), strict=True)
    ]
    tx.execute(positions.insert(), held)
    yes = SHARES * sum(number % 2 for number in numbers)
    tx.execute(
        sa.text("UPDATE markets SET q_yes = q_yes + :yes, q_no = q_no + :no WHERE id = :id"),
        {"yes": yes, "no": SHARES * len(numbers) - yes, "id": market.id},
    )
    give(tx, pool.escrow_account_id, SHARES * len(numbers))


def give(tx: WriteTx, account_id: int, amount_kopecks: int) -> None:
    """Give an account money of the house, as a bet would."""
    house = house_account(tx)
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock([house, account_id])
        ledger_tx.transfer(
            Transfer(kind=TransferKind.BET, source=house, target=account_id, amount_kopecks=amount_kopecks)
        )
        ledger_tx.post(at_ms=0)


async def _pay(service: BenchService, token: str, pool_id: int, requests: NextRequest, per_second: float) -> Paid:
    beside = Figures()
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=service.url + "/api/v1", timeout=60, headers=headers) as client:

        async def resolve() -> float:
            began_s = time.perf_counter()
            (await client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0})).raise_for_status()
            return time.perf_counter() - began_s

        answered = asyncio.create_task(resolve())
        state = ""
        while state != "paid":
            some = await load(service, requests, per_second, SLICE_S)
            beside.latencies_ms += some.latencies_ms
            beside.statuses += some.statuses
            beside.seconds += some.seconds
            state = (await client.get(f"/pools/{pool_id}")).json()["resolution"]["state"]
        answered_s = await answered
    return Paid(await _seconds(service.database, pool_id), answered_s, beside)


async def _seconds(url: str, pool_id: int) -> float:
    """Return how long a payment took, from the decision to the return of the rest."""
    database = open_database(url)
    try:
        query = sa.select(pools.c.paid_at_ms - pools.c.decided_at_ms).where(pools.c.id == pool_id)
        took_ms: int = await database.read(lambda tx: tx.execute(query).scalar_one())
    finally:
        await database.close()
    return took_ms / 1000


async def load(service: BenchService, requests: NextRequest, per_second: float, seconds: float) -> Figures:
    """Offer requests at random moments for some seconds."""
    return await offer(service.url, requests, per_second=per_second, connections=OPEN_CONNECTIONS, seconds=seconds)


def latencies(figures: Figures) -> str:
    """Write how long requests waited, as one line."""
    p50, p99 = figures.percentile_ms(0.5), figures.percentile_ms(0.99)
    longest_ms, refused = max(figures.latencies_ms), f", {figures.refused} refused" if figures.refused else ""
    return f"{figures.per_second:.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {longest_ms:.0f} ms{refused}"
