"""The order book of an LMSR market: how many shares move its price by whole percents."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from foreknow.money.pricing import bounds, exact

#: A whole percent from 1 to 99 and the shares that move the price there.
DepthStep = tuple[int, int]


class DepthLevel(NamedTuple):
    """One level: `shares` move YES from the previous level (or the price) to `price_bps`."""

    price_bps: int
    shares: int


class DepthLadder(NamedTuple):
    """All steps between neighbouring percents at one b, the same for every pool."""

    #: From 2 % (bought from 1 %) up to 99 %.
    asks: tuple[DepthLevel, ...]
    #: From 98 % (sold from 99 %) down to 1 %.
    bids: tuple[DepthLevel, ...]


@functools.lru_cache(maxsize=1024)
def full_ladder(b: int) -> DepthLadder:
    """Return the steps between whole percents, each floor(b · ln of the ratio of the odds)."""
    steps = [_percent_step(b, percent) for percent in range(1, 99)]
    asks = [DepthLevel(100 * (below + 1), shares) for below, shares in enumerate(steps, start=1)]
    bids = [DepthLevel(100 * below, shares) for below, shares in enumerate(steps, start=1)]
    return DepthLadder(tuple(asks), tuple(reversed(bids)))


def _percent_step(b: int, percent: int) -> int:
    above = (percent + 1) * (100 - percent)
    below = percent * (99 - percent)
    low, high = bounds.log_multiple(b, above, below)
    groups = exact.TradeGroups(b, {0: below}, {0: above})
    return exact.largest(low, high, functools.partial(exact.reaches_price, groups, (1, 1)))


def first_step(start: int, shares_to_price: Callable[[int], int]) -> DepthStep | None:
    """Return the first whole percent not below the side's price, from `start` on, and the shares that move it there.

    `shares_to_price(percent)` returns the floor of the shares needed, negative below the price. None if the price is
    above 99 percent.
    """
    for percent in range(max(1, start), 100):
        shares = shares_to_price(percent)
        if shares >= 0:
            return percent, shares
    return None


def ladders(b: int, ask: DepthStep | None, bid: DepthStep | None) -> tuple[list[DepthLevel], list[DepthLevel]]:
    """Return (bids, asks) of a market whose first steps are `ask` (YES) and `bid` (NO, in percents of NO)."""
    levels = full_ladder(b)
    asks = [] if ask is None else [DepthLevel(100 * ask[0], ask[1]), *levels.asks[ask[0] - 1 :]]
    bids = [] if bid is None else [DepthLevel(10_000 - 100 * bid[0], bid[1]), *levels.bids[bid[0] - 1 :]]
    return [level for level in bids if level.shares], [level for level in asks if level.shares]
