"""The worker that counts: it reads what is new, then writes what follows from it in one short transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.site.activity import counting, holdings, splits, tags, traders, windows
from foreknow.site.activity.holdings import UncountedPool
from foreknow.site.activity.pending import ALL_PENDING, Pending, what_is_pending
from foreknow.site.activity.tags import Noted
from foreknow.site.activity.trades import Pieces, read_piece
from foreknow.site.activity.windows import Renewal

#: How often a process looks for what is new, and the shortest time between two looks after trades of its own: on SQLite
#: each costs the orders a commit.
POLL_S = 1.0
PACE_S = 0.5
#: Seconds of rest for each second of work: so bets pay little for what is counted.
REST_SHARE = 15.0
#: The same while it is far behind, as after the upgrade of an old service, which has millions of trades to count.
CATCH_UP_REST_SHARE = 1.0
#: Longest wait at shutdown for the transaction under way.
STOP_S = 5.0


class ActivityFollower(Background):
    """Counts trades and what else `activity` keeps, once, however many processes there are."""

    def __init__(self, db: Database, *, poll_s: float = POLL_S) -> None:
        """Follow the trades of `db`."""
        super().__init__(
            Worker("activity", self.follow, poll_s=poll_s, pace_s=PACE_S, rest_share=REST_SHARE, stop_s=STOP_S)
        )
        self._db = db
        self._pieces = Pieces(read_piece)
        #: The last event looked through since the start; None once all were.
        self._looked_through: int | None = 0

    async def follow(self) -> bool:
        """Count some of all that is new; return whether there may be more."""
        pending = ALL_PENDING if self._looked_through is not None else await self._db.lookup(_what_is_pending)
        if not any(pending):
            return False
        began_s = asyncio.get_running_loop().time()
        has_more = [pending.trades and await self._count_trades()]
        if pending.trades and self._looked_through is None:
            # With what follows from the trades.
            pending = await self._db.lookup(_what_is_pending)
        has_more += [
            pending.splits and await self._count_splits(),
            pending.paid and await self._count_paid(),
            pending.events and await self._count_events(),
            await self._look_through(),
            pending.past and await self._take_past_out(),
            pending.renewals and await self._renew(),
            pending.sums and await self._prune(),
        ]
        if any(has_more):
            await asyncio.sleep(CATCH_UP_REST_SHARE * (asyncio.get_running_loop().time() - began_s))
        return any(has_more)

    async def _count_trades(self) -> bool:
        # Read before the transaction: on SQLite a write holds up every order.
        piece = await self._db.read(lambda tx: self._pieces.read(tx, counting.cursor_seq(tx)))
        if piece is None:
            return False
        return await self._db.write_private(lambda tx: counting.count(tx, piece)) and piece.is_full

    async def _count_splits(self) -> bool:
        made = await self._db.read(splits.uncounted)
        if not made and not await self._db.read(splits.is_any_noted):
            return False
        is_written = await self._write(lambda tx: splits.count(tx, made, at_ms=now_ms(tx)))
        return is_written and len(made) == splits.PIECE_POSITIONS

    async def _count_paid(self) -> bool:
        def read(tx: ReadTx) -> tuple[list[UncountedPool], int, int]:
            since_ms, at_ms = holdings.resolved_since_ms(tx), now_ms(tx)
            if splits.uncounted(tx):
                # First who holds what.
                return [], since_ms, since_ms
            return holdings.next_resolved_pools(tx, since_ms=since_ms, at_ms=at_ms), since_ms, at_ms

        waiting, since_ms, at_ms = await self._db.read(read)
        ready = [pool.pool_id for pool in waiting if pool.is_ready]
        next_ms = waiting[0].resolved_at_ms if waiting else at_ms
        if not ready and abs(next_ms - since_ms) <= holdings.OVERLAP_MS:
            return False
        return await self._write(lambda tx: holdings.count_paid(tx, ready, resolved_since_ms=next_ms)) and bool(ready)

    async def _count_events(self) -> bool:
        noted = await self._db.read(lambda tx: tags.noted(tx, at_ms=now_ms(tx)))
        if not noted.event_ids:
            return False
        return await self._write(lambda tx: tags.count(tx, noted)) and noted.is_full

    async def _look_through(self) -> bool:
        after_id = self._looked_through
        if after_id is None:
            return False
        uncounted, last_id = await self._db.read(lambda tx: tags.uncounted(tx, after_id=after_id, at_ms=now_ms(tx)))
        if uncounted and not await self._write(lambda tx: tags.count(tx, Noted((), uncounted))):
            return False
        self._looked_through = last_id
        return last_id is not None

    async def _take_past_out(self) -> bool:
        if not await self._db.read(lambda tx: windows.is_any_past(tx, at_ms=now_ms(tx))):
            return False
        return await self._write(lambda tx: windows.take_past_out(tx, at_ms=now_ms(tx)))

    async def _renew(self) -> bool:
        def read(tx: ReadTx) -> Sequence[Renewal]:
            at_ms = now_ms(tx)
            return windows.renewals(tx, windows.due_events(tx, at_ms=at_ms), at_ms=at_ms)

        renewals = await self._db.read(read)
        if not renewals:
            return False
        is_written = await self._write(lambda tx: windows.renew(tx, renewals))
        return is_written and len(renewals) == windows.PIECE_EVENTS

    async def _prune(self) -> bool:
        past = await self._db.read(lambda tx: traders.past_sums(tx, at_ms=now_ms(tx)))
        return past is not None and await self._write(lambda tx: traders.delete_sums(tx, past))

    async def _write(self, work: Callable[[WriteTx], object]) -> bool:
        """Write under the follower's lock; False, and nothing is written, where another process holds it."""

        def run(tx: WriteTx) -> bool:
            if counting.lock_cursor(tx) is None:
                return False
            work(tx)
            return True

        return await self._db.write_private(run)


def _what_is_pending(tx: ReadTx) -> Pending:
    return what_is_pending(tx, at_ms=now_ms(tx))
