"""The endpoint that adds liquidity."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.events.errors import HouseLimit
from foreknow.events.liquidity import add_liquidity, check
from foreknow.events.schemas import LiquidityBody
from foreknow.kernel.errors import BalanceLimit, Forbidden, InvalidState
from foreknow.pools.errors import PoolNotFound, PricesMoved
from foreknow.pools.routes import PoolPath
from foreknow.pools.schemas import Pool, pool_view
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, Request, post


class LiquidityRoutes:
    """Adding liquidity to pools."""

    def __init__(self, context: RouteContext, *, house_limit_kopecks: int | None) -> None:
        """Answer from `context`; `house_limit_kopecks` bounds the sum of one creator's open loss bounds."""
        self._context = context
        self._house_limit_kopecks = house_limit_kopecks

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/pools/{pool_id}/liquidity",
                self.add,
                AuthLevel.REQUIRED,
                Pool,
                "Raise a pool's liquidity while it trades",
                operation_id="add_liquidity",
                errors=(PoolNotFound, Forbidden, InvalidState, PricesMoved, HouseLimit, BalanceLimit),
                description=(
                    "By its event's creator or an admin, between publication and finish_at or result. Prices, values "
                    "and positions stay; later trades move prices less. The house pays "
                    "ceil((b − b now) · ln(1 / smallest probability)) more. The same again moves nothing."
                ),
            )
        ]

    async def add(self, request: Request[PoolPath, None, LiquidityBody]) -> Pool:
        """Raise the liquidity and pay its subsidy."""
        body = request.body
        check(body)

        def work(tx: WriteTx) -> Pool:
            limit_kopecks = self._house_limit_kopecks
            row = add_liquidity(tx, request.path.pool_id, body, request.user, limit_kopecks=limit_kopecks)
            return pool_view(row, now_ms=now_ms(tx))

        return await self._context.db.write(work)
