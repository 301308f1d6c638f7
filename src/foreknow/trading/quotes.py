"""Quotes: the result of an order without placing it."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.access.callers import UserCaller
from foreknow.db.transactions import ReadTx
from foreknow.kernel.errors import BadRequest
from foreknow.pools.service import visible_market
from foreknow.pricing import Side
from foreknow.trading.execution import PricedOrder, price_buy, price_sale
from foreknow.trading.orders import Buy


@dataclass(frozen=True, slots=True)
class Quote:
    """A price, with the market's YES probability before and after."""

    priced: PricedOrder
    probability_before: float
    probability_after: float


def quote(
    tx: ReadTx,
    *,
    visitor: UserCaller | None,
    market_id: int,
    side: Side,
    stake_kopecks: int | None,
    shares: int | None,
    now_ms: int,
) -> Quote:
    """Price an order with all the desk's checks but those of the trader's balance and shares."""
    if (stake_kopecks is None) == (shares is None):
        raise BadRequest("Give exactly one of the stake (to buy) and the shares (to sell).")
    pool, outcome = visible_market(tx, market_id, visitor)
    error = pool.trading_error(now_ms)
    if error is not None:
        raise error
    market_maker = pool.lmsr()
    if stake_kopecks is not None:
        terms = Buy(stake_kopecks=stake_kopecks)
        priced = price_buy(market_maker, outcome=outcome, side=side, margin=pool.margin, terms=terms)
    else:
        assert shares is not None
        priced = price_sale(market_maker, outcome=outcome, side=side, shares=shares)
    return Quote(priced, market_maker.probability(outcome), priced.after.probability(outcome))
