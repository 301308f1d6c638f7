"""The hub against a bare loop: the same messages to the same sockets of the same server, in as many writes."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.markets.tables import markets
from foreknow.platform.db.transactions import WriteTx
from foreknow.service.app import App
from foreknow.site.feed import store
from foreknow.site.feed.messages import trade_frame
from foreknow.web.endpoint import BodyRequest, post
from tests.support.rows import PoolIds, insert_trades

#: Polling interval; polling takes CPU time, too.
LOOK_S = 0.02
#: Pause between broadcasts, so that clients wait for each, as for a trade.
REST_S = 0.02


class BroadcastOrder(msgspec.Struct, frozen=True):
    """Commit trades in `times` batches of `together`, with amounts from `first` on."""

    market_id: int
    times: int
    together: int
    first: int


class Broadcast(msgspec.Struct, frozen=True):
    """CPU time of the process for one write to one socket, its share of all other work included; medians."""

    hub_us: float
    bare_us: float


class BroadcastRoutes:
    """One endpoint, which measures both in turn."""

    def __init__(self, app: App) -> None:
        """Measure the hub of `app`."""
        self._app = app

    @post("/bench/broadcast", AuthLevel.NONE)
    async def broadcast(self, request: BodyRequest[BroadcastOrder]) -> Broadcast:
        """Let the hub show trades that were just committed; then write the same messages in a bare loop."""
        order, hub = request.body, self._app.services.feed
        # What else follows from a trade, such as counting it, is no work of the hub.
        hub._on_trades = (hub._worker.wake,)
        hub_s, bare_s = [], []
        first = order.first
        for _ in range(order.times):
            amounts = range(first + 1, first + order.together + 1)
            first += order.together
            seq = await self._app.db.read(store.newest_seq)
            await self._app.db.write_private(partial(_insert, market_id=order.market_id, amounts=amounts))
            hub_s.append(await self._timed(partial(self._show, seq + order.together)))
            trades = await self._app.db.read(partial(store.trades_after, seq=seq, count=order.together))
            data = b"".join(trade_frame(trade, prev=0).plain for trade in trades)
            bare_s.append(await self._timed(partial(self._write, data)))
        sockets = self._app.services.feed.sockets
        return Broadcast(1e6 * statistics.median(hub_s) / sockets, 1e6 * statistics.median(bare_s) / sockets)

    async def _timed(self, work: Callable[[], Awaitable[None]]) -> float:
        await asyncio.sleep(REST_S)
        began_s = time.process_time()
        await work()
        while any(transport.get_write_buffer_size() for transport in self._transports()):  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)
        return time.process_time() - began_s

    async def _show(self, seq: int) -> None:
        self._app.services.feed.wake()
        # The hub has no event for "done".
        while self._app.services.feed.seq != seq:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)

    async def _write(self, data: bytes) -> None:
        for transport in self._transports():
            transport.write(data)

    def _transports(self) -> list[Any]:
        # uvicorn's transports: the bare loop bypasses our code.
        return [reader._transport for reader in self._app.services.feed._subscribers]


def _insert(tx: WriteTx, *, market_id: int, amounts: range) -> None:
    row = tx.execute(sa.select(markets).where(markets.c.id == market_id)).one()
    insert_trades(tx, PoolIds(row.event_id, row.pool_id, [row.id]), 1, amounts)
