"""Quotes: the result of an order without placing it."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import BadRequest
from foreknow.market.pools.service import visible_market
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import Book
from foreknow.trading.desk.checks import check_side, check_tradable
from foreknow.trading.desk.kinds.bet import price_bet
from foreknow.trading.desk.kinds.sale import price_sale
from foreknow.trading.desk.priced import NO_ONE, PricedOrder
from foreknow.trading.desk.resting import BookSource, load_book


@dataclass(frozen=True, slots=True)
class PriceQuote:
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
    not_by_creator: bool,
    now_ms: int,
    outcomes: int | None = None,
    user_id: int | None = None,
) -> PriceQuote:
    """Price an order with all the desk's checks but those of the trader's balance and shares.

    `user_id`: whose order it would be, of which own resting orders are not met; None: the visitor's.

    `not_by_creator`: whether it is refused to the creator of the market's event.
    """
    if (stake_kopecks is None) == (shares is None):
        raise BadRequest("Give exactly one of the stake (to buy) and the shares (to sell).")
    pool, outcome = visible_market(tx, market_id, visitor)
    check_side(pool, outcome, side)
    check_tradable(pool, now_ms, refused_to=visitor if not_by_creator else None, outcomes=outcomes)
    market_maker = pool.lmsr()
    book: Book | None = None
    if pool.open_orders:
        at_ms = max(now_ms, pool.last_trade_at_ms or 0)
        book = load_book(pool, BookSource(tx, {}, at_ms=at_ms)).book
    if user_id is None:
        user_id = NO_ONE if visitor is None else visitor.user_id
    if stake_kopecks is not None:
        priced = price_bet(
            market_maker,
            outcome=outcome,
            side=side,
            margin=pool.margin,
            stake_kopecks=stake_kopecks,
            book=book,
            user_id=user_id,
        )
    else:
        assert shares is not None
        priced = price_sale(market_maker, outcome=outcome, side=side, shares=shares, book=book, user_id=user_id)
    return PriceQuote(priced, market_maker.probability(outcome), priced.after.probability(outcome))
