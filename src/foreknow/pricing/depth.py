"""The order book of an LMSR market: how many shares move its price by whole percents."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from foreknow.pricing import bounds, exact

#: A whole percent from 1 to 99 and the number of shares that bring the price there.
Step = tuple[int, int]


class Rung(NamedTuple):
    """One level of the book: so many `shares` bring YES from the level before (or the price) to `price_bps`."""

    price_bps: int
    shares: int


class Rungs(NamedTuple):
    """The whole ladder at one b: all steps between neighbouring percents, the same for every pool."""

    #: From 2 % (bought from 1 %) up to 99 %.
    asks: tuple[Rung, ...]
    #: From 98 % (sold from 99 %) down to 1 %.
    bids: tuple[Rung, ...]


@functools.lru_cache(maxsize=1024)
def all_rungs(b: int) -> Rungs:
    """Return the steps between whole percents, each floor(b · ln of the ratio of the odds)."""
    steps = [_percent_step(b, percent) for percent in range(1, 99)]
    asks = [Rung(100 * (below + 1), shares) for below, shares in enumerate(steps, start=1)]
    bids = [Rung(100 * below, shares) for below, shares in enumerate(steps, start=1)]
    return Rungs(tuple(asks), tuple(reversed(bids)))


def _percent_step(b: int, percent: int) -> int:
    above = (percent + 1) * (100 - percent)
    below = percent * (99 - percent)
    low, high = bounds.log_multiple(b, above, below)
    split = exact.Split(b, {0: below}, {0: above})
    return exact.largest(low, high, lambda shares: exact.climbs(split, (1, 1), shares))


def first_step(start: int, climb: Callable[[int], int]) -> Step | None:
    """Return the first whole percent, from `start` on, that does not lie below the side's price, and the way there.

    `climb(percent)` gives the floor of the shares up to it, negative for levels below the price. None where the
    price is above 99 percent.
    """
    for percent in range(max(1, start), 100):
        shares = climb(percent)
        if shares >= 0:
            return percent, shares
    return None


def ladders(b: int, ask: Step | None, bid: Step | None) -> tuple[list[Rung], list[Rung]]:
    """Return (bids, asks) of a market whose first steps are `ask` (YES) and `bid` (NO, in percents of NO)."""
    rungs = all_rungs(b)
    asks = [] if ask is None else [Rung(100 * ask[0], ask[1]), *rungs.asks[ask[0] - 1 :]]
    bids = [] if bid is None else [Rung(10_000 - 100 * bid[0], bid[1]), *rungs.bids[bid[0] - 1 :]]
    return [rung for rung in bids if rung.shares], [rung for rung in asks if rung.shares]
