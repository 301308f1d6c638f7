"""Orders of pools that another transaction has locked: they wait for the lock apart, and no other order for them.

One task for each held market waits for its pool's lock in the database, where waiting transactions come by turns, and
then executes the market's orders until none is left.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from foreknow.kernel.prompt_future import PromptFuture
from foreknow.trading.desk.kind import OrderKind

#: Markets that are waited for at a time: each takes a connection, of which a process has 20. Further ones wait.
LANES_MAX = 6


@dataclass(slots=True)
class QueuedOrder:
    """An order in the desk's queue, and what its caller waits for."""

    order: OrderKind
    answer: PromptFuture[Any]
    #: How many batches have met its pool locked.
    skips: int = 0


#: Executes orders together, waiting for their pools, and answers them.
Execute = Callable[[Sequence[QueuedOrder]], Awaitable[None]]


class HeldOrders:
    """Held orders by market, in their order of arrival."""

    def __init__(self, execute: Execute, *, batch_max: int) -> None:
        """`execute` gets up to `batch_max` orders of one market at a time."""
        self._execute = execute
        self._batch_max = batch_max
        self._by_market: dict[int, deque[QueuedOrder]] = {}
        self._lanes: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(LANES_MAX)

    def __len__(self) -> int:
        return sum(map(len, self._by_market.values())) if self._by_market else 0

    def __contains__(self, market_id: int) -> bool:
        return market_id in self._by_market

    def add(self, waiting: QueuedOrder) -> None:
        """Hold an order behind those of its market."""
        market_id = waiting.order.market_id
        if market_id not in self._by_market:
            self._by_market[market_id] = deque()
            lane = asyncio.create_task(self._work(market_id), name="held-orders")
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)
        self._by_market[market_id].append(waiting)

    async def finish(self) -> None:
        """Wait until no order is held."""
        while self._lanes:
            await asyncio.gather(*self._lanes)

    async def _work(self, market_id: int) -> None:
        held = self._by_market[market_id]
        async with self._turns:
            while held:
                count = min(len(held), self._batch_max)
                await self._execute([held.popleft() for _ in range(count)])
            del self._by_market[market_id]
