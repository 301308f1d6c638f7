"""The hub: reads new trades in their order and hands them to every socket of this process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
import structlog

from foreknow.db.engine import Database
from foreknow.feed import store
from foreknow.feed.backlog import Backlog
from foreknow.feed.leader import Leadership
from foreknow.feed.messages import SequencedTrade, initial_frame, trade_frame
from foreknow.feed.pace import Pace
from foreknow.feed.reader import SERVICE_RESTART, TRY_AGAIN_LATER, Reader, Receive, Send
from foreknow.kernel.errors import BadRequest, Unavailable
from foreknow.web.connections import refuse_handshake
from foreknow.web.decoding import parse_query

log = structlog.get_logger("foreknow.feed")

#: So many of the last trades a socket is shown first.
INITIAL_TRADES = 50
#: So many trades are read, and handed out, at a time: fewer than the messages that may wait for a reader, so that one
#: who keeps up is never taken for one who does not. Where trades come faster, they wait in the database.
BATCH = 64
#: So often the hub looks for trades that nobody told it of.
POLL_S = 0.5
#: While trades keep coming, they are read at most this often.
PACE_S = 0.01
#: So many messages are written in one turn of the event loop, before requests have their turn.
TURN_MESSAGES = 512
#: So often the hub looks for sockets that do not get closed.
LOOK_EVERY_S = 1.0
STOP_S = 6.0


class FeedHub:
    """Every trade to every socket of this process, in one order. `start` it; tell it of commits with `wake`."""

    def __init__(self, db: Database) -> None:
        """Read from `db`; on PostgreSQL take part in numbering its trades."""
        self._db = db
        self._backlog = Backlog()
        self._readers: set[Reader] = set()
        self._joining: list[Reader] = []
        #: The seq of the newest trade in the backlog; None while nobody reads.
        self._seq: int | None = None
        self._pace = Pace(pace_s=PACE_S, poll_s=POLL_S)
        self._leadership = None if db.is_sqlite else Leadership(db, self._pace.hurry)
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._next_look_s = 0.0
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return len(self._readers) + len(self._joining)

    @property
    def seq(self) -> int | None:
        """Up to which trade all sockets were handed everything; None while nobody reads."""
        return self._seq

    def start(self) -> None:
        """Begin to read."""
        if self._leadership is not None:
            self._leadership.start()
        self._task = asyncio.create_task(self._work(), name="feed-hub")

    async def stop(self) -> None:
        """Close all sockets with 1012, then rest."""
        self._stopping = True
        for reader in [*self._readers, *self._joining]:
            reader.close(SERVICE_RESTART)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self._empty.wait()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._leadership is not None:
            await self._leadership.stop()

    def wake(self) -> None:
        """Trades were committed here. Never blocks; any number of calls is one."""
        if self._leadership is not None:
            self._leadership.committed()
        else:
            self._pace.hurry()

    async def socket(self, scope: Any, receive: Receive, send: Send) -> None:
        """Serve one WebSocket (an ASGI application for `websocket` scopes)."""
        try:
            numbered = parse_query(scope["query_string"], frozenset({"seq"})).get("seq") == "1"
        except BadRequest as refusal:
            await refuse_handshake(scope, receive, send, refusal)
            return
        await receive()
        await send({"type": "websocket.accept"})
        reader = Reader(send, self._backlog, numbered=numbered)
        if self._stopping:
            reader.close(SERVICE_RESTART)
        self._joining.append(reader)
        self._empty.clear()
        self._pace.hurry()
        drain = asyncio.create_task(reader.drain(receive))
        try:
            await reader.run()
        finally:
            drain.cancel()
            self._readers.discard(reader)
            if reader in self._joining:
                self._joining.remove(reader)
            if not self.sockets:
                self._empty.set()

    async def _work(self) -> None:
        while True:
            await self._pace.wait()
            try:
                await self._turn()
            except Unavailable:
                log.warning("the feed cannot read the database")
                self._send_away()
            except Exception:  # whatever one turn stumbles over, the next one starts from the tables
                log.exception("the feed stumbled")
                self._send_away()
            self._look_round()

    async def _turn(self) -> None:
        joining = list(self._joining)
        if joining:
            if self._leadership is not None:
                # What was answered before they came is to be in their first message.
                await self._leadership.catch_up()
            await self._follow(through=await self._db.read(store.newest_seq))
            await self._admit(joining)
        else:
            await self._follow()
        if not self._readers:
            self._seq = None
        if self._joining:
            self._pace.hurry()

    async def _admit(self, joining: Sequence[Reader]) -> None:
        """Give those who have joined their first message; what is handed out from here on follows without a gap."""

        def initial(tx: sa.Connection) -> tuple[int, list[SequencedTrade]]:
            # Names are read anew each time: a profile that was hidden since shows in none of its trades any more.
            seq = store.newest_seq(tx) if self._seq is None else self._seq
            return seq, store.trades_until(tx, seq, count=INITIAL_TRADES)

        seq, trades = await self._db.read(initial)
        self._seq = seq
        frame = initial_frame(trades, seq=seq)
        for reader in joining:
            if reader in self._joining:
                self._joining.remove(reader)
                self._readers.add(reader)
                reader.admit(frame.numbered if reader.numbered else frame.plain)

    async def _follow(self, *, through: int | None = None) -> None:
        """Hand out the trades that nobody was sent yet: all, or where they come too fast, those up to `through`."""
        while self._readers and self._seq is not None:
            trades = await self._db.read(partial(store.trades_after, seq=self._seq, count=BATCH))
            for trade in trades:
                self._backlog.append(trade_frame(trade, prev=self._seq))
                self._seq = trade.seq
            if trades:
                await self._hand_out(len(trades))
            if len(trades) < BATCH or (self._seq >= through if through is not None else self._joining):
                break

    async def _hand_out(self, count: int) -> None:
        """Wake the readers some at a time, so that a request need not wait until all have been written to."""
        readers = list(self._readers)
        group = max(1, TURN_MESSAGES // count)
        for start in range(0, len(readers), group):
            for reader in readers[start : start + group]:
                reader.wake()
            # They write in this turn of the loop, before we go on: whoever keeps up has now got everything.
            await asyncio.sleep(0)

    def _look_round(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + LOOK_EVERY_S
            for reader in self._readers:
                reader.look()

    def _send_away(self) -> None:
        for reader in list(self._joining):
            reader.close(TRY_AGAIN_LATER)
