"""What the house account trades to move a pool's prices towards a source's. Pure.

With the prices p, targets t and the shares h that it holds of each outcome (NO of a single market: of the implicit
other outcome), it trades Δ_i = λ·b·ln(t_i/p_i) + c shares of outcome i, where c = max_j(−h_j − λ·b·ln(t_j/p_j)) is the
least for which it sells no more than it holds. The prices become proportional to p_i·exp(Δ_i/b) = p_i^(1−λ)·t_i^λ
times a constant. The cost is

    b·ln Σ p_i·exp(Δ_i/b) = c + b·ln Σ p_i^(1−λ)·t_i^λ ≤ c,

as that sum is at most 1 (Hölder). λ, at most 1, is the largest for which c does not exceed what may be spent:
λ·b·ln(p_j/t_j) − h_j ≤ limit for each p_j > t_j. Whole shares, whole kopecks and fees cost a little more, so every plan
is priced exactly and counts only if its stakes less its payouts are within the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, floor, log, log1p
from typing import NamedTuple

from foreknow.money.pricing import Lmsr, Side, fee_on_top_kopecks

#: Prices within this of their targets are left as they are; a little over 0.01, which differences of doubles can pass.
TOLERANCE = 0.01 + 1e-12
#: Limits the plans that are priced for one round; fees make more than one necessary.
PLANS_MAX = 12
#: Multiples of b above which e^(x/b) is not computed.
_STEEP = 30.0


class HouseTrade(NamedTuple):
    """One order: a purchase for `stake_kopecks`, fee included, or a sale of `shares`, whichever is not 0."""

    outcome_index: int
    side: Side
    stake_kopecks: int
    shares: int


class HousePlan(NamedTuple):
    """Orders in the order in which they are executed, sales first, and what all of them cost."""

    trades: tuple[HouseTrade, ...]
    #: Stakes less payouts.
    cost_kopecks: int


NOTHING = HousePlan((), 0)


def plan_trades(
    market_maker: Lmsr, *, targets: Sequence[float], holdings: Sequence[int], limit_kopecks: int, margin: float
) -> HousePlan:
    """Return the orders of one round; they cost at most `limit_kopecks` (0 or more).

    `targets` sum to 1 and are above 0; `holdings` are the account's shares. Both have one entry per outcome, the
    implicit other one of a single-market pool included.
    """
    prices = _prices(market_maker)
    if min(prices) <= 0.0 or all(abs(t - p) <= TOLERANCE for p, t in zip(prices, targets, strict=True)):
        return NOTHING
    moves = [market_maker.b * log(t / p) for p, t in zip(prices, targets, strict=True)]
    # Each order may cost one kopeck and the price of one share more than its part of the plan.
    limit = max(0, limit_kopecks - 2 * len(prices))
    part = min([1.0, *((limit + h) / -move for move, h in zip(moves, holdings, strict=True) if move < 0.0)])
    low, high = 0.0, part
    best = NOTHING
    for _ in range(PLANS_MAX):
        plan = _plan(market_maker, [part * move for move in moves], holdings, margin)
        if plan is not None and plan.cost_kopecks <= limit_kopecks:
            low, best = part, plan
            if part == high:
                break
        else:
            high = part
        part = (low + high) / 2
    return best


def _prices(market_maker: Lmsr) -> tuple[float, ...]:
    prices = market_maker.probabilities()
    return prices if len(prices) > 1 else (prices[0], 1.0 - prices[0])


def _plan(market_maker: Lmsr, moves: Sequence[float], holdings: Sequence[int], margin: float) -> HousePlan | None:
    """Return the orders that move each outcome by `moves` shares and a constant; None beyond the market's limit."""
    constant = max(-h - move for move, h in zip(moves, holdings, strict=True))
    changes = [floor(move + constant) if move + constant > 0 else -floor(-move - constant) for move in moves]
    trades: list[HouseTrade] = []
    cost_kopecks = 0
    for outcome, change in enumerate(changes):
        index, side = _share(market_maker, outcome)
        # In floats, the shares sold of the outcome that decides the constant may be off by one.
        shares = min(-change, holdings[outcome])
        payout = market_maker.sale_payout_kopecks(index, side, shares)
        if payout > 0:
            market_maker = market_maker.traded(index, side, -shares)
            trades.append(HouseTrade(index, side, 0, shares))
            cost_kopecks -= payout
    for outcome, change in enumerate(changes):
        index, side = _share(market_maker, outcome)
        money = _money_for(market_maker, index, side, change)
        shares = market_maker.shares_bought(index, side, money)
        if shares > 0:
            stake = money + fee_on_top_kopecks(cost_kopecks=money, margin=margin)
            market_maker = market_maker.traded(index, side, shares)
            trades.append(HouseTrade(index, side, stake, 0))
            cost_kopecks += stake
    return HousePlan(tuple(trades), cost_kopecks) if market_maker.within_limit() else None


def _share(market_maker: Lmsr, outcome: int) -> tuple[int, Side]:
    """Return market and side of the shares of an outcome: the second one of a single market is its NO."""
    return (0, Side.NO) if outcome == len(market_maker.q_yes) else (outcome, Side.YES)


def _money_for(market_maker: Lmsr, index: int, side: Side, shares: int) -> int:
    """Return the most kopecks that buy at most `shares`; 0 where one kopeck buys more."""
    if shares < 1:
        return 0
    price = market_maker.probability(index)
    if side is Side.NO:
        price = 1.0 - price
    steep = shares / market_maker.b
    if steep < _STEEP:
        estimate = floor(market_maker.b * log1p(price * expm1(steep)))
    else:
        estimate = shares + floor(market_maker.b * log(price + (1.0 - price) * exp(-steep)))
    for money in range(estimate + 1, max(0, estimate - 2), -1):
        if market_maker.shares_bought(index, side, money) <= shares:
            return money
    return 0
