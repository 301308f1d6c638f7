"""The endpoint that adds liquidity."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BalanceLimit, Forbidden, InvalidState, Muted
from foreknow.market.events.errors import HouseLimit
from foreknow.market.events.liquidity import add_liquidity, check
from foreknow.market.events.schemas import LiquidityBody
from foreknow.market.pools.errors import PoolNotFound, PricesMoved
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.endpoint import Request, post


class LiquidityRoutes(FeatureRoutes):
    """Adding liquidity to pools."""

    def __init__(
        self,
        context: RouteContext,
        *,
        sweep: Callable[[WriteTx, int], None],
        on_sweep: Sequence[Callable[[Collection[int]], None]],
    ) -> None:
        """`sweep` lets a pool's resting orders take what is offered to them now; `on_sweep` is called after it."""
        super().__init__(context)
        self._sweep = sweep
        self._on_sweep = tuple(on_sweep)

    @post(
        "/pools/{pool_id}/liquidity",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, PoolNotFound, Forbidden, InvalidState, PricesMoved, HouseLimit, BalanceLimit),
    )
    async def add_liquidity(self, request: Request[PoolPath, None, LiquidityBody]) -> Pool:
        """Raise a pool's liquidity while it trades.

        By its event's creator or an admin, between publication and finish_at or result. Prices, values and positions
        stay; later trades move prices less. The house pays ceil((b − b now) · ln(1 / smallest probability)) more. The
        same again moves nothing.
        """
        body, pool_id = request.body, request.path.pool_id
        check(body)

        def work(tx: WriteTx) -> tuple[Pool, bool]:
            terms = self._context.settings.at(tx)
            is_added = add_liquidity(tx, pool_id, body, terms.seen(request.user), terms=terms)
            if is_added:
                self._sweep(tx, pool_id)
            return pool_view(load_pools(tx, [pool_id])[pool_id], now_ms=now_ms(tx)), is_added

        shown, is_added = await self._context.db.write(work)
        for call in self._on_sweep if is_added else ():
            call([pool_id])
        return shown
