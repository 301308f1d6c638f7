"""The sweep: resting orders take from the curve what it offers within their limits (rule 8)."""

from __future__ import annotations

from typing import Final

import msgspec

from foreknow.money.pricing import Q_LIMIT, Lmsr, Side
from foreknow.trading.book.arrivals import Cancelled, MakerFill, SweepResult
from foreknow.trading.book.queues import LOT_SHARES, Book, Resting

#: Most pieces of a sweep; an order cancelled at the limit of its token counts as one.
PIECES_MAX: Final = 50
#: In percent: farther apart, a price in floats and a level are in their exact order.
_NEAR: Final = 1e-6


def sweep(market_maker: Lmsr, book: Book, *, after_outcome: int | None) -> SweepResult:
    """Sweep a pool, market after market from the one after `after_outcome`; None: from the first."""
    markets = book.markets
    outcome = 0 if after_outcome is None else (after_outcome + 1) % markets
    fills: dict[int, MakerFill] = {}
    cancelled: list[Cancelled] = []
    prices = market_maker.probabilities()
    ups, downs = book.best_levels()
    in_vain = pieces = 0
    while in_vain < markets and pieces < PIECES_MAX:
        percent = 100.0 * prices[outcome]
        found = None
        if ups[outcome] > percent - _NEAR or downs[outcome] < percent + _NEAR:
            found = _next_piece(market_maker, book, outcome)
        if found is None:
            in_vain += 1
            outcome = (outcome + 1) % markets
            continue
        in_vain = 0
        pieces += 1
        order, shares = found
        after = market_maker.traded(outcome, order.side, shares if order.is_buy else -shares)
        if abs(after.q(outcome)[order.side == Side.NO]) > Q_LIMIT:
            cancelled.append(Cancelled(order=order, reason="market_limit"))
            book = book.without((order,))
        else:
            fill = MakerFill(order=order, shares=shares, money_kopecks=_piece_kopecks(market_maker, order, shares))
            record(fills, fill)
            market_maker, book = after, book.taken((order,), shares)
            prices = market_maker.probabilities()
        ups, downs = book.best_levels()
    return SweepResult(
        swept=list(fills.values()), cancelled=cancelled, after=market_maker, book=book, is_finished=in_vain == markets
    )


def record(fills: dict[int, MakerFill], fill: MakerFill) -> None:
    """Add what an order got to what it got before."""
    before = fills.get(fill.order.id)
    fills[fill.order.id] = (
        fill
        if before is None
        else msgspec.structs.replace(
            before, shares=before.shares + fill.shares, money_kopecks=before.money_kopecks + fill.money_kopecks
        )
    )


def _next_piece(market_maker: Lmsr, book: Book, outcome: int) -> tuple[Resting, int] | None:
    """Return the best order of a market that can take a lot from the curve, and the shares it takes: all it can."""
    for is_up in (True, False):
        order = book.best(outcome, is_up=is_up)
        if order is not None:
            shares = shares_within(market_maker, outcome, is_up=is_up, level_percent=order.level_percent)
            shares = min(shares - shares % LOT_SHARES, order.shares)
            if shares > 0:
                return order, shares
    return None


def shares_within(market_maker: Lmsr, outcome: int, *, is_up: bool, level_percent: int) -> int:
    """Return the most whole shares that an order takes from the curve before it passes a level; 0 past it."""
    shares = (
        market_maker.shares_to_percent(outcome, Side.YES, level_percent)
        if is_up
        else market_maker.shares_to_percent(outcome, Side.NO, 100 - level_percent)
    )
    return max(0, shares)


def _piece_kopecks(market_maker: Lmsr, order: Resting, shares: int) -> int:
    if order.is_buy:
        return market_maker.cost_kopecks(order.outcome, order.side, shares)
    return market_maker.sale_payout_kopecks(order.outcome, order.side, shares)
