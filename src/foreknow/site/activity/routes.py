"""Endpoints of what is counted of pools and people."""

from __future__ import annotations

from collections.abc import Mapping

from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.service import visible_pool
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.holders import SideHolders, holders_of
from foreknow.site.activity.schemas import Holders, Holding, MarketHolders
from foreknow.trading.history.trades import trader_view
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, get
from foreknow.web.responses import Response


class ActivityRoutes(FeatureRoutes):
    """What is counted of pools and people."""

    @get("/pools/{pool_id}/holders", AuthLevel.NONE, response=Holders, errors=(PoolNotFound,))
    async def list_holders(self, request: PathRequest[PoolPath]) -> Response:
        """Who holds shares in a pool.

        Of each side of each market the 20 who hold the most shares, and how many hold any.
        """
        pool_id = request.path.pool_id

        def read(tx: ReadTx) -> tuple[Holders, list[int]]:
            market_ids = [market.id for market in visible_pool(tx, pool_id, None).markets]
            found = holders_of(tx, market_ids)
            return Holders([_market(market_id, found) for market_id in market_ids]), [pool_id]

        return await self._context.responses.get(("holders", pool_id), read, is_brief=False)


def _market(market_id: int, found: Mapping[tuple[int, str], SideHolders]) -> MarketHolders:
    yes, no = found[market_id, "YES"], found[market_id, "NO"]
    return MarketHolders(market_id, _holdings(yes), _holdings(no), yes.holders, no.holders)


def _holdings(side: SideHolders) -> list[Holding]:
    return [
        Holding(
            trader_view(row.user_id, row.name, row.avatar_url, hidden=row.hidden, is_person=row.is_person), row.shares
        )
        for row in side.largest
    ]
