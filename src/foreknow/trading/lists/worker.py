"""The worker that turns positions of Other after a split, one short transaction after the other.

A list has a row in `split_turns` from its split on. The process that leases it turns the positions in pieces, and
renews the lease once a second, so what a killed process leaves is due again a lease later. Nothing is done twice: a
piece turns what is not turned yet, under the pool's lock, and the database refuses a second time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.market.pools.store import lock_pools
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, Worker
from foreknow.trading.lists.service import is_turning
from foreknow.trading.lists.store import TURNS
from foreknow.trading.splits.turning import turn_piece

#: Called with the ids of the pools in which a commit turned positions.
OnTurn = Callable[[Collection[int]], None]
#: How often a process looks for lists to turn.
POLL_S = 1.0
#: Lists that a process turns by turns.
BATCH_MAX = 8
#: Positions of a list before those lists that fell due meanwhile have their turn.
TURN_POSITIONS = 6_400
#: Positions of a piece. On SQLite all orders wait for a piece; elsewhere those of its holders and its pool.
PIECE_SQLITE = 64
PIECE_POSTGRES = 200
#: Seconds of rest after each second of pieces, so that orders find the pool free, and on SQLite the database.
REST_SHARE_SQLITE, REST_SHARE_POSTGRES = 0.5, 0.25
#: Age of a lease that is renewed: with the time of a piece, well within it.
RENEW_S = 1.0
BACK_OFF = BackOff(first_ms=500, most_ms=10_000)
#: Attempts without a piece after which operators are alerted.
ATTENTION_ATTEMPTS = 5
REASON = "split_failed"
#: Longest wait at shutdown for the piece under way.
STOP_S = 10.0
#: Longest wait of a request for its positions, and between its looks at them.
WAIT_S = 10.0
LOOK_FIRST_S, LOOK_MAX_S = 0.01, 0.25


@dataclass(slots=True)
class SplitMetrics:
    """What this process has turned since its start."""

    lists: int = 0
    pieces: int = 0
    #: Duration of each piece, without the wait for SQLite's write lock and the commit.
    pieces_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


class _LeaseLost(Exception):
    """Another process turns the list; nothing of the transaction is written."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What one transaction did: the claim since then, none once the list is turned, and the last position."""

    claim: Claim | None
    after_id: int
    seconds: float


class SplitTurner(Background):
    """Turns positions of Other in the background."""

    def __init__(
        self,
        db: Database,
        *,
        on_piece: Sequence[OnTurn] = (),
        poll_s: float = POLL_S,
        piece_positions: int | None = None,
    ) -> None:
        """`on_piece` is called after each commit with the pool; `piece_positions` depends on the database."""
        super().__init__(Worker("splits", self.turn_due, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._on_piece = tuple(on_piece)
        self._rest_share = REST_SHARE_SQLITE if db.is_sqlite else REST_SHARE_POSTGRES
        self._size = piece_positions or (PIECE_SQLITE if db.is_sqlite else PIECE_POSTGRES)
        self._runner = JobRunner("splits", db, TURNS, self._turn, back_off=BACK_OFF, batch_max=BATCH_MAX)
        self._is_stopping = False
        #: One piece at a time, as payments do.
        self._one = asyncio.Lock()
        #: How far this process has turned the lists it has begun.
        self._after: dict[int, int] = {}
        #: Set and replaced whenever a list is turned.
        self._turned = asyncio.Event()
        self.metrics = SplitMetrics()

    async def stop(self) -> None:
        """Finish the piece under way; what is left is due at once for other processes."""
        self._is_stopping = True
        await super().stop()

    async def turn_due(self) -> bool:
        """Turn some of what is due; return whether anything was."""
        return bool(await self._runner.run_due())

    async def wait_until_turned(self, pool_id: int, *, wait_s: float = WAIT_S) -> None:
        """Return once a list is turned, by whichever process, or after `wait_s`."""
        self.wake()
        until_s, look_s = time.monotonic() + wait_s, LOOK_FIRST_S
        while True:
            turned = self._turned
            if not await self._db.lookup(lambda tx: is_turning(tx, pool_id)):
                return
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return
            try:
                async with asyncio.timeout(min(look_s, left_s)):
                    await turned.wait()
            except TimeoutError:
                pass
            look_s = min(2 * look_s, LOOK_MAX_S)

    async def _turn(self, claim: Claim) -> bool:
        """Turn a leased list for a while; return whether the lease was still ours."""
        if claim.attempt >= ATTENTION_ATTEMPTS:
            await self._db.write_private(lambda tx: _call_for_attention(tx, claim.key))
        current: Claim = claim
        renew_at_s = 0.0
        try:
            for _ in range(max(1, TURN_POSITIONS // self._size)):
                began_s = time.perf_counter()
                is_old = began_s >= renew_at_s
                step = await self._take_step(current, renews=is_old)
                if step.claim is None:
                    return True
                current = step.claim
                if is_old:
                    renew_at_s = began_s + RENEW_S
                if self._is_stopping:
                    break
        except _LeaseLost:
            self._after.pop(claim.key, None)
            return False
        except Locked as locked:
            raise JobFailed("another session holds the pool or a holder's account") from locked
        last = current
        return await self._db.write_private(lambda tx: TURNS.reschedule(tx, last, due_at_ms=now_ms(tx)))

    async def _take_step(self, claim: Claim, *, renews: bool) -> _Step:
        pool_id: int = claim.key
        async with self._one:
            after_id = self._after.get(pool_id, 0)
            step = await self._db.write_brief(lambda tx: self._step(tx, claim, after_id, renews=renews))
            if step.claim is None:
                self._after.pop(pool_id, None)
                self.metrics.lists += 1
            else:
                self._after[pool_id] = step.after_id
                self.metrics.pieces += 1
                self.metrics.pieces_s.add(step.seconds)
            for callback in self._on_piece:
                callback([pool_id])
            if step.claim is None:
                self._turned.set()
                self._turned = asyncio.Event()
            else:
                await asyncio.sleep(self._rest_share * step.seconds)
        return step

    def _step(self, tx: WriteTx, claim: Claim, after_id: int, *, renews: bool) -> _Step:
        """Turn a piece, or end the work where none is left."""
        began_s = time.perf_counter()
        pool = lock_pools(tx, [claim.key])[claim.key]
        last_id = turn_piece(tx, pool, size=self._size, after_id=after_id) if pool.turning else None
        if last_id is None:
            attention.close_entry(tx, "payment", pool_id=pool.id, at_ms=now_ms(tx))
            if not TURNS.delete(tx, claim):
                raise _LeaseLost
            return _Step(None, 0, 0.0)
        renewed: Claim | None = claim
        if renews:
            renewed = TURNS.renew(tx, claim, now_ms=now_ms(tx), attempts=0)
            if renewed is None:
                raise _LeaseLost
        return _Step(renewed, last_id, time.perf_counter() - began_s)


def _call_for_attention(tx: WriteTx, pool_id: int) -> None:
    pool = lock_pools(tx, [pool_id])[pool_id]
    attention.open_entry(tx, "payment", reason=REASON, event_id=pool.event_id, pool_id=pool_id, at_ms=now_ms(tx))
