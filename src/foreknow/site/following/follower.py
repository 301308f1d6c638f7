"""The worker that notifies followers: it reads what is new, then writes what follows from it in one short transaction.

The cursor of trades moves with what they cause. Trades that cause nothing move it now and then only: what is read
again has no effect, since alerts are of later trades than those before they were set, and follows exist already.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from foreknow.kernel.clock import MINUTE_MS
from foreknow.people.follows import news
from foreknow.people.follows.store import follow_by_trade
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.site.activity.trades import Pieces
from foreknow.site.following import alerts, causes, moves, pending, sending, trades
from foreknow.site.following.causes import PriorEffects
from foreknow.site.following.effects import Effects, effects_of
from foreknow.site.following.moves import Move
from foreknow.site.following.trades import FollowedPiece, FollowingPlace, read_piece

#: As that of `activity`: on SQLite each look costs the orders a commit.
POLL_S = 1.0
PACE_S = 0.5
REST_SHARE = 15.0
STOP_S = 5.0
#: Seconds of rest after each second of sending news, so that orders find the database and the processor free.
SEND_REST_SHARE = 4.0
#: Trades without effect after which the cursor is moved all the same.
MOVE_ON_TRADES = 1_000
#: How often the cursor of ends of trading is moved where no trading ends, and how often ended markets are looked for.
MOVE_ON_MS = 5 * MINUTE_MS
SWEEP_EVERY_MS = MINUTE_MS
#: Pools with price alerts that are looked at together, and how long ago they must have ended: their last trades may
#: not have been read yet.
SWEPT_POOLS = 100
ENDED_MS = MINUTE_MS


class FollowingService(Background):
    """Notifies followers of each thing once, however many processes there are."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Follow what happens in `db`."""
        super().__init__(
            Worker("following", self.follow, poll_s=poll_s, pace_s=PACE_S, rest_share=REST_SHARE, stop_s=STOP_S)
        )
        self._db = db
        self._pieces = Pieces(read_piece)
        #: The trade up to which nothing is left to do, though the row may not say so yet.
        self._seq = 0
        self._swept_at_ms = 0
        self._swept_through = 0
        #: Whether a step of this pass has written anything, news perhaps.
        self._has_written = False

    async def prepare(self) -> None:
        """Begin before anything is served, so that nothing of what happens is taken for older than the first start."""
        await self._db.write_private(lambda tx: trades.begin(tx, at_ms=now_ms(tx)))

    async def follow(self) -> bool:
        """Do some of all that is new; return whether there may be more."""
        self._has_written = False
        waiting = await self._db.lookup(pending.look)
        place, at_ms = waiting.place, waiting.at_ms
        if place is None:
            await self.prepare()
            return True
        has_more = [
            waiting.newest_seq > max(self._seq, place.seq) and await self._follow_trades(place),
            waiting.priors and await self._follow_priors(),
            waiting.moves and await self._follow_moves(),
            waiting.comments and await self._follow_comments(),
            (waiting.ends or _are_ends_old(place, at_ms)) and await self._follow_ends(place),
            (waiting.news or self._has_written) and await self._send(),
        ]
        if waiting.alerts:
            await self._sweep(at_ms)
        return any(has_more)

    async def _follow_trades(self, place: FollowingPlace) -> bool:
        after = max(self._seq, place.seq)

        def read(tx: ReadTx) -> tuple[FollowedPiece, Effects] | None:
            piece = self._pieces.read(tx, after)
            return None if piece is None else (piece, effects_of(tx, piece, at_ms=now_ms(tx)))

        found = await self._db.read(read)
        if found is None:
            return False
        piece, effects = found
        through = piece.through
        # Where more alerts were reached than one transaction ends, the same trades are looked at again.
        is_done = len(effects.reached) < alerts.REACHED_MAX
        if effects.are_none and through - place.seq < MOVE_ON_TRADES:
            self._seq = through
            return piece.is_full
        if await self._write(lambda tx: _write(tx, effects, through if is_done else None), after=after) and is_done:
            self._seq = through
        return piece.is_full or not is_done

    async def _follow_priors(self) -> bool:
        effects = await self._db.read(causes.next_priors)
        if effects is None:
            return False
        await self._write(lambda tx: _write_priors(tx, effects))
        return True

    async def _follow_moves(self) -> bool:
        found = await self._db.read(lambda tx: moves.of_due(tx, at_ms=now_ms(tx)))
        return await self._write_moves(found) and len(found) == moves.PIECE_EVENTS

    async def _write_moves(self, found: list[Move]) -> bool:
        return bool(found) and await self._write(lambda tx: moves.write(tx, found, at_ms=now_ms(tx)))

    async def _follow_comments(self) -> bool:
        event_ids = await self._db.read(lambda tx: causes.commented_events(tx, at_ms=now_ms(tx)))
        if not event_ids:
            return False
        return await self._write(lambda tx: causes.write_comments(tx, event_ids, at_ms=now_ms(tx)))

    async def _follow_ends(self, place: FollowingPlace) -> bool:
        def read(tx: ReadTx) -> tuple[list[tuple[int, int]], int]:
            at_ms = now_ms(tx)
            return causes.closing_events(tx, since_ms=place.closing_ms, at_ms=at_ms), at_ms

        found, at_ms = await self._db.read(read)
        if not found and not _are_ends_old(place, at_ms):
            return False
        return await self._write(lambda tx: causes.write_closing(tx, found, at_ms=at_ms)) and bool(found)

    async def _send(self) -> bool:
        if not await self._db.lookup(news.is_any_waiting):
            return False
        began_s = time.perf_counter()
        may_have_more = await self._db.write_private(sending.send_some)
        await asyncio.sleep(SEND_REST_SHARE * (time.perf_counter() - began_s))
        return may_have_more

    async def _sweep(self, at_ms: int) -> None:
        """Delete some alerts whose markets have ended, now and then."""
        if abs(at_ms - self._swept_at_ms) < SWEEP_EVERY_MS:
            return

        def read(tx: ReadTx) -> tuple[list[int], int | None]:
            ended_by_ms = now_ms(tx) - ENDED_MS
            return alerts.ended_pools(tx, after_id=self._swept_through, ended_by_ms=ended_by_ms, limit=SWEPT_POOLS)

        ended, last_id = await self._db.read(read)
        if ended:
            await self._write(lambda tx: alerts.delete_of_pools(tx, ended))
        self._swept_through = last_id or 0
        if last_id is None:
            self._swept_at_ms = at_ms

    async def _write(self, work: Callable[[WriteTx], object], *, after: int | None = None) -> bool:
        """Write under the lock of the worker's row; False, and nothing is written, where another process holds it.

        `after`: the work is of the trades after this one; False also where another process has worked on some of them.
        """

        def run(tx: WriteTx) -> bool:
            place = trades.lock_place(tx)
            if place is None or (after is not None and place.seq > after):
                return False
            work(tx)
            return True

        is_written = await self._db.write_private(run)
        self._has_written |= is_written
        return is_written


def _are_ends_old(place: FollowingPlace, at_ms: int) -> bool:
    """Return whether the cursor of ends is to be moved on; also back, where the clock was ahead."""
    return abs(at_ms - place.closing_ms) >= MOVE_ON_MS


def _write(tx: WriteTx, effects: Effects, through: int | None) -> None:
    at_ms = now_ms(tx)
    follow_by_trade(tx, effects.follows)
    moves.write(tx, effects.moves, at_ms=at_ms)
    sending.notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    if through is not None:
        trades.move_on(tx, seq=through)


def _write_priors(tx: WriteTx, effects: PriorEffects) -> None:
    at_ms = now_ms(tx)
    sending.notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    causes.forget_priors(tx, effects)
    moves.write(tx, moves.of_events(tx, effects.before, at_ms=at_ms), at_ms=at_ms)
