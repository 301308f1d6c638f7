"""The endpoint that takes an outcome out of a list's Other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BalanceLimit, Forbidden, InvalidState, Muted
from foreknow.market.events.errors import HouseLimit
from foreknow.market.pools.errors import OutcomeNameTaken, PoolNotFound, PriceMoved
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.lists.schemas import NewOutcome, checked
from foreknow.trading.lists.service import add_outcome
from foreknow.trading.lists.worker import SplitTurner
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.endpoint import Request, post
from foreknow.web.responses import Response, json_response


class ListRoutes(FeatureRoutes):
    """Adding outcomes to lists."""

    def __init__(
        self,
        context: RouteContext,
        turner: SplitTurner,
        *,
        on_split: Sequence[Callable[[Collection[int]], None]],
    ) -> None:
        """Answer from `context`, once `turner` has turned the positions; `on_split` is called after each split."""
        super().__init__(context)
        self._turner = turner
        self._on_split = tuple(on_split)

    @post(
        "/pools/{pool_id}/outcomes",
        AuthLevel.REQUIRED,
        response=Pool,
        status=201,
        other_statuses={200: "One of its splits has this name and share: nothing moves."},
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, PoolNotFound, Forbidden, InvalidState, OutcomeNameTaken, PriceMoved, HouseLimit, BalanceLimit),
    )
    async def add_outcome(self, request: Request[PoolPath, None, NewOutcome]) -> Response:
        """Take an outcome out of a list's Other.

        By its event's creator or an admin, between publication and finish_at or result. Prices, values and payoffs
        stay: a YES share of Other is one of Other and one of the new outcome from then on, and Other's price is shared
        between both. Nothing undoes it. Answers when all positions are turned, after 10 s as it then stands. The name
        and share of one of its splits again: 200, and nothing moves.
        """
        pool_id, db = request.path.pool_id, self._context.db
        wanted = checked(request.body)

        def work(tx: WriteTx) -> bool:
            terms = self._context.settings.at(tx)
            return add_outcome(tx, pool_id, wanted, terms.seen(request.user), terms=terms)

        is_new = await db.write(work)
        for call in self._on_split:
            call([pool_id])
        await self._turner.wait_until_turned(pool_id)
        shown = await db.read(lambda tx: pool_view(load_pools(tx, [pool_id])[pool_id], now_ms=now_ms(tx)))
        return json_response(shown, status=201 if is_new else 200)
