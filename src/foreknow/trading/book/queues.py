"""The open orders of one pool: two queues a market, and the price at which the next one is met.

An *up* order buys YES or sells NO, a *down* order the reverse. A queue's best order is an up queue's highest level and
a down queue's lowest, of equal levels the one with the lower id (rule 1).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from foreknow.money.pricing import Side

#: Orders are whole numbers of lots; a percent of the price is a kopeck a lot.
LOT_SHARES: Final = 100

#: Levels that stand for an empty queue: with them in a sum there is no set where one needs its order (rule 2).
_NO_UP: Final = 0
_NO_DOWN: Final = 100


class Resting(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An open limit order with the `shares` it has left, a whole number of lots."""

    id: int
    user_id: int
    #: Its market, counted from 0.
    outcome: int
    side: Side
    is_buy: bool
    #: Its price of YES in percent, 1 … 99.
    level_percent: int
    shares: int

    @property
    def is_up(self) -> bool:
        """Whether it raises the price of YES: it buys YES or sells NO."""
        return (self.side == Side.YES) == self.is_buy

    @property
    def price_percent(self) -> int:
        """Its price of its own side: kopecks a lot."""
        return self.level_percent if self.side == Side.YES else 100 - self.level_percent

    @property
    def place(self) -> tuple[int, int]:
        """Its place in its queue: the lowest is the best."""
        return (-self.level_percent if self.is_up else self.level_percent), self.id


class _Queue:
    """The orders of one queue from its best on. Immutable; what follows `best` is shared with the queues before it."""

    __slots__ = ("best", "following", "last_read", "next")

    def __init__(
        self,
        best: Resting | None,
        following: list[Resting],
        following_from: int,
        last_read: tuple[int, int] | None,
    ) -> None:
        #: None: the queue is empty, or its best order has not been read.
        self.best = best
        #: Those after it are `following[next:]`.
        self.following = following
        self.next = following_from
        #: Of a queue that was read in part: the place of the last order that was.
        self.last_read = last_read

    @property
    def is_unknown(self) -> bool:
        """Whether the best order has to be read."""
        return self.best is None and self.last_read is not None

    def orders(self) -> list[Resting]:
        """Return all orders that are known."""
        return ([] if self.best is None else [self.best]) + self.following[self.next :]


def _queue(orders: list[Resting], start: int, last_read: tuple[int, int] | None) -> _Queue:
    """Return the queue of `orders[start:]`, which are in their order."""
    if start < len(orders):
        best = orders[start]
        if last_read is None or best.place <= last_read:
            return _Queue(best, orders, start + 1, last_read)
    return _Queue(None, orders, start, last_read)


class Book:
    """The open orders of a pool. `taken`, `added` and `without` return the next book and leave this one as it is."""

    def __init__(
        self,
        markets: int,
        orders: Iterable[Resting] = (),
        truncated: Collection[tuple[int, bool]] = (),
        read_deeper: Callable[[], Iterable[Resting]] | None = None,
    ) -> None:
        """Take the orders of a pool with `markets` markets, in any order.

        Of the queues (outcome, is_up) in `truncated`, `orders` holds the best alone. When the last of these is gone,
        `read_deeper` is called, once for this book and all that come of it: it returns all orders of these queues that
        may still be met, those in `orders` too or not, as they stood when `orders` were read.
        """
        raise NotImplementedError

    def best(self, outcome: int, *, is_up: bool) -> Resting | None:
        """Return the best order of a queue."""
        raise NotImplementedError

    def without(self, order_ids: Collection[int]) -> Book:
        """Return the book without these orders; ids that are not in it are ignored."""
        raise NotImplementedError
