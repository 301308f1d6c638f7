"""Limit orders: what bets beside resting orders cost, orders that rest, fills, and how soon makers are paid.

python -m bench orders
python -m bench orders --database postgres --only fills
python -m bench orders --only maker

Every load is measured in turn with bets in a pool of as many outcomes without orders, round by round, and the median of
the ratios is printed. `maker` is one who rests in 200 pools, beside as many makers as pools, with two workers on
PostgreSQL: it is measured only where it is named.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import statistics
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import sqlalchemy as sa
import uvloop

from bench.bets import BETS, order_requests, traders
from bench.load import Figures, NextRequest, request
from bench.resting import RestingOrders, offer_many, rest_many
from bench.service import BenchService, running
from bench.workers import SERVE
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadTx
from tests.trading.settlement.world import crowd

ORDERS = "/api/v1/market/orders"
CONNECTIONS = 64
#: Orders that rest where none is reached.
RESTING = 1_000
#: Orders of one lane of fills, and what fills one of them: ten lots at 60 %.
OFFERED = 30_000
STAKE_KOPECKS = 600
#: Of `maker`.
POOLS = 200
OFFERED_IN_EACH = 120
#: Of `book`.
BOOK_ORDERS = (100, 100_000)


@dataclass(frozen=True, slots=True)
class Lane:
    """A load, and the bets without orders that it is compared with."""

    name: str
    load: NextRequest
    beside: NextRequest


def main(arguments: list[str]) -> None:
    """Measure the lanes in turn, and print the median ratios."""
    lanes: dict[str, MakeLanes] = {"none": _none, "unreached": _unreached, "rest": _rest, "fills": _fills}
    parser = argparse.ArgumentParser(
        prog="bench orders", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--only", choices=[*lanes, "book", "maker"], action="append")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    chosen = options.only or [*lanes, "book"]
    if "maker" in chosen:
        uvloop.run(_measure_maker(options))
    if set(chosen) == {"maker"}:
        return
    with running(options.database) as service:
        scene = OrderScene(service)
        for name in chosen:
            if name in lanes:
                for lane in uvloop.run(lanes[name](scene)):
                    uvloop.run(_measure(scene, lane, options))
        if "fills" in chosen:
            uvloop.run(_print_waits(service.database))
        if "book" in chosen:
            uvloop.run(_measure_book(scene))


class OrderScene:
    """A service with traders, in which pools are made."""

    def __init__(self, service: BenchService) -> None:
        """Sign the traders up."""
        self.service = service
        self.tokens = traders(service, CONNECTIONS)
        self._creator = service.trader(0, creator=True)

    def open_pool(self, probabilities: Sequence[float], *, b: int = 10**7) -> tuple[int, list[int]]:
        """Open a pool; return its id and those of its markets."""
        (made,) = self.open_pools(1, probabilities, b=b)
        return made

    def open_pools(self, count: int, probabilities: Sequence[float], *, b: int = 10**7) -> list[tuple[int, list[int]]]:
        """Open pools of one event."""
        headers = {"Authorization": f"Bearer {self._creator}"}
        metadata = {
            "market_names": [f"Outcome {number}" for number in range(len(probabilities))],
            "market_probabilities": list(probabilities),
            "lmsr_b_kopecks": b,
        }
        body = {"name": "Bench", "pools": [{"name": f"Pool {n}", "metadata": metadata} for n in range(count)]}
        admin = self.service.admin
        made = admin.post("/events/create-full", json=body, headers=headers).raise_for_status().json()
        event = admin.post(f"/events/{made['id']}/publish", headers=headers).raise_for_status().json()
        return [(pool["id"], [market["id"] for market in pool["markets"]]) for pool in event["pools"]]

    def bets(self, markets: Sequence[int]) -> NextRequest:
        """Return bets of all traders in these markets."""
        return order_requests(BETS, self.tokens, list(markets))

    def post(self, connection: int, path: str, body: object) -> bytes:
        """Return a request of the trader of a connection."""
        headers = {"Authorization": f"Bearer {self.tokens[connection % len(self.tokens)]}"}
        return request("POST", path, headers=headers, body=msgspec.json.encode(body))

    def bets_of(self, markets: Iterator[int]) -> NextRequest:
        """Return bets that buy ten lots at 60 %."""

        def next_request(connection: int) -> bytes:
            body = {"market_id": next(markets), "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
            return self.post(connection, BETS, body)

        return next_request


MakeLanes = Callable[[OrderScene], Coroutine[Any, Any, list[Lane]]]


async def _none(scene: OrderScene) -> list[Lane]:
    """A pool in which an order has rested, and none does."""
    (_, plain), (_, rested) = scene.open_pools(2, [0.5])
    client = scene.service.admin
    headers = {"Authorization": f"Bearer {scene.tokens[0]}"}
    order = {"market_id": rested[0], "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 100}
    client.post("/market/orders", json=order, headers=headers).raise_for_status()
    client.post("/market/orders/cancel", json={"all": True}, headers=headers).raise_for_status()
    return [Lane("where nothing rests any more", scene.bets(rested), scene.bets(plain))]


async def _unreached(scene: OrderScene) -> list[Lane]:
    lanes = []
    for outcomes in (2, 10, 100):
        (_, plain), (pool_id, markets) = scene.open_pools(2, [1 / outcomes] * outcomes)
        # Prices that no bet of the load reaches: those of a hundred outcomes have nothing below them.
        is_yes = outcomes < 100
        price = 30 // (outcomes // 2) if is_yes else 80
        orders = RestingOrders(pool_id, RESTING, is_yes=is_yes, price_percent=price, prices=min(price, 20))
        await rest_many(scene.service.database, orders)
        name = f"beside {RESTING:,} orders that are not reached, {outcomes} outcomes"
        lanes.append(Lane(name, scene.bets(markets), scene.bets(plain)))
    return lanes


async def _rest(scene: OrderScene) -> list[Lane]:
    """Orders that rest and are cancelled, in turn."""
    (_, plain), (_, rested) = scene.open_pools(2, [0.5])
    turns = [itertools.cycle((True, False)) for _ in range(CONNECTIONS)]
    prices = itertools.cycle(range(1, 30))

    def next_request(connection: int) -> bytes:
        if not next(turns[connection]):
            return scene.post(connection, f"{ORDERS}/cancel", {"market_id": rested[0]})
        terms = {"token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 100 * next(prices)}
        return scene.post(connection, ORDERS, {"market_id": rested[0], **terms})

    return [Lane("orders that rest, and cancels", next_request, scene.bets(plain))]


async def _fills(scene: OrderScene) -> list[Lane]:
    (_, plain), (pool_id, (market,)) = scene.open_pools(2, [0.6])
    await offer_many(scene.service.database, RestingOrders(pool_id, OFFERED, price_percent=60))
    return [Lane("bets that fill one maker each", scene.bets_of(itertools.repeat(market)), scene.bets(plain))]


async def _measure(scene: OrderScene, lane: Lane, options: argparse.Namespace) -> None:
    rates, costs = [], []
    for loaded in (lane.beside, lane.load):
        await scene.service.drive(loaded, connections=CONNECTIONS, seconds=0.5)
    refused, last = 0, ""
    for _ in range(options.rounds):
        plain, found = [await _turn(scene, one, options.seconds) for one in (lane.beside, lane.load)]
        rates.append(found.per_second / plain.per_second)
        costs.append(plain.cpu_us / found.cpu_us)
        refused += found.refused
        last = f"last {found.per_second:,.0f}/s, without {plain.per_second:,.0f}/s"
    note = f" ({refused} refused)" if refused else ""
    print(
        f"{options.database}: {lane.name}: median ratio {statistics.median(rates):.2f}, by the server's CPU time"
        f" {statistics.median(costs):.2f}{note}; {last}",
        flush=True,
    )


async def _turn(scene: OrderScene, load: NextRequest, seconds: float) -> Figures:
    return await scene.service.drive(load, connections=CONNECTIONS, seconds=seconds)


async def _print_waits(url: str) -> None:
    """Print how long after its fill a maker's money was paid, by the database's clock."""
    waits = sorted(await _waits_ms(url))
    if waits:
        print(
            f"makers paid after {statistics.median(waits):.0f} ms (median), p99 {waits[int(len(waits) * 0.99)]} ms,"
            f" {len(waits):,} fills"
        )


async def _waits_ms(url: str) -> list[int]:
    query = sa.text(
        "SELECT r.created_at_ms - t.created_at_ms FROM transfers r JOIN trades t"
        " ON t.order_id = r.order_id AND t.role = 'maker' WHERE r.kind = 'order_return'"
    )

    def read(tx: ReadTx) -> list[int]:
        return [int(row[0]) for row in tx.execute(query)]

    database = open_database(url)
    try:
        return await database.read(read)
    finally:
        await database.close()


async def _measure_book(scene: OrderScene) -> None:
    """Print how long an order book and a quote take beside few orders and beside many, at as many levels."""
    for count in BOOK_ORDERS:
        pool_id, (market,) = scene.open_pool([0.5])
        await rest_many(scene.service.database, RestingOrders(pool_id, count, price_percent=40, prices=20))
        book = f"/market/orderbook/{market}"
        quote = f"/market/quote?market_id={market}&token_type=NO&amount_kopecks=500"
        took = {name: _median_ms(scene.service.admin, path) for name, path in (("book", book), ("quote", quote))}
        print(f"beside {count:,} orders: order book {took['book']:.1f} ms, quote {took['quote']:.1f} ms", flush=True)


def _median_ms(client: httpx.Client, path: str) -> float:
    took = []
    for _ in range(8):
        # Longer than a response is cached.
        time.sleep(0.85)
        began_s = time.perf_counter()
        client.get(path).raise_for_status()
        took.append(1_000 * (time.perf_counter() - began_s))
    return statistics.median(took)


async def _measure_maker(options: argparse.Namespace) -> None:
    """Compare bets that fill one maker who rests in all pools with bets that fill a maker of each."""
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(running("postgres", program=(*SERVE, "--workers", "2", "--port")))
        scene = OrderScene(service)
        one, each = ([*scene.open_pools(POOLS // 2, [0.6]), *scene.open_pools(POOLS // 2, [0.6])] for _ in range(2))
        maker = await _a_user(service.database)
        loads = []
        for made, user_id in ((each, None), (one, maker)):
            for pool_id, _ in made:
                owner = await _a_user(service.database) if user_id is None else user_id
                orders = RestingOrders(pool_id, OFFERED_IN_EACH, price_percent=60, user_id=owner)
                await offer_many(service.database, orders)
            loads.append(scene.bets_of(itertools.cycle([market for _, (market,) in made])))
        rates = []
        for _ in range(options.rounds):
            others, alone = [await _turn(scene, load, options.seconds) for load in loads]
            rates.append(alone.per_second / others.per_second)
            print(
                f"one maker {alone.per_second:,.0f}/s, as many makers as pools {others.per_second:,.0f}/s", flush=True
            )
        print(f"one maker in {POOLS} pools, two workers: median ratio {statistics.median(rates):.2f}")
        await _print_waits(service.database)


async def _a_user(url: str) -> int:
    database = open_database(url)
    try:
        return (await database.write(lambda tx: crowd(tx, 1)))[0]
    finally:
        await database.close()
