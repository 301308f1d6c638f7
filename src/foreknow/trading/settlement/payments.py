"""The worker that pays resolved pools, one short transaction after the other, so that other pools' orders go on.

A pool has a row in `payments` from its decision on, due when the result is final. The process that leases it makes the
result final, ends the limit orders that rest there, pays the positions in pieces and returns the rest of escrow. It
renews the lease once a second, so what a killed process leaves is due again a lease later. Nothing is done twice, even
if a lease is lost meanwhile: a piece pays what is open under the pool's lock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.currency import ROUBLES, Currency
from foreknow.kernel.histogram import DURATIONS_S, Histogram
from foreknow.market.pools.store import PoolState, load_pools, lock_pools
from foreknow.people import attention
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, WriteTx
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, Worker
from foreknow.trading.limit_orders.pieces import settle_locked
from foreknow.trading.settlement import payouts, service
from foreknow.trading.settlement.payouts import PaymentProgress
from foreknow.trading.settlement.store import PAYMENTS, are_any_unpaid
from foreknow.trading.splits.turning import turn_piece

log = structlog.get_logger("foreknow.settlement")

#: Called with the ids of the pools that a commit paid.
OnPayment = Callable[[Collection[int]], None]
#: How often a process looks for pools to pay.
POLL_S = 1.0
#: Pools that a process pays by turns.
BATCH_MAX = 8
#: Positions of a pool before those pools that fell due meanwhile have their turn.
TURN_POSITIONS = 3_200
#: Positions of a piece. On SQLite all orders wait for a piece; it writes multiples of 16 in the fewest statements.
PIECE_POSITIONS_SQLITE = 64
PIECE_POSITIONS_POSTGRES = 200
#: On SQLite, seconds of rest after each second of pieces, so that orders find the database free.
REST_SHARE = 0.5
#: Age of a lease that is renewed: with the time of a piece, well within it.
RENEW_S = 1.0
BACK_OFF = BackOff(first_ms=500, most_ms=10_000)
#: Attempts without a piece after which operators are alerted.
ATTENTION_ATTEMPTS = 5
REASON = "payment_failed"
#: Longest wait at shutdown for the piece under way.
STOP_S = 10.0
#: Longest wait of a request for its payments, and between its looks at them.
WAIT_S = 10.0
LOOK_FIRST_S, LOOK_MAX_S = 0.01, 0.25


@dataclass(slots=True)
class PaymentMetrics:
    """What this process has paid since its start."""

    positions: int = 0
    pools: int = 0
    #: Duration of each piece, without the wait for SQLite's write lock and the commit.
    pieces_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))


class _LeaseLost(Exception):
    """Another process pays the pool; nothing of the transaction is written."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What one transaction did: the claim since then and the next place; no claim once the pool is paid."""

    claim: Claim | None
    place: PaymentProgress | None
    #: Positions that it paid, and resting orders that it ended or paid before them.
    positions: int = 0
    orders: int = 0
    seconds: float = 0.0


class PaymentService(Background):
    """Pays resolved pools in the background."""

    def __init__(
        self,
        db: Database,
        *,
        on_commit: Sequence[OnPayment] = (),
        poll_s: float = POLL_S,
        piece_positions: int | None = None,
        currency: Currency = ROUBLES,
    ) -> None:
        """`on_commit` is called after each commit with the pool it paid; `piece_positions` depends on the database;
        notifications name amounts in `currency`.
        """
        super().__init__(Worker("payments", self.pay_due, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._currency = currency
        self._on_commit = tuple(on_commit)
        self._piece_positions = piece_positions or (
            PIECE_POSITIONS_SQLITE if db.is_sqlite else PIECE_POSITIONS_POSTGRES
        )
        self._runner = JobRunner("payments", db, PAYMENTS, self._pay, back_off=BACK_OFF, batch_max=BATCH_MAX)
        self._is_stopping = False
        #: One piece at a time: several would keep SQLite's other writers waiting, or hold their locks for longer.
        self._turn = asyncio.Lock()
        #: How far this process has paid the pools it has begun.
        self._places: dict[int, PaymentProgress | None] = {}
        #: Set and replaced whenever a pool is paid.
        self._paid = asyncio.Event()
        self.metrics = PaymentMetrics()

    async def stop(self) -> None:
        """Finish the piece under way; what is left is due at once for other processes."""
        self._is_stopping = True
        await super().stop()

    async def pay_due(self) -> bool:
        """Pay some of what is due; return whether anything was."""
        return bool(await self._runner.run_due())

    async def wait_until_paid(self, pool_ids: Collection[int], *, wait_s: float = WAIT_S) -> None:
        """Return once these resolved pools are paid, by whichever process, or after `wait_s`."""
        self.wake()
        until_s, look_s = time.monotonic() + wait_s, LOOK_FIRST_S
        while True:
            paid = self._paid
            if not await self._db.lookup(lambda tx: are_any_unpaid(tx, pool_ids)):
                return
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return
            await _wait(paid, min(look_s, left_s))
            look_s = min(2 * look_s, LOOK_MAX_S)

    async def _pay(self, claim: Claim) -> bool:
        """Pay a leased pool for a while; return whether the lease was still ours."""
        if claim.attempt >= ATTENTION_ATTEMPTS:
            await self._db.write_private(lambda tx: self._call_for_attention(tx, claim.key))
        current: Claim = claim
        renew_at_s = 0.0
        try:
            for _ in range(max(1, TURN_POSITIONS // self._piece_positions)):
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
            self._places.pop(claim.key, None)
            return False
        except Locked as locked:
            raise JobFailed("another session holds the pool or a holder's account") from locked
        last = current
        return await self._db.write_private(lambda tx: PAYMENTS.reschedule(tx, last, due_at_ms=now_ms(tx)))

    async def _take_step(self, claim: Claim, *, renews: bool = True) -> _Step:
        async with self._turn:
            step = await self._commit_step(claim, renews=renews)
            if self._db.is_sqlite and max(step.positions, step.orders) >= self._piece_positions:
                await asyncio.sleep(REST_SHARE * step.seconds)
        return step

    async def _commit_step(self, claim: Claim, *, renews: bool) -> _Step:
        pool_id: int = claim.key
        place = self._places.get(pool_id, PaymentProgress())
        step = await self._db.write_brief(lambda tx: self._step(tx, claim, place, renews=renews))
        if step.positions:
            self.metrics.positions += step.positions
            self.metrics.pieces_s.add(step.seconds)
        if step.claim is None:
            self._places.pop(pool_id, None)
            self.metrics.pools += 1
        else:
            self._places[pool_id] = step.place
        for callback in self._on_commit:
            callback([pool_id])
        if step.claim is None:
            self._paid.set()
            self._paid = asyncio.Event()
        return step

    def _step(self, tx: WriteTx, claim: Claim, place: PaymentProgress | None, *, renews: bool) -> _Step:
        """Do the next of what is left of a pool's payment: make it final, pay a piece, or return the rest."""
        began_s = time.perf_counter()
        has_begun = place is not None and place != PaymentProgress()
        # Its own lock alone, once no step but a piece can follow: the others lock all pools of the event, in order.
        pool = (lock_pools if has_begun else load_pools)(tx, [claim.key])[claim.key]
        if pool.state is PoolState.OPEN:
            service.finalize(tx, pool.id)
            return _Step(_renewed(tx, claim), PaymentProgress())
        if place is None or not pool.paying:
            if pool.paying:
                payouts.finish(tx, pool.id, pool.event_id)
                attention.close_entry(tx, "payment", pool_id=pool.id, at_ms=now_ms(tx))
            if not PAYMENTS.delete(tx, claim):
                raise _LeaseLost
            return _Step(None, None)
        locked = pool if has_begun else lock_pools(tx, [pool.id])[pool.id]
        renewed = _renewed(tx, claim) if renews else claim
        if locked.turning:
            # Each is paid as what it has become: turned first, here or by another process.
            turn_piece(tx, locked, size=self._piece_positions)
            return _Step(renewed, PaymentProgress(), orders=self._piece_positions, seconds=_since(began_s))
        if not has_begun:
            size = self._piece_positions
            orders = settle_locked(tx, locked, size=size, currency=self._currency)
            if not orders.is_empty:
                done = orders.ended + orders.paid
                return _Step(renewed, PaymentProgress(), orders=done, seconds=_since(began_s))
        piece = payouts.pay_piece(tx, locked, place, size=self._piece_positions, currency=self._currency)
        return _Step(renewed, piece.next, positions=piece.positions, seconds=_since(began_s))

    def _call_for_attention(self, tx: WriteTx, pool_id: int) -> None:
        pool = lock_pools(tx, [pool_id])[pool_id]
        attention.open_entry(tx, "payment", reason=REASON, event_id=pool.event_id, pool_id=pool_id, at_ms=now_ms(tx))


def _since(began_s: float) -> float:
    return time.perf_counter() - began_s


def _renewed(tx: WriteTx, claim: Claim) -> Claim:
    """Renew a lease in the transaction of a step; its row stays locked until the commit. Raises `_LeaseLost`."""
    renewed = PAYMENTS.renew(tx, claim, now_ms=now_ms(tx), attempts=0)
    if renewed is None:
        raise _LeaseLost
    return renewed


async def _wait(event: asyncio.Event, wait_s: float) -> None:
    try:
        async with asyncio.timeout(wait_s):
            await event.wait()
    except TimeoutError:
        pass
