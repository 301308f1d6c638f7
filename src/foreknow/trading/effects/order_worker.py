"""The worker of resting orders: it pays out what fills and ends left, and ends what has ended, piece by piece.

What is due stands in rows that are written with its cause: `order_dues` of fills, open orders whose end has passed,
`order_leavers`. A piece does it under its pools' locks and deletes the row, so that a killed process loses nothing and
two processes do nothing twice. A pool that fails waits, and the others go on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.market.pools.failing import note_done, note_failing
from foreknow.market.pools.store import lock_pools
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, ReadTx, WriteTx
from foreknow.platform.jobs import Background, Claim, JobRunner, Worker
from foreknow.platform.jobs.piecewise import piece_rows
from foreknow.trading.effects import pieces
from foreknow.trading.effects.pieces import OrderPiece
from foreknow.trading.limit_orders import due
from foreknow.trading.limit_orders.due import LEAVERS, DueWork, OrderPlace

log = structlog.get_logger("foreknow.orders")

#: Called with the ids of the pools whose orders a commit ended, none where it only paid.
OnPiece = Callable[[Collection[int]], None]
#: How often a process looks for what is due, also to others: money and shares are back within 2 s.
POLL_S = 0.5
#: Time between the pieces that follow fills: the pools that they lock are free meanwhile. A burst of fills waits for
#: one or two of them: half of makers are to be paid within 0.2 s.
PACE_S = 0.05
#: Pieces of a pool's end before fills elsewhere have their turn.
TURN_PIECES = 16
#: On SQLite, seconds of rest after each second of pieces, so that orders find the database free.
REST_SHARE = 0.5
BACK_OFF = BackOff(first_ms=500, most_ms=10_000)
#: Failures of a pool after which operators are alerted.
ATTENTION_ATTEMPTS = 5
REASON = "order_payment_failed"
#: Users whose orders end by turns.
LEAVERS_MAX = 4
#: Until a user is looked at again whose orders left are all in pools that wait after a failure.
WAITING_LEAVER_MS = SECOND_MS
#: Longest wait at shutdown for the piece under way.
STOP_S = 10.0


@dataclass(slots=True)
class OrderWorkMetrics:
    """What this process has done since its start."""

    ended: int = 0
    paid: int = 0
    #: Duration of each piece, without the wait for SQLite's write lock.
    pieces_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


@dataclass(slots=True)
class _Failure:
    """How often a pool has failed, and when it is tried again (`time.monotonic`)."""

    attempts: int
    again_at_s: float


class OrderWorker(Background):
    """Pays and ends resting orders in the background."""

    def __init__(
        self,
        db: Database,
        *,
        on_piece: Sequence[OnPiece] = (),
        poll_s: float = POLL_S,
        pace_s: float = PACE_S,
        piece: int | None = None,
        back_off: BackOff = BACK_OFF,
    ) -> None:
        """`on_piece` is called after each commit, `back_off` says how long a pool waits that failed."""
        super().__init__(Worker("orders", self.run_due, poll_s=poll_s, pace_s=pace_s, stop_s=STOP_S))
        self._db = db
        self._on_piece = tuple(on_piece)
        self._size = piece or piece_rows(db)
        self._leavers = JobRunner(
            "order-leavers", db, LEAVERS, self._end_all_of, back_off=back_off, batch_max=LEAVERS_MAX
        )
        self._back_off = back_off
        self._failures: dict[int, _Failure] = {}
        self.metrics = OrderWorkMetrics()

    async def run_due(self) -> bool:
        """Do some of what is due; return whether there is certainly more."""
        waiting = self._waiting()
        work, called, is_any_leaving = await self._db.lookup(lambda tx: self._find(tx, waiting))
        await self._close_entries(called - work.pool_ids - waiting)
        more = any([await self._end_pool(pool_id) for pool_id in work.ended_pool_ids])
        if work.expired:
            more |= await self._end_expired(work.expired) == self._size
        if work.owing_pool_ids:
            done = await self._attempt(work.owing_pool_ids, self._pay)
            more |= any(piece.paid == self._size for piece in done)
            # Pools that were not free are looked for again, at the pace.
            self.wake()
        return (is_any_leaving and any(await self._leavers.run_due())) or more

    def _find(self, tx: ReadTx, waiting: Collection[int]) -> tuple[DueWork, set[int], bool]:
        at_ms = now_ms(tx)
        work = due.find(tx, now_ms=at_ms, limit=self._size, except_pool_ids=waiting)
        called = set(attention.pools_waiting(tx, "payment", reason=REASON))
        return work, called, LEAVERS.is_any_due(tx, now_ms=at_ms)

    def _pay(self, tx: WriteTx, pool_ids: Sequence[int]) -> OrderPiece:
        return pieces.pay_some(tx, pool_ids, size=self._size)

    async def _end_pool(self, pool_id: int) -> bool:
        """End orders of a pool for a while; return whether some may be left."""
        after_user_id = 0
        for _ in range(TURN_PIECES):
            done = await self._attempt([pool_id], self._ending(after_user_id))
            ended = sum(piece.ended for piece in done)
            if not ended:
                return False
            after_user_id = max(piece.after_user_id for piece in done)
        return True

    def _ending(self, after_user_id: int) -> Callable[[WriteTx, Sequence[int]], OrderPiece]:
        def end(tx: WriteTx, pool_ids: Sequence[int]) -> OrderPiece:
            (pool_id,) = pool_ids
            return pieces.end_pool(tx, pool_id, after_user_id=after_user_id, size=self._size)

        return end

    async def _end_expired(self, places: Sequence[OrderPlace], *, is_deactivated: bool = False) -> int:
        """End orders of several pools; return how many."""

        def end(tx: WriteTx, pool_ids: Sequence[int]) -> OrderPiece:
            chosen = [place for place in places if place.pool_id in pool_ids]
            return pieces.end_some(tx, chosen, is_deactivated=is_deactivated)

        done = await self._attempt(list(dict.fromkeys(place.pool_id for place in places)), end)
        return sum(piece.ended for piece in done)

    async def _end_all_of(self, claim: Claim) -> bool:
        """End orders of a user whose account is deactivated; return whether there may be more to do at once."""
        waiting = self._waiting()

        def find(tx: ReadTx) -> tuple[list[OrderPlace], bool]:
            places = due.open_orders_of(tx, claim.key, limit=self._size, except_pool_ids=waiting)
            is_any_waiting = not places and bool(waiting and due.open_orders_of(tx, claim.key, limit=1))
            # Of a user who is active again they stay: new orders would end with them.
            return places, is_any_waiting and not due.is_active(tx, claim.key)

        places, is_any_waiting = await self._db.lookup(find)
        if places:
            await self._end_expired(places, is_deactivated=True)
            return await self._db.write_private(lambda tx: LEAVERS.reschedule(tx, claim, due_at_ms=now_ms(tx)))
        if is_any_waiting:
            await self._db.write_private(
                lambda tx: LEAVERS.reschedule(tx, claim, due_at_ms=now_ms(tx) + WAITING_LEAVER_MS)
            )
            return False
        return await self._db.write_private(lambda tx: LEAVERS.delete(tx, claim))

    async def _attempt(
        self, pool_ids: Sequence[int], work: Callable[[WriteTx, Sequence[int]], OrderPiece]
    ) -> list[OrderPiece]:
        """Commit a piece; where that fails, each pool alone, so that one that cannot be done spares the others."""
        began_s = time.perf_counter()

        def timed(tx: WriteTx) -> OrderPiece:
            # The wait for SQLite's write lock is no work, and followed by no rest.
            nonlocal began_s
            began_s = time.perf_counter()
            return work(tx, pool_ids)

        try:
            done = await self._db.write_brief(timed)
        except Exception as failure:
            if isinstance(failure, Unavailable) and not isinstance(failure, Locked):
                raise
            if len(pool_ids) > 1:
                return [piece for pool_id in pool_ids for piece in await self._attempt([pool_id], work)]
            await self._note_failure(pool_ids[0], failure)
            return []
        took_s = time.perf_counter() - began_s
        if not done.is_empty:
            self.metrics.ended += done.ended
            self.metrics.paid += done.paid
            self.metrics.pieces_s.add(took_s)
            for callback in self._on_piece:
                callback(done.pool_ids)
            if self._db.is_sqlite:
                await asyncio.sleep(REST_SHARE * took_s)
        for pool_id in pool_ids if len(pool_ids) == 1 else ():
            self._failures.pop(pool_id, None)
        return [done]

    async def _note_failure(self, pool_id: int, failure: Exception) -> None:
        """Let a pool wait, and operators know if it has failed often."""
        attempts = self._failures[pool_id].attempts + 1 if pool_id in self._failures else 1
        pause_ms = self._back_off.pause_ms(attempts, jitter=0)
        self._failures[pool_id] = _Failure(attempts, time.monotonic() + pause_ms / 1000)
        expected = isinstance(failure, Unavailable)
        log.warning(
            "orders put off",
            pool_id=pool_id,
            attempt=attempts,
            reason=repr(failure),
            pause_ms=pause_ms,
            exc_info=None if expected else failure,
        )
        if attempts >= ATTENTION_ATTEMPTS:
            await self._db.write_private(lambda tx: note_failing(tx, pool_id, reason=REASON))

    async def _close_entries(self, pool_ids: Collection[int]) -> None:
        """Close the entries of pools in which nothing is due any more."""
        for pool_id in pool_ids:
            await self._db.write_private(partial(_close_entry, pool_id))

    def _waiting(self) -> set[int]:
        """Return the pools that are not tried yet after a failure."""
        now_s = time.monotonic()
        return {pool_id for pool_id, failure in self._failures.items() if failure.again_at_s > now_s}


def _close_entry(pool_id: int, tx: WriteTx) -> None:
    lock_pools(tx, [pool_id])
    note_done(tx, pool_id, reason=REASON)
