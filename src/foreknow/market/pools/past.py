"""What of a pool's past its own row does not say: when it was paused, and its priors before they followed a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.pools.tables import pool_pauses, pool_priors
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.transactions import ReadTx, WriteTx


class PastPrior(NamedTuple):
    """Prior weights that a pool had until a moment."""

    until_ms: int
    weights: tuple[int, ...]


def note_pause(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Note that a locked pool is paused from now on; that it was already changes nothing."""
    if not _is_paused(tx, pool_id):
        apply(tx, _PAUSE, [(pool_id, at_ms, None)])


def note_resumption(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Note that a locked pool is paused no more."""
    own = sa.and_(pool_pauses.c.pool_id == pool_id, pool_pauses.c.until_ms.is_(None))
    tx.execute(pool_pauses.update().where(own).values(until_ms=at_ms))


def pauses_of(tx: ReadTx, pool_id: int) -> list[tuple[int, int | None]]:
    """Return the pauses of a pool in order; the last one may have no end."""
    columns = pool_pauses.c
    query = sa.select(columns.from_ms, columns.until_ms).where(columns.pool_id == pool_id).order_by(columns.from_ms)
    return [(from_ms, until_ms) for from_ms, until_ms in tx.execute(query)]


def note_prior(tx: WriteTx, pool_id: int, weights: Sequence[int], *, at_ms: int) -> None:
    """Note what the weights of a locked pool were until now."""
    apply(tx, _PRIOR, [(pool_id, at_ms, ",".join(map(str, weights)))])


def priors_of(tx: ReadTx, pool_id: int) -> list[PastPrior]:
    """Return the priors that a pool had before those it has, oldest first."""
    columns = pool_priors.c
    query = sa.select(columns.until_ms, columns.weights).where(columns.pool_id == pool_id).order_by(columns.until_ms)
    return [PastPrior(until_ms, tuple(map(int, weights.split(",")))) for until_ms, weights in tx.execute(query)]


def _is_paused(tx: ReadTx, pool_id: int) -> bool:
    own = sa.select(pool_pauses.c.from_ms).where(pool_pauses.c.pool_id == pool_id, pool_pauses.c.until_ms.is_(None))
    return tx.execute(own).first() is not None


#: Resumed and paused again within a millisecond, it goes on.
_PAUSE = Insert(
    pool_pauses,
    ("pool_id", "from_ms", "until_ms"),
    conflict=on_conflict(pool_pauses, until_ms="excluded.until_ms"),
)
#: What stood for no time leaves nothing.
_PRIOR = Insert(pool_priors, ("pool_id", "until_ms", "weights"), conflict="ON CONFLICT DO NOTHING")
