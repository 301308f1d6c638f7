"""The endpoint of an event's odds from outside."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.odds_events import load_odds
from foreknow.market.events.routes import EventPath
from foreknow.market.events.service import managed_event
from foreknow.market.pools.store import load_priced_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading import house
from foreknow.trading.odds.schemas import EventOdds, event_odds
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, get


class OddsRoutes:
    """What an event follows elsewhere."""

    def __init__(self, context: RouteContext, *, sources: Collection[str], stale_ms: int) -> None:
        """Answer from `context`; `sources` are those set up, and what is older than `stale_ms` is followed no more."""
        self._context = context
        self._sources = frozenset(sources)
        self._stale_ms = stale_ms

    @get("/events/{event_id}/odds", AuthLevel.REQUIRED, errors=(EventNotFound, Forbidden))
    async def get_event_odds(self, request: PathRequest[EventPath]) -> EventOdds:
        """What an event follows elsewhere.

        For its creator and admins: which outcomes match, their prices, and whether pools follow.
        """
        event_id, at_ms = request.path.event_id, self._context.clock()

        def read(tx: ReadTx) -> EventOdds:
            event = managed_event(tx, event_id, request.user)
            pools = load_priced_pools(tx, pool_ids_of_events(tx, [event_id])[event_id])
            return event_odds(
                event,
                list(pools.values()),
                load_odds(tx, event_id),
                house.spending_of(tx, pools.keys()),
                sources=self._sources,
                stale_ms=self._stale_ms,
                now_ms=at_ms,
            )

        return await self._context.db.read(read)
