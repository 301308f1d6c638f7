"""A process of clients: traders, and who runs the pools; each user asks one thing at a time.

python -m faults.history.people PLAN: works off its part of the operations and leaves a file for each pool.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from faults.history import made
from faults.history.made import Operation
from faults.history.wire import User, Wire

#: Pools that are traded at once.
WINDOW: Final = 2
#: Operations after which each of these happens to a pool, as parts of its operations.
LIQUIDITY_AT: Final = (0.2, 0.6)
PAUSE_AT: Final = (0.35, 0.75)
SPLIT_AT: Final = (0.3, 0.5)
VERDICT_AT: Final = 0.95
PAUSE_S: Final = 0.02
#: Attempts at what is refused because prices have just moved.
ATTEMPTS: Final = 50
#: Operations that are kept in memory.
_KEPT: Final = 2_000
#: Operations between two lines on stdout, which tell a process that waits how much was done.
PRINTED_EVERY: Final = 20


class OpenPool(msgspec.Struct):
    """A pool, as clients know it."""

    id: int
    event_id: int
    market_ids: list[int]
    #: Of Other; None: no list.
    other: int | None
    #: Whether its verdict can be corrected.
    has_window: bool
    #: YES prices as last seen, by market.
    prices: dict[int, float] = {}


class Plan(msgspec.Struct):
    """What one process of clients is to do."""

    #: Which of how many.
    number: int
    processes: int
    ports: list[int]
    traders: list[User]
    admin: User
    pools: list[OpenPool]
    operations: int
    seed: int
    #: Operations of a trader between two traversals of all pages.
    traversed_every: int
    folder: str


@dataclass(slots=True, eq=False)
class _Waiting:
    """Who waits for a part of a pool's operations."""

    pool: OpenPool
    part: float
    come: asyncio.Event = field(default_factory=asyncio.Event)


class Clients:
    """All users of one process."""

    def __init__(self, plan: Plan) -> None:
        """Begin with nothing done."""
        self.plan = plan
        self.chance = Random(plan.seed)
        self.done = 0
        self._kept: defaultdict[int, list[Operation]] = defaultdict(list)
        self._waiting: list[_Waiting] = []

    async def run(self) -> None:
        """Do all that is planned."""
        own = [pool for place, pool in enumerate(self.plan.pools) if place % self.plan.processes == self.plan.number]
        async with asyncio.TaskGroup() as group:
            for user in self.plan.traders:
                group.create_task(Trader(self, user).run())
            for pool in own:
                group.create_task(Runner(self, pool).run())
        self._flush()

    @property
    def is_over(self) -> bool:
        """Whether all operations were done."""
        return self.done >= self.plan.operations

    def some_pool(self) -> OpenPool:
        """Return one of the pools that are traded now."""
        each = self.plan.operations / len(self.plan.pools)
        place = int(self.done / each) + self.chance.randrange(WINDOW) - 1
        return self.plan.pools[min(max(place, 0), len(self.plan.pools) - 1)]

    async def until(self, pool: OpenPool, part: float) -> None:
        """Wait until this part of a pool's operations was done, by this process."""
        waiting = _Waiting(pool, part)
        self._waiting.append(waiting)
        if self._progress(pool) < part:
            await waiting.come.wait()

    def _progress(self, pool: OpenPool) -> float:
        """Return which part of a pool's operations was done; above 1 once others are traded."""
        each = self.plan.operations / len(self.plan.pools)
        place = self.plan.pools.index(pool)
        return (self.done - place * each) / (each * WINDOW) if self.done < self.plan.operations else 2.0

    def keep(self, pool: OpenPool, operation: Operation) -> None:
        """Note an operation."""
        self.done += 1
        self._kept[pool.id].append(operation)
        if self.done % PRINTED_EVERY == 0 or self.is_over:
            print(self.done, flush=True)
            for waiting in [one for one in self._waiting if self._progress(one.pool) >= one.part]:
                self._waiting.remove(waiting)
                waiting.come.set()
        if self.done % _KEPT == 0:
            self._flush()

    def _flush(self) -> None:
        for pool_id, operations in self._kept.items():
            made.write(Path(self.plan.folder) / f"{pool_id}.{self.plan.number}", operations)
        self._kept.clear()


class Trader:
    """A user who bets, sells, sends baskets and limit orders, and looks at them through other processes."""

    def __init__(self, clients: Clients, user: User) -> None:
        """Begin with nothing."""
        self._clients = clients
        self._chance = Random(clients.plan.seed * 1_000_003 + user.id)
        self._wire = Wire(clients.plan.ports, user, self._chance)
        self._held: defaultdict[int, dict[tuple[int, str], int]] = defaultdict(dict)
        self._orders: defaultdict[int, list[int]] = defaultdict(list)
        self._keys = 0
        chosen: Sequence[tuple[int, Callable[[OpenPool], Awaitable[None]]]] = (
            (34, self._bet),
            (12, self._sell),
            (10, self._basket),
            (14, self._rest),
            (6, self._cancel),
            (12, self._look),
            (10, self._look_at_own),
        )
        self._kinds = [kind for share, kind in chosen for _ in range(share)]

    async def run(self) -> None:
        """Trade until all is done."""
        for number in itertools.count(1):
            if self._clients.is_over:
                break
            what = (
                self._look_at_all
                if number % self._clients.plan.traversed_every == 0
                else self._chance.choice(self._kinds)
            )
            await what(self._clients.some_pool())
        self._wire.close()

    async def _order(self, pool: OpenPool, kind: str, path: str, body: dict[str, Any]) -> Operation:
        self._keys += 1
        key = f"{self._wire.user.id}-{self._keys}"
        if pool.other is not None:
            body["outcomes"] = len(pool.market_ids)
        one = await self._wire.do(kind, "POST", path, body, key=key)
        self._clients.keep(pool, one)
        if one.is_done and "market_id" in one.answer:
            pool.prices[one.answer["market_id"]] = one.answer["probability_after"]
        elif one.error == "slippage" or one.status is None:
            await self._look(pool)
        return one

    def _some_market(self, pool: OpenPool) -> tuple[int, str]:
        market_id = self._chance.choice(pool.market_ids)
        # NO of Other is not traded.
        return market_id, "YES" if market_id == pool.other else self._chance.choice(("YES", "NO"))

    async def _bet(self, pool: OpenPool) -> None:
        market_id, side = self._some_market(pool)
        body = {"market_id": market_id, "token_type": side, "amount_kopecks": self._chance.randint(20, 600)}
        one = await self._order(pool, "bet", "/market/bets", body)
        if one.is_done:
            self._add(pool, market_id, side, one.answer["shares"])

    async def _sell(self, pool: OpenPool) -> None:
        held = [key for key, shares in self._held[pool.id].items() if shares > 0]
        if not held:
            await self._bet(pool)
            return
        market_id, side = self._chance.choice(held)
        shares = self._chance.randint(1, self._held[pool.id][market_id, side])
        body = {"market_id": market_id, "token_type": side, "shares": shares}
        one = await self._order(pool, "sale", "/market/positions/sell", body)
        if one.is_done or one.error == "insufficient_shares":
            self._add(pool, market_id, side, -shares)

    async def _basket(self, pool: OpenPool) -> None:
        if len(pool.market_ids) < 3:
            await self._bet(pool)
            return
        first, second = self._chance.sample(pool.market_ids, 2)
        body: dict[str, Any] = {"market_ids": [first, second], "amount_kopecks": self._chance.randint(20, 600)}
        own = self._held[pool.id].get((first, "YES"), 0)
        if own > 10 and self._chance.random() < 0.5:
            changes = [(first, -self._chance.randint(1, own)), (second, self._chance.randint(1, 500))]
            body = {"changes": [{"market_id": market_id, "shares": shares} for market_id, shares in changes]}
        one = await self._order(pool, "basket", "/market/baskets", body)
        for leg in one.answer["legs"] if one.is_done else ():
            self._add(pool, leg["market_id"], "YES", leg["shares"])

    async def _rest(self, pool: OpenPool) -> None:
        market_id, side = self._some_market(pool)
        price = pool.prices.get(market_id, 0.5)
        percent = round(100 * (price if side == "YES" else 1 - price)) + self._chance.randint(-4, 4)
        held = self._held[pool.id].get((market_id, side), 0)
        is_sale = held >= 1_000 and self._chance.random() < 0.5
        body = {
            "market_id": market_id,
            "token_type": side,
            "action": "sell" if is_sale else "buy",
            "shares": 1_000,
            "price_bps": 100 * min(max(percent, 1), 99),
            "time_in_force": self._chance.choice(("gtc", "gtc", "gtc", "ioc")),
        }
        one = await self._order(pool, "order", "/market/orders", body)
        if one.is_done:
            self._orders[pool.id].append(one.answer["id"])
            if is_sale:
                self._add(pool, market_id, side, -1_000)

    async def _cancel(self, pool: OpenPool) -> None:
        if not self._orders[pool.id]:
            await self._rest(pool)
            return
        order_id = self._chance.choice(self._orders[pool.id][-5:])
        one = await self._wire.do("cancel", "DELETE", f"/market/orders/{order_id}")
        self._clients.keep(pool, one)

    async def _look(self, pool: OpenPool) -> None:
        one = await self._read("pool", pool, f"/pools/{pool.id}", is_anonymous=self._chance.random() < 0.5)
        markets = sorted(one.answer["markets"], key=lambda market: market["outcome_index"])
        pool.prices = {market["id"]: market["yes_probability"] for market in markets}
        pool.market_ids = [market["id"] for market in markets]

    async def _look_at_own(self, pool: OpenPool) -> None:
        kinds = [
            "own trades",
            *(["own order"] if self._orders[pool.id] else []),
            *(["own positions"] * (pool.other is None)),
        ]
        kind = self._chance.choice(kinds)
        if kind == "own order":
            await self._read(kind, pool, f"/market/orders/{self._chance.choice(self._orders[pool.id][-5:])}")
            return
        path = "/users/me/trades?limit=50" if kind == "own trades" else "/market/positions?limit=100"
        status, page, began_ns, ended_ns, process = await self._wire.read(path)
        assert status == 200, page
        rows = [row for row in page["trades" if kind == "own trades" else "positions"] if row["pool_id"] == pool.id]
        if kind == "own trades":
            answer: list[Any] = [row["id"] for row in rows]
        elif page["has_more"]:
            return
        else:
            answer = [(row["market_id"], row["token_type"], row["amount"]) for row in rows]
        asked = {"is_all": not page["has_more"]}
        one = Operation(kind, self._wire.user.id, asked, status, answer, began_ns, ended_ns, process)
        self._clients.keep(pool, one)

    async def _look_at_all(self, pool: OpenPool) -> None:
        """Read all pages of an event's trades, each through some process."""
        ids: list[int] = []
        cursor, first_ns = "", 0
        limit = self._chance.randint(20, 100)
        while True:
            path = f"/events/{pool.event_id}/trades?limit={limit}{cursor}"
            status, page, began_ns, ended_ns, process = await self._wire.read(path)
            assert status == 200, page
            first_ns = first_ns or began_ns
            ids += [row["id"] for row in page["trades"]]
            if not page["has_more"]:
                break
            cursor = f"&cursor={page['next_cursor']}"
        user_id = self._wire.user.id
        self._clients.keep(pool, Operation("all trades", user_id, {}, status, ids, first_ns, ended_ns, process))

    async def _read(self, kind: str, pool: OpenPool, path: str, *, is_anonymous: bool = False) -> Operation:
        read = await self._wire.read(path, is_anonymous=is_anonymous)
        status, answer, began_ns, ended_ns, process = read
        assert status == 200, answer
        one = Operation(kind, self._wire.user.id, {}, status, answer, began_ns, ended_ns, process)
        self._clients.keep(pool, one)
        return one

    def _add(self, pool: OpenPool, market_id: int, side: str, shares: int) -> None:
        held = self._held[pool.id]
        held[market_id, side] = max(0, held.get((market_id, side), 0) + shares)


class Runner:
    """An admin who adds liquidity to a pool, pauses it, takes outcomes out, and gives it its verdicts."""

    def __init__(self, clients: Clients, pool: OpenPool) -> None:
        """Begin with nothing done."""
        self._clients = clients
        self._pool = pool
        self._wire = Wire(clients.plan.ports, clients.plan.admin, Random(clients.plan.seed + pool.id))
        self._path = f"/pools/{pool.id}"

    async def run(self) -> None:
        """Do everything in its time, the verdict once the pool's operations are done."""
        due = [(part, self._add_liquidity) for part in LIQUIDITY_AT] + [(part, self._pause) for part in PAUSE_AT]
        due += [(part, self._split) for part in SPLIT_AT] if self._pool.other is not None else []
        for part, act in sorted(due, key=lambda one: one[0]):
            await self._clients.until(self._pool, part)
            await act()
        await self._clients.until(self._pool, VERDICT_AT)
        for won in range(2 if self._pool.has_window else 1):
            await self._do("verdict", "resolve", {"won_side": won, "outcomes": len((await self._shown())["markets"])})
        self._wire.close()

    async def _pause(self) -> None:
        await self._do("pause", "pause")
        await asyncio.sleep(PAUSE_S)
        await self._do("resume", "resume")

    async def _add_liquidity(self) -> None:
        for _ in range(ATTEMPTS):
            shown = await self._shown()
            prices = [market["yes_probability"] for market in shown["markets"]]
            b = shown["markets"][0]["b"] * 4 // 3
            if (await self._do("liquidity", "liquidity", {"lmsr_b_kopecks": b, "probabilities": prices})).is_done:
                return
        raise AssertionError(f"no liquidity is added to {self._path}")

    async def _split(self) -> None:
        shown = await self._shown()
        name = f"Late {len(shown['markets'])}"
        for _ in range(ATTEMPTS):
            shown = await self._shown()
            (other,) = [market for market in shown["markets"] if market["outcome_index"] == shown["other"]]
            body = {"name": name, "share": 0.25, "probability": 0.25 * other["yes_probability"]}
            one = await self._do("split", "outcomes", body)
            if one.is_done:
                self._pool.market_ids = [market["id"] for market in one.answer["markets"]]
                return
        raise AssertionError(f"{name} is not taken out of {self._path}")

    async def _do(self, kind: str, what: str, body: dict[str, Any] | None = None) -> Operation:
        one = await self._wire.do(kind, "POST", f"{self._path}/{what}", body)
        self._clients.keep(self._pool, one)
        return one

    async def _shown(self) -> dict[str, Any]:
        _, shown, *_ = await self._wire.read(self._path)
        return dict(shown)


def work(path: Path) -> None:
    """Do what a plan says."""
    asyncio.run(Clients(msgspec.json.decode(path.read_bytes(), type=Plan)).run())


if __name__ == "__main__":
    work(Path(sys.argv[1]))
