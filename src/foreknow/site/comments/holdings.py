"""What an author held and thought when they wrote a comment."""

from __future__ import annotations

from typing import Literal, NamedTuple

from foreknow.market.events.main_pool import main_pool_id
from foreknow.market.events.store import EventRow
from foreknow.market.pools.store import load_pools_at_once, pool_ids_of_events
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts.schemas import as_now
from foreknow.site.forecasts.store import standing_of
from foreknow.trading.positions.store import open_in_pools_fetch
from foreknow.trading.positions.valuation import HeldShares, values_kopecks


class AuthorHolding(NamedTuple):
    """Shares of one side of a market."""

    market_id: int
    side: Literal["YES", "NO"]
    shares: int


class AuthorForecast(NamedTuple):
    """What a person thought of an outcome."""

    pool_id: int
    #: Of one market that of YES.
    outcome_index: int
    probability: float


def thought_of(tx: ReadTx, user_id: int, event: EventRow) -> AuthorForecast | None:
    """Return what a user thinks of that outcome of the main pool of an event which is likeliest by its price.

    Of equal prices the lower index; None where nothing of theirs stands.
    """
    pool_ids = pool_ids_of_events(tx, [event.id])[event.id]
    if not pool_ids:
        return None
    pool_id = main_pool_id(event, pool_ids)
    row = standing_of(tx, pool_id, user_id)
    if row is None:
        return None
    pool = load_pools_at_once(tx, [pool_id])[pool_id]
    prices = pool.lmsr().probabilities()
    likeliest = max(range(len(prices)), key=lambda index: (prices[index], -index))
    return AuthorForecast(pool_id, likeliest, as_now(row, pool)[likeliest])


def largest_of(tx: ReadTx, user_id: int, event: EventRow, *, now_ms: int) -> AuthorHolding | None:
    """Return a user's position of the largest value in the main pool of an event; None under 1 kopeck.

    Of equal ones that of the lower market id, then of YES.
    """
    pool_ids = pool_ids_of_events(tx, [event.id])[event.id]
    if not pool_ids:
        # What is left of a deleted creator's draft.
        return None
    holder = (user_id, main_pool_id(event, pool_ids))
    held = [one for side in Side for one in open_in_pools_fetch([holder], side=side.value).fetch(tx).values()]
    shares = [HeldShares(one.market_id, one.pool_id, one.side, one.shares, one.id) for one in held]
    values = values_kopecks(tx, shares, now_ms=now_ms)
    ranked = [(value, -one.market_id, one.side == "YES", one) for value, one in zip(values, held, strict=True) if value]
    if not ranked:
        return None
    *_, is_yes, largest = max(ranked, key=lambda row: row[:3])
    return AuthorHolding(largest.market_id, "YES" if is_yes else "NO", largest.shares)
