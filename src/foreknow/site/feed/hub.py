"""The hub: reads new trades in their order and hands them to every socket of this process.

Messages are written as bytes shared by all sockets, waiting ones joined in one write. If the peer reads too slowly, the
kernel's buffer fills, then ours (`UNWRITTEN_MAX` in `peer`); from then on the socket only has a position in the shared
backlog. A stalled subscriber costs its unwritten bytes, most of them shared, and no time, until it is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import structlog
from starlette.types import Receive, Send

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import Worker
from foreknow.site.feed import store
from foreknow.site.feed.backlog import WAITING_MAX, WRITE_BYTES_MAX, Backlog
from foreknow.site.feed.leader import open_numbering
from foreknow.site.feed.messages import Frame, SequencedTrade, initial_frame, trade_frame
from foreknow.site.feed.peer import SERVICE_RESTART, TRY_AGAIN_LATER, Peer, WritableSocket, each

log = structlog.get_logger("foreknow.feed")


@dataclass(slots=True)
class FeedMetrics:
    """Counts since the start."""

    #: Trades sent, each counted once.
    trades: int = 0
    #: Writes to sockets.
    writes: int = 0
    #: Sockets closed because their peers read too slowly.
    dropped: int = 0


class Subscriber(Peer):
    """An accepted socket: `admit` it before sending to it, `serve` it until it ends."""

    __slots__ = ("_backlog", "_metrics", "_position", "_ready_at", "numbered")

    def __init__(
        self, socket: WritableSocket, send: Send, backlog: Backlog, metrics: FeedMetrics, *, numbered: bool
    ) -> None:
        """Send from `backlog`, with seq and prev if `numbered`; `send` is ASGI's, to close the socket."""
        super().__init__(socket, send)
        self.numbered = numbered
        self._backlog = backlog
        self._metrics = metrics
        #: Position of its next message in the backlog; None before `admit`.
        self._position: int | None = None
        #: The same while the socket is writable, else None.
        self._ready_at: int | None = None
        socket.on_pause_writing = self._pause
        socket.on_resume_writing = self._catch_up

    @property
    def waiting(self) -> int:
        """Number of messages waiting for it in the backlog."""
        return 0 if self._position is None else self._backlog.end - self._position

    def admit(self, initial: bytes) -> None:
        """Write its first message; the messages added to the backlog from now on follow."""
        if self._is_ending or self._transport.is_closing():
            return
        self._position = self._ready_at = self._backlog.end
        self._transport.write(initial)

    def push(self) -> None:
        """Write the newest batch; disconnect it if it is stalled with too many messages waiting."""
        backlog = self._backlog
        if self._ready_at != backlog.batch_start:
            self._push_lagging()
        elif not self._transport.is_closing():
            self._position = self._ready_at = backlog.end
            self._metrics.writes += 1
            self._transport.write(backlog.batch[self.numbered])

    def _pause(self) -> None:
        self._ready_at = None

    def _catch_up(self) -> None:
        """Write waiting messages while the socket is writable."""
        backlog = self._backlog
        self._ready_at = None if self._is_ending else self._position
        while self._ready_at is not None and self._ready_at < backlog.end and not self._transport.is_closing():
            pieces = backlog.pieces(self._ready_at, numbered=self.numbered)
            self._position = self._ready_at = self._ready_at + len(pieces)
            self._metrics.writes += 1
            # May call `_pause`.
            self._transport.writelines(pieces)

    def _push_lagging(self) -> None:
        """Handle a batch for a socket that does not expect exactly this one."""
        if self._is_ending or self._position is None:
            return
        if self._ready_at is not None:
            self._catch_up()
        elif self.waiting >= WAITING_MAX:
            self._metrics.dropped += 1
            log.info("feed subscriber disconnected: too slow", waiting=self.waiting)
            self.close(TRY_AGAIN_LATER)

    def _end(self) -> None:
        super()._end()
        self._ready_at = None


#: Number of the last trades that a new socket is sent first.
INITIAL_TRADES = 50
#: Number of trades read, and sent, at a time: fewer than the messages that may wait for a reader, so that one
#: who keeps up is never taken for one who does not. Where trades come faster than sockets can be written to, they wait
#: in the database, and the more of them wait, the more go into one write.
BATCH = 64
#: Interval of polling for trades of other processes.
POLL_S = 0.5
#: While trades keep coming, they are read at most this often.
PACE_S = 0.01
#: Interval of looking for sockets that do not get closed.
LOOK_EVERY_S = 1.0
STOP_S = 6.0


class FeedHub:
    """Every trade to every socket of this process, in one order. `start` it; call `wake` after commits."""

    def __init__(self, db: Database, *, on_trades: Sequence[Callable[[], None]] = ()) -> None:
        """Read from `db`; on PostgreSQL take part in numbering its trades.

        `on_trades` are called, without blocking, when there are new trades in their order, of this process or another.
        """
        self._db = db
        self.metrics = FeedMetrics()
        self._backlog = Backlog()
        self._subscribers: set[Subscriber] = set()
        self._joining: set[Subscriber] = set()
        #: The seq of the newest trade in the backlog, and of the newest that was handed out; None without readers.
        self._seq: int | None = None
        self._handed_out: int | None = None
        self._worker = Worker("feed-hub", self._pass, poll_s=POLL_S, pace_s=PACE_S)
        self._on_trades = (self._worker.wake, *on_trades)
        self._numbering = open_numbering(db, self._numbered)
        self._stopping = False
        self._next_look_s = 0.0
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return len(self._subscribers) + len(self._joining)

    @property
    def seq(self) -> int | None:
        """Up to which trade all sockets were handed everything; None without readers."""
        return self._handed_out

    def start(self) -> None:
        """Begin to read."""
        self._numbering.start()
        self._worker.start()

    async def stop(self) -> None:
        """Close all sockets with 1012, then rest."""
        self._stopping = True
        for subscriber in [*self._subscribers, *self._joining]:
            subscriber.close(SERVICE_RESTART)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self._empty.wait()
        await self._worker.stop()
        await self._numbering.stop()

    def wake(self) -> None:
        """Trades were committed here. Never blocks; any number of calls is one."""
        self._numbering.committed()

    async def serve(self, socket: WritableSocket, receive: Receive, send: Send, *, numbered: bool) -> None:
        """Serve an accepted WebSocket until it ends, with seq and prev where `numbered`."""
        subscriber = Subscriber(socket, send, self._backlog, self.metrics, numbered=numbered)
        if self._stopping:
            subscriber.close(SERVICE_RESTART)
        self._joining.add(subscriber)
        self._empty.clear()
        self._worker.wake()
        try:
            await subscriber.serve(receive)
        finally:
            self._subscribers.discard(subscriber)
            self._joining.discard(subscriber)
            if not self.sockets:
                self._empty.set()

    async def _pass(self) -> None:
        try:
            await self._turn()
        except Exception:
            # The next pass starts from the tables.
            self._send_away()
            raise
        finally:
            self._look_round()

    async def _turn(self) -> None:
        joining = list(self._joining)
        if joining:
            # Trades answered before they came are to be in their first message.
            await self._numbering.catch_up()
            await self._follow(through=await self._db.lookup(store.newest_seq))
            await self._admit(joining)
        else:
            await self._follow()
        if not self._subscribers:
            self._seq = self._handed_out = None
        if self._joining:
            self._worker.wake()

    async def _admit(self, subscribers: Sequence[Subscriber]) -> None:
        """Give those who have joined their first message; what is handed out from here on follows without a gap."""
        if not self._subscribers:
            # The last reader has left since the last pass, and nothing was handed out from there on.
            self._seq = None

        def initial(tx: ReadTx) -> tuple[int, list[SequencedTrade]]:
            # Names are read again each time: a profile that was hidden since shows in none of its trades any more.
            seq = store.newest_seq(tx) if self._seq is None else self._seq
            return seq, store.trades_until(tx, seq, count=INITIAL_TRADES)

        seq, trades = await self._db.lookup(initial)
        self._seq = self._handed_out = seq
        frame = initial_frame(trades, seq=seq)

        def admit(subscriber: Subscriber) -> None:
            if subscriber in self._joining:
                self._joining.remove(subscriber)
                self._subscribers.add(subscriber)
                subscriber.admit(frame.form(numbered=subscriber.numbered))

        await each(subscribers, admit)

    async def _follow(self, *, through: int | None = None) -> None:
        """Send the trades that no socket was sent yet: all, or where they come too fast, those up to `through`."""
        while self._subscribers and self._seq is not None:
            trades = await self._db.lookup(partial(store.trades_after, seq=self._seq, count=BATCH))
            await self._hand_out(trades)
            if len(trades) < BATCH or (self._seq >= through if through is not None else self._joining):
                break

    async def _hand_out(self, trades: Sequence[SequencedTrade]) -> None:
        """Give every reader the next trades, as many in one write as it takes well."""
        frames: list[Frame] = []
        size = 0
        for trade in trades:
            assert self._seq is not None
            frame = trade_frame(trade, prev=self._seq)
            self._seq = trade.seq
            frames.append(frame)
            size += len(frame.numbered)
            if size >= WRITE_BYTES_MAX or trade is trades[-1]:
                self._backlog.extend(frames)
                self.metrics.trades += len(frames)
                frames, size = [], 0
                await each(self._subscribers, Subscriber.push)
        self._handed_out = self._seq

    def _numbered(self) -> None:
        for call in self._on_trades:
            call()

    def _look_round(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + LOOK_EVERY_S
            for subscriber in self._subscribers:
                subscriber.look()

    def _send_away(self) -> None:
        for subscriber in list(self._joining):
            subscriber.close(TRY_AGAIN_LATER)
