"""The worker that notifies followers: it reads what is new, then writes what follows from it in one short transaction.

The cursor of trades moves with what they cause. Trades that cause nothing move it now and then only: what is read
again has no effect, since alerts are of later trades than those before they were set, and follows exist already.
"""

from __future__ import annotations

import asyncio
import time

from foreknow.kernel.clock import MINUTE_MS
from foreknow.people.follows import news
from foreknow.people.follows.store import follow_by_trade
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Follower, Pieces
from foreknow.platform.jobs.follower import POLL_S
from foreknow.site.following import alerts, causes, moves, pending, sending
from foreknow.site.following.causes import PriorEffects
from foreknow.site.following.effects import Effects, effects_of
from foreknow.site.following.trades import CURSOR, FollowedPiece, read_piece

#: Seconds of rest after each second of sending news, so that orders find the database and the processor free.
SEND_REST_SHARE = 4.0
#: Trades without effect after which the cursor is moved all the same.
MOVE_ON_TRADES = 1_000
#: How often ended markets are looked for.
SWEEP_EVERY_MS = MINUTE_MS


class FollowingService(Follower):
    """Notifies followers of each thing once, however many processes there are."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Follow what happens in `db`."""
        super().__init__("following", db, CURSOR, poll_s=poll_s)
        self._pieces = Pieces(read_piece)
        #: The trade up to which nothing is left to do, though the row may not say so yet.
        self._seq = 0
        self._swept_at_ms = 0

    async def follow(self) -> bool:
        """Do some of all that is new; return whether there may be more."""
        waiting = await self.db.lookup(pending.look)
        seq, writes = waiting.seq, self.writes
        if seq is None:
            await self.prepare()
            return True
        has_more = [
            waiting.newest_seq > max(self._seq, seq) and await self._follow_trades(seq),
            waiting.priors and await self.step(causes.next_priors, _write_priors) is not None,
            waiting.moves and await self._follow_moves(),
            waiting.comments and await self.step(causes.commented_events, causes.write_comments) is not None,
            waiting.ends and await self._follow_ends(),
            (waiting.news or self.writes > writes) and await self._send(),
        ]
        if waiting.alerts:
            await self._sweep(waiting.at_ms)
        return any(has_more)

    async def _follow_trades(self, seq: int) -> bool:
        after = max(self._seq, seq)

        def read(tx: ReadTx) -> tuple[FollowedPiece, Effects] | None:
            piece = self._pieces.read(tx, after)
            return None if piece is None else (piece, effects_of(tx, piece, at_ms=now_ms(tx)))

        found = await self.db.read(read)
        if found is None:
            return False
        piece, effects = found
        through = piece.through
        # Where more alerts were reached than one transaction ends, the same trades are looked at again.
        is_done = len(effects.reached) < alerts.REACHED_MAX
        if effects.are_none and through - seq < MOVE_ON_TRADES:
            self._seq = through
            return piece.is_full
        is_written = await self.write(
            lambda tx: _write(tx, effects, through if is_done else None),
            # Another process may have done some of it.
            if_at=lambda places: bool(places.seq <= after),
        )
        if is_written and is_done:
            self._seq = through
        return piece.is_full or not is_done

    async def _follow_moves(self) -> bool:
        found = await self.step(moves.of_due, lambda tx, due: moves.write(tx, due, at_ms=now_ms(tx)))
        return found is not None and len(found) == moves.PIECE_EVENTS

    async def _follow_ends(self) -> bool:
        found = await self.step(causes.closing_events, causes.write_closing)
        return found is not None and bool(found.rows)

    async def _send(self) -> bool:
        if not await self.db.lookup(news.is_any_waiting):
            return False
        began_s = time.perf_counter()
        may_have_more = await self.db.write_private(sending.send_some)
        await asyncio.sleep(SEND_REST_SHARE * (time.perf_counter() - began_s))
        return may_have_more

    async def _sweep(self, at_ms: int) -> None:
        """Delete some alerts whose markets have ended, now and then."""
        if self.swept_through is None:
            if abs(at_ms - self._swept_at_ms) < SWEEP_EVERY_MS:
                return
            self.swept_through = 0
        await self.sweep(alerts.ended_pools, alerts.delete_of_pools)
        if self.swept_through is None:
            self._swept_at_ms = at_ms


def _write(tx: WriteTx, effects: Effects, through: int | None) -> None:
    at_ms = now_ms(tx)
    follow_by_trade(tx, effects.follows)
    moves.write(tx, effects.moves, at_ms=at_ms)
    sending.notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    if through is not None:
        CURSOR.move(tx, seq=through)


def _write_priors(tx: WriteTx, effects: PriorEffects) -> None:
    at_ms = now_ms(tx)
    sending.notify_of_reached(tx, alerts.take(tx, effects.reached), effects.pools, at_ms=at_ms)
    causes.forget_priors(tx, effects)
    moves.write(tx, moves.of_events(tx, effects.before, at_ms=at_ms), at_ms=at_ms)
