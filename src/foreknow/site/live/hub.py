"""The worker of live updates: reads what has changed and sends it to the sockets that watch it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.types import Receive, Send

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import Clock
from foreknow.platform.db.engine import Database
from foreknow.platform.jobs import Worker
from foreknow.site.feed.peer import SERVICE_RESTART, WritableSocket, each
from foreknow.site.feed.store import newest_seq
from foreknow.site.live import store
from foreknow.site.live.batches import MessageBatch, TradeMessage, Watch
from foreknow.site.live.groups import Groups, WatchGroup
from foreknow.site.live.messages import LAST_TRADES_MAX, now_frames, trade_frames, traders_frames
from foreknow.site.live.own import OwnUpdates
from foreknow.site.live.watched import WatchedEvents
from foreknow.site.live.watcher import Watcher

#: Interval of looking at all watched events, for changes by other processes and by the time.
LOOK_S = 0.5
#: Longest time that the last trades are kept with the names of their traders, who may have hidden or deleted them.
NAMES_S = 0.8
#: Least time between two looks at all watched events after commits of this process.
LOOK_PACE_S = 0.1
#: Looks at all watched events take at most one part in five of the time.
LOOK_REST = 4
#: Least time between two passes. Each is followed by a rest, in parts of the time that it took: messages that come
#: close after each other go into one write.
PACE_S = 0.02
REST_SHARE = 0.3
REST_MAX_S = 0.05
#: Least time between two answers to one socket; a watch that comes earlier waits, and the last one counts.
ANSWER_PACE_S = 0.25
#: Number of events read in one transaction, and of trades.
EVENTS_AT_ONCE = 200
TRADES_AT_ONCE = 64
#: Reads of trades in one pass: it takes up to 0.1 s beside much else, in which thousands a second make hundreds.
READS_AT_ONCE = 16
#: Limit of pools read on the event loop: 1-2 ms.
BRIEF_POOLS = 20
#: Number of sockets whose watches are answered in one pass, and of those that are sent what is new. The others wait for
#: the next, which sends them what has come until then too: so none waits much longer than it takes to write to all.
ANSWERS_AT_ONCE = 64
SENDS_AT_ONCE = 1_000
#: Interval of looking for sockets that do not get closed.
LOOK_ROUND_S = 1.0
STOP_S = 6.0


@dataclass(slots=True)
class LiveMetrics:
    """Counts since the start."""

    #: Watches answered.
    answers: int = 0
    #: Messages encoded, each counted once: states and prices, and trades.
    updates: int = 0
    trades: int = 0


class LiveHub:
    """All sockets of `/ws/live` of this process. `start` it; note what is committed."""

    def __init__(self, db: Database, clock: Clock) -> None:
        """Read from `db`; `clock` (Unix milliseconds) closes events and ends dispute windows."""
        self._db = db
        self._clock = clock
        self.metrics = LiveMetrics()
        self._watchers: set[Watcher] = set()
        self._asking: set[Watcher] = set()
        self._groups = Groups()
        self._events = WatchedEvents()
        self._own = OwnUpdates(db, clock)
        #: The last trades as messages, oldest first, and the number in the feed of the newest when they were read.
        self._last_trades: tuple[int, Sequence[Sequence[bytes]]] = (-1, ())
        self._last_trades_until_s = 0.0
        #: The last trade that was read, by its number in the feed; None without sockets.
        self._seq: int | None = None
        #: Events to be read again, as their pools were traded in or repriced.
        self._stale: set[int] = set()
        #: Commits of this process, and how many of them the last look at all events had seen.
        self._commits = self._looked_at_commit = 0
        self._looked_s, self._look_took_s = float("-inf"), 0.0
        self._next_look_s = 0.0
        self._worker = Worker("live-hub", self._pass, poll_s=LOOK_S, pace_s=PACE_S)
        self._alarm: asyncio.TimerHandle | None = None
        #: Of the event loop's clock. A handle of uvloop whose time is past does not know it.
        self._alarm_s = 0.0
        self._is_stopping = False
        self._empty = asyncio.Event()
        self._empty.set()
        db.on_write.append(self._note_commit)

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return len(self._watchers)

    def start(self) -> None:
        """Begin to read."""
        self._worker.start()
        self._own.start()

    async def stop(self) -> None:
        """Close all sockets with 1012, then rest."""
        self._is_stopping = True
        for watcher in self._watchers:
            watcher.close(SERVICE_RESTART)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await self._empty.wait()
        await self._worker.stop()
        await self._own.stop()
        if self._alarm is not None:
            self._alarm.cancel()

    def wake(self) -> None:
        """There are trades with new numbers. Never blocks; any number of calls is one."""
        if self._watchers:
            self._worker.wake()

    def note_pools(self, pool_ids: Collection[int]) -> None:
        """Trades or new prices in these pools were committed here."""
        if stale := self._events.events_of_pools(pool_ids):
            self._stale |= stale
            self._worker.wake()

    async def serve(
        self,
        socket: WritableSocket,
        receive: Receive,
        send: Send,
        *,
        parse: Callable[[str], Watch],
        caller: UserCaller | None = None,
    ) -> None:
        """Serve an accepted WebSocket of `caller`, or a stranger, until it ends; `parse` reads its messages."""
        watcher = Watcher(socket, send, parse=parse, on_asked=self._note_asked)
        watcher.caller = caller
        self._watchers.add(watcher)
        self._empty.clear()
        if self._is_stopping:
            watcher.close(SERVICE_RESTART)
        try:
            await watcher.serve(receive)
        finally:
            self._watchers.discard(watcher)
            self._asking.discard(watcher)
            self._own.leave(watcher)
            self._forget(self._groups.leave(watcher))
            if not self._watchers:
                self._empty.set()

    def _note_commit(self) -> None:
        self._commits += 1
        self.wake()

    def _note_asked(self, watcher: Watcher) -> None:
        self._asking.add(watcher)
        self._worker.wake()

    async def _pass(self) -> bool:
        self._look_round()
        if not (self._groups.has_sockets or self._asking):
            self._seq = None
            return False
        loop = asyncio.get_running_loop()
        began_s, seq = loop.time(), self._seq
        try:
            is_more = await self._turn()
        except Exception:
            # Nothing of this pass counts as read.
            self._seq, self._looked_s = seq, float("-inf")
            raise
        took_s = loop.time() - began_s
        await asyncio.sleep(min(took_s * REST_SHARE, REST_MAX_S))
        return is_more

    async def _turn(self) -> bool:
        """Read and send what is new; return whether there is more to do at once."""
        turn, is_more = self._turn_to_answer(asyncio.get_running_loop().time())
        await self._send_batches(self._groups.take_before_join(turn))
        beginners = self._join(turn)
        trades, are_more = await self._read_trades()
        await self._read_events([event_id for _, watch in turn for event_id in watch.event_ids])
        await self._answer(turn, beginners)
        self._add(trades)
        # Past trades were read after these: who begins with them has these, too.
        await self._send_batches(self._groups.take(SENDS_AT_ONCE), without_trades=beginners)
        return is_more or are_more or self._groups.is_any_waiting

    def _turn_to_answer(self, now_s: float) -> tuple[list[tuple[Watcher, Watch]], bool]:
        """Return whose turn it is to be answered, of those who ask, and whether it is not all's."""
        turn: list[tuple[Watcher, Watch]] = []
        for watcher in list(self._asking):
            watch = watcher.asked
            if watch is None:
                # Too slow: it asks again once its messages are written.
                self._asking.discard(watcher)
            elif watcher.answer_from_s > now_s:
                self._set_alarm(watcher.answer_from_s)
            elif len(turn) == ANSWERS_AT_ONCE:
                return turn, True
            else:
                turn.append((watcher, watch))
        return turn, False

    def _join(self, turn: Sequence[tuple[Watcher, Watch]]) -> set[Watcher]:
        """Put sockets into the groups of their new watches; return which begin with the last trades."""
        beginners: set[Watcher] = set()
        for watcher, watch in turn:
            # It may have ended meanwhile.
            if watcher not in self._watchers:
                continue
            if watch.last_trades and not watcher.had_last_trades:
                beginners.add(watcher)
            watcher.had_last_trades = watch.last_trades > 0
            if watch.more and watcher.caller is not None:
                self._own.join(watcher, watcher.caller)
            else:
                self._own.leave(watcher)
            for event_id in watch.event_ids:
                self._events.add(event_id)
            self._forget(self._groups.join(watcher, watch))
        return beginners

    async def _read_trades(self) -> tuple[list[TradeMessage], bool]:
        """Read the next trades; return the messages that anyone watches, and whether there may be more trades."""
        if self._seq is None:
            self._seq = await self._db.lookup(newest_seq)
            return [], False
        messages: list[TradeMessage] = []
        are_more = True
        for number in range(READS_AT_ONCE):
            if number:
                await asyncio.sleep(0)
            found = await self._db.lookup(partial(store.trades_after, seq=self._seq, count=TRADES_AT_ONCE))
            for seq, trade in found:
                self._seq = seq
                is_watched = self._groups.is_watched(trade.event_id)
                if is_watched:
                    self._stale.add(trade.event_id)
                if is_watched or self._groups.is_tape_watched:
                    messages.append(TradeMessage(trade.event_id, trade_frames(trade)))
            are_more = len(found) == TRADES_AT_ONCE
            if not are_more:
                break
        self.metrics.trades += len(messages)
        return messages, are_more

    async def _read_events(self, asked_ids: Iterable[int]) -> None:
        """Read what may have changed, and what of `asked_ids` is not known as of the last commit here."""
        loop = asyncio.get_running_loop()
        began_s, commit = loop.time(), self._commits
        wanted, self._stale = self._stale, set()
        wanted.update(self._events.unread(asked_ids, commit=commit))
        is_look_due = self._is_look_due(began_s)
        if is_look_due:
            wanted.update(self._groups.event_ids)
        for event_ids in chunks(wanted, EVENTS_AT_ONCE):
            await self._read_some(event_ids, commit=commit)
        if is_look_due:
            self._looked_s = loop.time()
            self._look_took_s = self._looked_s - began_s
            self._looked_at_commit = commit

    async def _read_some(self, event_ids: Sequence[int], *, commit: int) -> None:
        now_ms = self._clock()
        known, pools = self._events.known(event_ids, now_ms=now_ms), self._events.pools(event_ids)
        run = self._db.lookup if pools is not None and pools <= BRIEF_POOLS else self._db.read
        readings = await run(partial(store.read_events, event_ids=event_ids, known=known, now_ms=now_ms))
        self._events.note(event_ids, readings, commit=commit)

    def _is_look_due(self, now_s: float) -> bool:
        rest_s = LOOK_REST * self._look_took_s
        pace_s = LOOK_S if self._commits == self._looked_at_commit else LOOK_PACE_S
        due_s = self._looked_s + max(pace_s, rest_s)
        if now_s < due_s:
            self._set_alarm(due_s)
        return now_s >= due_s

    async def _read_last_trades(self) -> Sequence[Sequence[bytes]]:
        """Return the messages of the last trades, read again where there are newer ones, or names may have changed."""
        now_s = asyncio.get_running_loop().time()
        if self._seq is None or self._last_trades[0] != self._seq or now_s >= self._last_trades_until_s:
            self._last_trades_until_s = now_s + NAMES_S
            seq = -1 if self._seq is None else self._seq
            found = await self._db.lookup(partial(store.newest_trades, count=LAST_TRADES_MAX))
            self._last_trades = seq, [trade_frames(trade) for trade in found]
        return self._last_trades[1]

    async def _answer(self, turn: Sequence[tuple[Watcher, Watch]], beginners: Collection[Watcher]) -> None:
        last_trades = await self._read_last_trades() if beginners else ()
        now_s = asyncio.get_running_loop().time()
        watches = dict(turn)
        frames: dict[tuple[int, ...], list[Sequence[bytes]]] = {}

        def answer(watcher: Watcher) -> None:
            watch = watches[watcher]
            if watch.event_ids not in frames:
                now = now_frames(self._events.snapshot(watch.event_ids))
                frames[watch.event_ids] = [now, traders_frames(self._events.traders(watch.event_ids))]
            messages = frames[watch.event_ids][: 2 if watch.more else 1]
            watcher.answer_from_s = now_s + ANSWER_PACE_S
            watcher.answer(watch, messages, last_trades[-watch.last_trades :] if watcher in beginners else ())
            self.metrics.answers += 1
            if watcher.asked is None:
                self._asking.discard(watcher)

        await each(list(watches), answer)

    def _add(self, trades: Sequence[TradeMessage]) -> None:
        """Add what is new to what the groups that watch it are to be sent."""
        updates, next_s = self._events.take_unsent(asyncio.get_running_loop().time())
        if next_s is not None:
            self._set_alarm(next_s)
        self.metrics.updates += sum(map(len, updates.values()))
        recounted = self._events.take_recounted(asyncio.get_running_loop().time())
        traders = {event_id: traders_frames({event_id: count}) for event_id, count in recounted.items()}
        self._groups.add(updates, trades, traders=traders)

    async def _send_batches(
        self, batches: Mapping[WatchGroup, MessageBatch], *, without_trades: Collection[Watcher] = ()
    ) -> None:
        now_s = asyncio.get_running_loop().time()

        def send(watcher: Watcher) -> None:
            group = self._groups.of(watcher)
            # It may have ended meanwhile.
            if group is not None and watcher in without_trades:
                watcher.tell(*batches[group].updates)
            elif group is not None:
                watcher.offer(batches[group], now_s)

        await each([watcher for group in batches for watcher in group.members], send)

    def _forget(self, event_ids: Iterable[int]) -> None:
        for event_id in event_ids:
            self._events.remove(event_id)
            self._stale.discard(event_id)

    def _look_round(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + LOOK_ROUND_S
            for watcher in self._watchers:
                watcher.look()

    def _set_alarm(self, at_s: float) -> None:
        """Work at that time of the event loop's clock, or earlier."""
        if self._alarm is not None:
            if self._alarm_s <= at_s:
                return
            self._alarm.cancel()
        self._alarm_s = at_s
        self._alarm = asyncio.get_running_loop().call_at(at_s, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._worker.wake()
