"""The worker that turns positions of Other after a split, one short transaction after the other.

A list has a row in `split_turns` from its split on. Nothing is done twice: a piece turns what is not turned yet, under
the pool's lock, and the database refuses a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from foreknow.market.pools.failing import note_done, note_failing
from foreknow.market.pools.store import lock_pools
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import JobPiece, JobTable, PiecewiseWorker
from foreknow.platform.jobs.piecewise import LEASE_MS, POLL_S, WAIT_S, piece_rows
from foreknow.trading.effects.turning import turn_piece
from foreknow.trading.lists.service import is_turning
from foreknow.trading.lists.tables import split_turns

_C = split_turns.c

#: One row a list, due from its split on; `attempts` counts those since the last piece.
TURNS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


#: Called with the ids of the pools in which a commit turned positions.
OnTurn = Callable[[Collection[int]], None]
#: Positions of a list before those lists that fell due meanwhile have their turn.
TURN_POSITIONS = 6_400
#: Seconds of rest after each second of pieces, so that orders find the pool free, and on SQLite the database.
REST_SHARE_SQLITE, REST_SHARE_POSTGRES = 0.5, 0.25
REASON = "split_failed"


class SplitPlace(NamedTuple):
    """How far the positions of Other are turned for a split. The next split of the list begins with the first."""

    #: Of the split.
    new_market_id: int
    #: The last position turned.
    after_id: int


class SplitTurner(PiecewiseWorker[SplitPlace]):
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
        self._size = piece_positions or piece_rows(db)
        super().__init__(
            "splits",
            db,
            TURNS,
            self._turn,
            start=SplitPlace(0, 0),
            turn_pieces=max(1, TURN_POSITIONS // self._size),
            rest_share=REST_SHARE_SQLITE if db.is_sqlite else REST_SHARE_POSTGRES,
            on_failing=lambda tx, pool_id: note_failing(tx, pool_id, reason=REASON),
            on_commit=on_piece,
            poll_s=poll_s,
        )

    async def wait_until_turned(self, pool_id: int, *, wait_s: float = WAIT_S) -> None:
        """Return once a list is turned, by whichever process, or after `wait_s`."""
        await self.wait_until(lambda tx: not is_turning(tx, pool_id), wait_s=wait_s)

    def _turn(self, tx: WriteTx, pool_id: int, place: SplitPlace) -> JobPiece[SplitPlace]:
        """Turn a piece, or end the work where none is left."""
        pool = lock_pools(tx, [pool_id])[pool_id]
        new_market_id = pool.splits[-1].market_id
        after_id = place.after_id if place.new_market_id == new_market_id else 0
        last_id = turn_piece(tx, pool, size=self._size, after_id=after_id) if pool.turning else None
        if last_id is None:
            note_done(tx, pool_id, reason=REASON)
            return JobPiece(place, is_last=True)
        return JobPiece(SplitPlace(new_market_id, last_id), rests=True)
