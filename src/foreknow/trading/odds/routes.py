"""The endpoint of an event's odds from outside, and its body."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso_or_none
from foreknow.kernel.errors import Forbidden
from foreknow.kernel.provider_settings import OddsSource
from foreknow.kernel.schema_types import TIME_EXAMPLE, PoolId, Time
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.odds_events import OddsRow, load_odds
from foreknow.market.events.routes import EventPath
from foreknow.market.events.service import managed_event
from foreknow.market.events.store import EventRow
from foreknow.market.pools.store import PricedPool, load_priced_pools, pool_ids_of_events
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading import house
from foreknow.trading.house import Spending
from foreknow.trading.odds.following import FoundOutcome, FoundPool, OddsStatus, read_found
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PathRequest, get


class OddsOutcome(msgspec.Struct, frozen=True):
    """A market of ours, and the outcome at the source that it matches."""

    outcome_index: Annotated[int, Meta(description="Its place in the pool, from 0.", examples=[0])]
    name: Annotated[str, Meta(description="Its name here.", examples=["Reds"])]
    external_name: Annotated[str | None, Meta(description="Its name there; null where none matches.", examples=["Red"])]
    price: Annotated[
        float | None,
        Meta(
            description="Its price there, 0 … 1; cut to 0.001 … 0.999 and divided by the sum where those of all "
            "outcomes are known and sum to about 1. Null: there is none.",
            examples=[0.6],
        ),
    ]


class OddsPool(msgspec.Struct, frozen=True):
    """What a pool follows."""

    pool_id: PoolId
    follows: Annotated[bool, Meta(description="Whether it follows the prices that were read last.", examples=[True])]
    outcomes: Annotated[list[OddsOutcome], Meta(description="Its markets.")]
    unmatched: Annotated[
        list[str],
        Meta(description="Outcomes, or questions, of the source that match none of ours; at most 100.", examples=[[]]),
    ]
    spent_kopecks: Annotated[
        int,
        Meta(description="Kopecks that the house account has spent on it: stakes less payouts of sales.", examples=[0]),
    ]


class EventOdds(msgspec.Struct, frozen=True):
    """What an event follows elsewhere, and how."""

    source: Annotated[
        OddsSource | None,
        Meta(description="The source that external_event_url names; null where it names none.", examples=["kalshi"]),
    ]
    status: Annotated[
        Literal["off", "ok", "stale", "closed", "absurd", "unmatched", "unsupported"],
        Meta(
            description="`off`: the source is not asked (no address, not set up, or the event has ended). `ok`. "
            "`stale`: nothing new enough has been read. `closed`: it is traded there no more. `absurd`: prices are "
            "missing, do not sum to about 1, have a spread over 0.1, or have jumped. `unmatched`: its outcomes are not "
            "ours. `unsupported`: the address is no event of a known source, or none that can be followed."
        ),
    ]
    checked_at: Annotated[
        Time | None,
        Meta(
            description="When the request began that brought what is shown, UTC; null before the first.",
            examples=[TIME_EXAMPLE],
        ),
    ]
    pools: Annotated[list[OddsPool], Meta(description="What each of the event's pools follows.")]


def event_odds(
    event: EventRow,
    pools: Sequence[PricedPool],
    odds: OddsRow | None,
    spending: dict[int, Spending],
    *,
    sources: frozenset[str],
    stale_ms: int,
    now_ms: int,
) -> EventOdds:
    """Show an event's odds as they are at `now_ms`; `sources` are those set up."""
    status = _status(event, odds, sources=sources, stale_ms=stale_ms, now_ms=now_ms)
    is_live = status not in {OddsStatus.OFF, OddsStatus.STALE}
    found = read_found(None if odds is None else odds.round)
    return EventOdds(
        source=None if odds is None else odds.source,  # type: ignore[arg-type] # only known sources are stored
        status=status.value,
        checked_at=iso_or_none(None if odds is None else odds.checked_at_ms),
        pools=[
            _pool(pool, found.pools.get(pool.id, FoundPool()), spending[pool.id], is_live=is_live) for pool in pools
        ],
    )


def _status(
    event: EventRow, odds: OddsRow | None, *, sources: frozenset[str], stale_ms: int, now_ms: int
) -> OddsStatus:
    if odds is None:
        return OddsStatus.UNSUPPORTED if event.external_event_url else OddsStatus.OFF
    if odds.source not in sources or odds.due_at_ms is None:
        return OddsStatus.OFF
    if odds.checked_at_ms is None or odds.status is None or now_ms - odds.checked_at_ms > stale_ms:
        return OddsStatus.STALE
    return OddsStatus(odds.status)


def _pool(pool: PricedPool, found: FoundPool, spending: Spending, *, is_live: bool) -> OddsPool:
    # The event may have been changed since the last round, while it was new.
    is_same = len(found.outcomes) == len(pool.markets)
    outcomes = found.outcomes if is_same else (FoundOutcome(),) * len(pool.markets)
    return OddsPool(
        pool_id=pool.id,
        follows=found.follows and is_live and is_same,
        outcomes=[
            OddsOutcome(market.outcome_index, market.name, outcome.external_name, outcome.price)
            for market, outcome in zip(pool.markets, outcomes, strict=True)
        ],
        unmatched=list(found.unmatched),
        spent_kopecks=spending.spent_kopecks,
    )


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
