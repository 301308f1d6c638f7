"""What a batch reads for its baskets: positions, and ids for the rows that they may make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.money.pricing import Side
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.orders import BasketChanges, BasketStake, Order
from foreknow.trading.desk.state import OtherPool, trader_of
from foreknow.trading.positions.store import HolderInPool, PositionKey, open_in_pools_fetch

#: Most markets of a pool.
MARKETS_MAX = 100
_YES = Side.YES._value_


class BasketReads:
    """What the baskets of a batch need beside what every order does."""

    def __init__(self, orders: Sequence[Order], ids: IdCache) -> None:
        """`orders` are all of the batch."""
        #: How many baskets there are.
        self.count = 0
        #: Trades and positions that they may make beside one an order.
        self.trades_more = self.positions_more = 0
        self.positions: set[PositionKey] = set()
        holders: set[HolderInPool] = set()
        other_ids: set[int] = set()
        for order in orders:
            terms = order.terms
            if not isinstance(terms, (BasketStake, BasketChanges)):
                continue
            self.count += 1
            self.trades_more += terms.sells
            named = {ids.markets[market_id].pool_id for market_id in terms.named_ids if market_id in ids.markets}
            if len(named) > 1:
                other_ids |= named
            trader = trader_of(order, ids)
            if isinstance(terms, BasketStake) and terms.given is not None:
                # It buys of markets that it does not name, too.
                self.positions_more += MARKETS_MAX
                if trader is not None and order.market_id in ids.markets:
                    holders.add((trader.user_id, ids.markets[order.market_id].pool_id))
            else:
                self.positions_more += len(terms.named_ids)
                if trader is not None:
                    self.positions.update((trader.user_id, market_id, _YES) for market_id in terms.named_ids)
        self.in_pools = open_in_pools_fetch(holders, side=_YES)
        #: Who made the pools of baskets over several, and whether they are published: all are refused.
        self.others = Fetch(_OTHERS, {"ids": other_ids}, _other_pools, is_empty=not other_ids)


def _other_pools(rows: Any) -> dict[int, OtherPool]:
    return {pool_id: OtherPool(*found) for pool_id, *found in rows}


_OTHERS = CompiledQuery(
    lambda _dialect: sa.select(pools.c.id, pools.c.creator_id, pools.c.published_at_ms).where(in_array(pools.c.id))
)
