"""The endpoint that adds liquidity."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BalanceLimit, Forbidden, InvalidState
from foreknow.market.events.errors import HouseLimit
from foreknow.market.events.liquidity import add_liquidity, check
from foreknow.market.events.schemas import LiquidityBody
from foreknow.market.pools.errors import PoolNotFound, PricesMoved
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import Request, post


class LiquidityRoutes(FeatureRoutes):
    """Adding liquidity to pools."""

    @post(
        "/pools/{pool_id}/liquidity",
        AuthLevel.REQUIRED,
        errors=(PoolNotFound, Forbidden, InvalidState, PricesMoved, HouseLimit, BalanceLimit),
    )
    async def add_liquidity(self, request: Request[PoolPath, None, LiquidityBody]) -> Pool:
        """Raise a pool's liquidity while it trades.

        By its event's creator or an admin, between publication and finish_at or result. Prices, values and positions
        stay; later trades move prices less. The house pays ceil((b − b now) · ln(1 / smallest probability)) more. The
        same again moves nothing.
        """
        body = request.body
        check(body)

        def work(tx: WriteTx) -> Pool:
            row = add_liquidity(tx, request.path.pool_id, body, request.user, terms=self._context.terms)
            return pool_view(row, now_ms=now_ms(tx))

        return await self._context.db.write(work)
