"""The worker that pays resolved pools, one short transaction after the other, so that other pools' orders go on.

A pool has a row in `payments` from its decision on, due when the result is final. The process that leases it makes the
result final, lets holders know what was decided who do not yet, ends the limit orders that rest there, pays the
positions in pieces and returns the rest of escrow.
Nothing is done twice, even if a lease is lost meanwhile: a piece pays what is open under the pool's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from foreknow.market.pools.failing import note_done, note_failing
from foreknow.market.pools.store import PoolState, load_pools, lock_pools
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import JobPiece, PiecewiseWorker
from foreknow.platform.jobs.piecewise import POLL_S, WAIT_S, piece_rows
from foreknow.trading.effects import payouts
from foreknow.trading.effects.payouts import PaymentProgress
from foreknow.trading.effects.pieces import settle_locked
from foreknow.trading.effects.turning import turn_piece
from foreknow.trading.settlement import service
from foreknow.trading.settlement.notifying import notify_of_verdicts
from foreknow.trading.settlement.store import PAYMENTS, are_any_unpaid

#: Called with the ids of the pools that a commit paid.
OnPayment = Callable[[Collection[int]], None]
#: Positions of a pool before those pools that fell due meanwhile have their turn.
TURN_POSITIONS = 3_200
#: On SQLite, seconds of rest after each second of full pieces, so that orders find the database free.
REST_SHARE_SQLITE, REST_SHARE_POSTGRES = 0.5, 0.0
REASON = "payment_failed"


class PaymentService(PiecewiseWorker[PaymentProgress | None]):
    """Pays resolved pools in the background; a place is None once no position is left.

    What lies before a place stays paid, and turned: a pool is paid once, no position is opened while it is, and no list
    is split any more.
    """

    def __init__(
        self,
        db: Database,
        *,
        on_commit: Sequence[OnPayment] = (),
        poll_s: float = POLL_S,
        piece_positions: int | None = None,
    ) -> None:
        """`on_commit` is called after each commit with the pool it paid; `piece_positions` depends on the database."""
        self._size = piece_positions or piece_rows(db)
        super().__init__(
            "payments",
            db,
            PAYMENTS,
            self._pay,
            start=PaymentProgress(),
            turn_pieces=max(1, TURN_POSITIONS // self._size),
            rest_share=REST_SHARE_SQLITE if db.is_sqlite else REST_SHARE_POSTGRES,
            on_failing=lambda tx, pool_id: note_failing(tx, pool_id, reason=REASON),
            on_commit=on_commit,
            poll_s=poll_s,
        )

    async def wait_until_paid(self, pool_ids: Collection[int], *, wait_s: float = WAIT_S) -> None:
        """Return once these resolved pools are paid, by whichever process, or after `wait_s`."""
        await self.wait_until(lambda tx: not are_any_unpaid(tx, pool_ids), wait_s=wait_s)

    def _pay(self, tx: WriteTx, pool_id: int, place: PaymentProgress | None) -> JobPiece[PaymentProgress | None]:
        """Do the next of what is left of a pool's payment: make it final, pay a piece, or return the rest."""
        has_begun = place is not None and place.has_begun
        # Its own lock alone, once no step but a piece can follow: the others lock all pools of the event, in order.
        pool = (lock_pools if has_begun else load_pools)(tx, [pool_id])[pool_id]
        if pool.state is PoolState.OPEN:
            service.finalize(tx, pool_id)
            return JobPiece(PaymentProgress())
        if place is None or not pool.paying:
            if pool.paying:
                payouts.finish(tx, pool_id, pool.event_id)
                note_done(tx, pool_id, reason=REASON)
            return JobPiece(None, is_last=True)
        if not has_begun and notify_of_verdicts(tx, pool_id, size=self._size):
            return JobPiece(place, rests=True)
        locked = pool if has_begun else lock_pools(tx, [pool_id])[pool_id]
        if locked.turning:
            # Each is paid as what it has become: turned first, here or by another process.
            turned_id = turn_piece(tx, locked, size=self._size, after_id=place.turned_id)
            return JobPiece(PaymentProgress(turned_id=turned_id or 0), rests=True)
        if not has_begun:
            orders = settle_locked(tx, locked, size=self._size)
            if not orders.is_empty:
                return JobPiece(PaymentProgress(), rests=orders.ended + orders.paid >= self._size)
        paid = payouts.pay_piece(tx, locked, place, size=self._size)
        return JobPiece(paid.next, rests=paid.positions >= self._size, rows=paid.positions)
