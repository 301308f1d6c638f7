"""Baskets in closed form: what an order on several outcomes of a pool would come to, without asking the service.

A stake on a set T, given another one G, is a bet on T against the rest of G, and buys the stake back where G fails:
x = b·ln(1 + (e^(s/b) − 1)·r_G/r_T), of YES of each in T, and s of each outside of G. Changes cost b·ln Σ p_i·e^(x_i/b),
rounded up, and then pay −b·ln Σ p_i·e^(−y_i/b), rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

from foreknow_client.exact import DIGITS, added, largest, sign, times
from foreknow_client.models import BasketChange, Pool
from foreknow_client.pricing import PoolState


@dataclass(frozen=True, slots=True)
class QuotedBasket:
    """What a basket would get; `after` is the pool once it was executed."""

    #: YES bought of each outcome; below 0: sold.
    shares: dict[int, int]
    cost_kopecks: int
    #: Beside the cost.
    fee_kopecks: int
    payout_kopecks: int
    after: PoolState

    @property
    def net_kopecks(self) -> int:
        """Payout less cost and fee."""
        return self.payout_kopecks - self.cost_kopecks - self.fee_kopecks


def stake(
    state: PoolState, outcomes: Collection[int], kopecks: int, given: Collection[int] | None = None
) -> QuotedBasket:
    """Return what a stake on a set of outcomes buys, given that one of `given` comes true (None: in any case).

    Shares of 0 are refused by the service.
    """
    fee = -(-kopecks * state.margin.numerator // state.margin.denominator)
    every = range(len(state.weights))
    within = set(every if given is None else given)
    bought = state.shares_of(kopecks - fee, state.group(outcomes), state.group(within.difference(outcomes)))
    shares = dict.fromkeys(sorted(outcomes), bought) | dict.fromkeys(set(every) - within, kopecks - fee)
    return QuotedBasket(shares, kopecks - fee, fee, 0, state.traded(shares))


def change(state: PoolState, shares: Mapping[int, int]) -> QuotedBasket:
    """Return what YES shares cost, and what is then paid for those below 0, which are sold.

    A payout of 0 is refused by the service.
    """
    bought = {outcome: count for outcome, count in shares.items() if count > 0}
    sold = {outcome: count for outcome, count in shares.items() if count < 0}
    grown = state.traded(bought)
    cost = _cost_kopecks(state, bought) if bought else 0
    fee = math.ceil(cost * state.margin / (1 - state.margin))
    payout = _payout_kopecks(grown, sold) if sold else 0
    return QuotedBasket(dict(shares), cost, fee, payout, grown.traded(sold))


def towards(state: PoolState, probabilities: Sequence[float], kopecks: int) -> dict[int, int]:
    """Return purchases that move prices towards others as far as so much money, fee included, surely reaches.

    Of outcome i λ·b·ln(t_i/p_i) + c shares, where c is what the outcome that falls most needs none with, and λ, at most
    1, is such that c is the money: they cost c or less. Raises `ValueError` for a probability that is not over 0, and
    for as many as the pool has not.
    """
    if len(probabilities) != len(state.weights) or min(probabilities) <= 0:
        raise ValueError("a probability over 0 for each outcome")
    scale, b = math.fsum(probabilities), state.b / state.parts
    steps = [math.log(wanted / scale / state.probability(one)) for one, wanted in enumerate(probabilities)]
    money = kopecks * (1 - float(state.margin))
    fall = -min(steps)
    part = min(1.0, money / (b * fall)) if fall > 0 else 0.0
    shares = {outcome: math.floor(part * b * (step + fall)) for outcome, step in enumerate(steps)}
    return {outcome: count for outcome, count in shares.items() if count > 0}


def changes(pool: Pool, shares: Mapping[int, int]) -> list[BasketChange]:
    """Return shares by outcome as `place_basket` and `quote_basket` take them."""
    ids = {market.outcome_index: market.id for market in pool.markets}
    return [BasketChange(market_id=ids[outcome], shares=count) for outcome, count in sorted(shares.items())]


def _cost_kopecks(state: PoolState, shares: Mapping[int, int]) -> int:
    """Return the least money that covers a purchase."""
    every = range(len(state.weights))
    before, after = state.group(every), state.group(every, shares)

    def is_too_little(kopecks: int) -> bool:
        return sign(state.b, added((after, 0), (times(before, -1), state.parts * kopecks))) > 0

    return largest(_growth(state, before, after), is_too_little) + 1


def _payout_kopecks(state: PoolState, shares: Mapping[int, int]) -> int:
    every = range(len(state.weights))
    before, after = state.group(every), state.group(every, shares)

    def is_covered(kopecks: int) -> bool:
        return sign(state.b, added((before, 0), (times(after, -1), state.parts * kopecks))) >= 0

    return largest(_growth(state, after, before), is_covered)


def _growth(state: PoolState, small: Mapping[int, int], large: Mapping[int, int]) -> int:
    """Return about b·ln of how many times one group is another, rounded down."""
    with localcontext(Context(prec=DIGITS)):
        return int((_log(state, large) - _log(state, small)) / state.parts)


def _log(state: PoolState, group: Mapping[int, int]) -> Decimal:
    top = max(group)
    total = sum((weight * (Decimal(exponent - top) / state.b).exp() for exponent, weight in group.items()), Decimal(0))
    return top + state.b * total.ln()
