"""Positions that splits of lists have made, of which there are no trades: who holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity import holdings
from foreknow.site.activity.tables import CURSOR, activity_cursor, counted_splits
from foreknow.trading.positions.tables import position_splits

#: Positions counted in one transaction.
PIECE_POSITIONS = 500
#: Longer than any transaction takes to commit after its own clock.
OVERLAP_MS = MINUTE_MS
_S, _C = position_splits.c, counted_splits.c


class MadePosition(NamedTuple):
    """A position that a split has made."""

    split_id: int
    position_id: int


def uncounted(tx: ReadTx) -> list[MadePosition]:
    """Return the next positions that are not counted."""
    query = sa.select(_S.id, _S.new_position_id).where(IS_UNCOUNTED)
    return [MadePosition(*row) for row in tx.execute(query.order_by(_S.id).limit(PIECE_POSITIONS))]


def count(tx: WriteTx, made: Sequence[MadePosition]) -> None:
    """Count positions that are not counted yet, under the follower's lock, and forget those counted for a while."""
    known = sa.select(_C.split_id).where(_C.split_id.in_([one.split_id for one in made]))
    done = set(tx.execute(known).scalars())
    new = [one for one in made if one.split_id not in done]
    holdings.follow(tx, {one.position_id: 0 for one in new})
    insert_rows(tx, counted_splits, ("split_id",), [(one.split_id,) for one in new])
    _move_on(tx, now_ms(tx))


def _move_on(tx: WriteTx, at_ms: int) -> None:
    """Forget which ones are counted, as far as no other may be committed any more."""
    is_old = sa.and_(_S.id > CURSOR.get(tx, "split_id"), _S.created_at_ms <= at_ms - OVERLAP_MS)
    last_id = tx.execute(sa.select(sa.func.max(_S.id)).where(is_old)).scalar()
    if last_id is None:
        return
    waiting = sa.select(_S.id).where(IS_UNCOUNTED, _S.id <= last_id).limit(1)
    if tx.execute(waiting).first() is None:
        CURSOR.move(tx, split_id=last_id)
        tx.execute(counted_splits.delete().where(_C.split_id <= last_id))


_SINCE = sa.func.coalesce(sa.select(sa.func.max(activity_cursor.c.split_id)).scalar_subquery(), 0)
#: Rows of `position_splits` that are not counted.
IS_UNCOUNTED = sa.and_(_S.id > _SINCE, sa.not_(sa.exists().where(_C.split_id == _S.id)))
