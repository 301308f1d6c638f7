"""Rows of markets."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
import sqlalchemy as sa

from foreknow.market.markets.tables import markets
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx


class MarketRow(msgspec.Struct, frozen=True, gc=False):
    """One outcome of a pool: its prior as given, shares outstanding and volume."""

    id: int
    pool_id: int
    event_id: int
    outcome_index: int
    name: str
    probability: float
    q_yes: int
    q_no: int
    volume_kopecks: int


_COLUMNS = tuple(markets.c[name] for name in MarketRow.__struct_fields__)
_OF_POOLS = CompiledQuery(
    sa.select(*_COLUMNS).where(in_array(markets.c.pool_id)).order_by(markets.c.pool_id, markets.c.outcome_index)
)
_POOLS_OF = CompiledQuery(
    sa.select(markets.c.id, markets.c.pool_id, markets.c.outcome_index).where(in_array(markets.c.id))
)


_COUNT_OF_POOLS = CompiledQuery(
    sa.select(markets.c.pool_id, sa.func.count()).where(in_array(markets.c.pool_id)).group_by(markets.c.pool_id)
)


def market_counts_of_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, int]:
    """Return how many markets each pool has."""
    return {pool_id: count for pool_id, count in _COUNT_OF_POOLS.fetch(tx, {"ids": pool_ids})}  # noqa: C416 - rows


def markets_of_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, tuple[MarketRow, ...]]:
    """Return each pool's markets in outcome order."""
    return markets_fetch(pool_ids).fetch(tx)


def markets_fetch(pool_ids: Collection[int]) -> Fetch[dict[int, tuple[MarketRow, ...]]]:
    """Return `markets_of_pools` as a query to be fetched with others."""
    return Fetch(_OF_POOLS, {"ids": pool_ids}, _by_pool, is_empty=not pool_ids)


def _by_pool(rows: Rows) -> dict[int, tuple[MarketRow, ...]]:
    found: dict[int, list[MarketRow]] = {}
    for row in rows:
        market = MarketRow(*row)
        found.setdefault(market.pool_id, []).append(market)
    return {pool_id: tuple(markets) for pool_id, markets in found.items()}


def pool_ids_of_markets(tx: ReadTx, market_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return `(pool_id, outcome_index)` of each market that exists; both are constant."""
    rows = _POOLS_OF.fetch(tx, {"ids": market_ids})
    return {market_id: (pool_id, outcome_index) for market_id, pool_id, outcome_index in rows}


def insert_market(
    tx: WriteTx, *, pool_id: int, event_id: int, outcome_index: int, name: str, probability: float, q_yes: int
) -> int:
    """Add a market to a locked pool; return its id. `q_yes`: the shares outstanding that it begins with."""
    row = {
        "pool_id": pool_id,
        "event_id": event_id,
        "outcome_index": outcome_index,
        "name": name,
        "probability": probability,
        "q_yes": q_yes,
        "first_q_yes": q_yes,
    }
    return int(tx.execute(markets.insert().values(**row).returning(markets.c.id)).scalar_one())


def write_names(tx: WriteTx, names: Mapping[int, str]) -> None:
    """Change the names of markets, by id, whose pools are locked."""
    if names:
        change = markets.update().where(markets.c.id == sa.bindparam("market_id")).values(name=sa.bindparam("new_name"))
        tx.execute(change, [{"market_id": market_id, "new_name": name} for market_id, name in names.items()])
