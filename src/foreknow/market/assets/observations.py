"""Observations: every price of an asset that was fetched or set, with the time at which its request began.

An observation is written by the transaction that records the price. That transaction holds the lock of the asset's row,
so the ids of one symbol grow in the order in which its observations are committed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.market.assets.tables import asset_prices
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker

#: The source of a price that an admin set.
ADMIN_SOURCE = "admin"

_O = asset_prices.c
#: The contract's 30 days, and one for requests that were answered late.
KEPT_MS = 31 * DAY_MS
#: How often a process looks for old observations.
POLL_S = 60.0
#: Observations deleted by one transaction, in a few milliseconds.
PIECE_MAX = 500


@dataclass(frozen=True, slots=True)
class Observation:
    """A price of an asset in US dollars; `counts` if it became the asset's price."""

    id: int
    symbol: str
    price_usd: float
    observed_at_ms: int
    source: str
    counts: bool


@dataclass(frozen=True, slots=True)
class NewObservation:
    """An observation to be recorded; see `Observation`."""

    symbol: str
    price_usd: float
    observed_at_ms: int
    source: str
    counts: bool


def record(tx: WriteTx, new: Collection[NewObservation]) -> None:
    """Write observations of assets that are locked or were inserted by this transaction."""
    insert_rows(tx, asset_prices, NewObservation.__slots__, [astuple(one) for one in new])


def newest(tx: ReadTx, symbol: str, *, source: str | None, at_most_age_ms: int, now_ms: int) -> Observation | None:
    """Return the newest observation that counts, of `source` where it is named, and is at most so old at `now_ms`.

    `symbol` is in upper case; `source` is a provider's name or `ADMIN_SOURCE`. Reads the observations of that age only.
    """
    recent = _O.observed_at_ms.between(now_ms - at_most_age_ms, now_ms)
    query = sa.select(asset_prices).where(_O.symbol == symbol, recent, _O.counts)
    if source is not None:
        query = query.where(_O.source == source)
    return _first(tx, query.order_by(_O.observed_at_ms.desc(), _O.id.desc()))


def first_recorded(tx: ReadTx, symbol: str, *, source: str | None, from_ms: int, to_ms: int) -> Observation | None:
    """Return the observation recorded first of those made from `from_ms` to `to_ms`, both included.

    Of `source` where it is named, whether they count or not; else of those that count. `symbol` is in upper case. Later
    calls return the same once there is one: what is recorded later has a higher id. Reads the observations of that time
    only.
    """
    within = _O.observed_at_ms.between(from_ms, to_ms)
    admitted = _O.counts if source is None else _O.source == source
    query = sa.select(asset_prices).where(_O.symbol == symbol, within, admitted)
    # A sum, so that no planner walks the index on (symbol, id) from the oldest row on.
    return _first(tx, query.order_by(_O.id + 0))


def page(tx: ReadTx, symbol: str, *, before_id: int | None, limit: int) -> Sequence[Observation]:
    """Return an asset's observations, those recorded last first, of ids under `before_id` where it is given."""
    query = sa.select(asset_prices).where(_O.symbol == symbol).order_by(_O.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(_O.id < before_id)
    return [Observation(*row) for row in tx.execute(query)]


def oldest_ids(tx: ReadTx, *, before_ms: int, limit: int) -> Sequence[int]:
    """Return the ids of the oldest observations, of those made before `before_ms`."""
    query = sa.select(_O.id).where(_O.observed_at_ms < before_ms).order_by(_O.observed_at_ms).limit(limit)
    return tx.execute(query).scalars().all()


def delete(tx: WriteTx, ids: Collection[int]) -> int:
    """Delete observations; return how many of them were still there."""
    return tx.execute(asset_prices.delete().where(_O.id.in_(ids))).rowcount


def _first(tx: ReadTx, query: sa.Select[Any]) -> Observation | None:
    row = tx.execute(query.limit(1)).one_or_none()
    return None if row is None else Observation(*row)


class ObservationPruner(Background):
    """Deletes observations older than `KEPT_MS`, except those that a pool's rule may still need."""

    def __init__(self, db: Database, *, needed_from: Callable[[ReadTx], int | None], poll_s: float = POLL_S) -> None:
        """`needed_from` returns the time of the oldest observation that a rule may need, None where none does."""
        super().__init__(Worker("old-observations", self.prune, poll_s=poll_s))
        self._db = db
        self._needed_from = needed_from

    async def prune(self) -> int:
        """Delete one piece, if any is old enough, and return how many observations it had."""
        ids = await self._db.read(self._old)
        return await self._db.write_private(lambda tx: delete(tx, ids)) if ids else 0

    def _old(self, tx: ReadTx) -> Sequence[int]:
        before_ms = now_ms(tx) - KEPT_MS
        if not oldest_ids(tx, before_ms=before_ms, limit=1):
            return []
        needed_from_ms = self._needed_from(tx)
        if needed_from_ms is not None:
            before_ms = min(before_ms, needed_from_ms)
        return oldest_ids(tx, before_ms=before_ms, limit=PIECE_MAX)
