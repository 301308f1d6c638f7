"""Orders of a few words, for examples."""

from __future__ import annotations

from collections.abc import Iterable

from foreknow.money.pricing import Lmsr, Side
from foreknow.trading.book import Arrival, ArrivingBet, ArrivingLimit, ArrivingSale, MakerFill, Resting

YES, NO = Side.YES, Side.NO
ANN, BOB = 1, 2
#: The price is 50 %; 4,054 shares of YES take it to 60 %.
EVEN = Lmsr.of(b=10_000, weights=(1, 1), q_yes=(0,), q_no=(0,))
#: 25 % each; b is large, so that a lot moves little.
FOUR = Lmsr.of(b=10**6, weights=(1,) * 4, q_yes=(0,) * 4, q_no=(0,) * 4)


def rests(
    order_id: int,
    side: Side,
    level: int,
    lots: int,
    *,
    is_buy: bool = True,
    outcome: int = 0,
    user: int = BOB,
) -> Resting:
    return Resting(
        id=order_id,
        user_id=user,
        outcome=outcome,
        side=side,
        is_buy=is_buy,
        level_percent=level,
        shares=100 * lots,
    )


def bet(side: Side, money_kopecks: int, *, outcome: int = 0) -> Arrival:
    return Arrival(user_id=ANN, outcome=outcome, side=side, is_buy=True, terms=ArrivingBet(money_kopecks=money_kopecks))


def sale(side: Side, shares: int, *, outcome: int = 0) -> Arrival:
    return Arrival(user_id=ANN, outcome=outcome, side=side, is_buy=False, terms=ArrivingSale(shares=shares))


def limit(
    side: Side, level: int, lots: int, *, is_buy: bool = True, outcome: int = 0, order_id: int | None = None
) -> Arrival:
    terms = ArrivingLimit(shares=100 * lots, level_percent=level, rests=order_id is not None)
    return Arrival(order_id=order_id, user_id=ANN, outcome=outcome, side=side, is_buy=is_buy, terms=terms)


def ids(fills: Iterable[MakerFill]) -> list[tuple[int, int]]:
    """The orders that were filled, and by how many lots."""
    return [(fill.order.id, fill.shares // 100) for fill in fills]
