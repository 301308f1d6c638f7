"""The open orders of one pool: two queues a market, and the price at which an order meets them.

An *up* order buys YES or sells NO, a *down* order the reverse. A queue's best order is an up queue's highest level and
a down queue's lowest, of equal levels the one with the lower id (rule 1).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from foreknow.money.pricing import DepthLevel, Side

#: Orders are whole numbers of lots; a percent of the price is a kopeck a lot.
LOT_SHARES: Final = 100

#: The levels of queues without orders. In a sum of levels, the one takes part in a set that has no up order of it, and
#: the other prevents a set that needs a down order of it (rule 2).
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


#: A queue of a pool: (outcome, is_up).
QueueKey = tuple[int, bool]
_Place = tuple[int, int]
_place = attrgetter("place")
_id = attrgetter("id")
_level = attrgetter("level_percent")


class RestingPrice(NamedTuple):
    """Where an order meets resting ones: the best order of its own market, or a set of orders of all others."""

    level_percent: int
    is_set: bool


class _Queue(NamedTuple):
    """One queue. Immutable: what follows the best order is shared with the queues that this one came from."""

    #: None: there is none, or it has not been read.
    best: Resting | None
    #: `following[next:]` are those behind it, as far as they were read.
    following: list[Resting]
    next: int
    #: Of a queue read in part: the place of the last order read. All orders up to it are known, and later ones of those
    #: that came since. None: all is known.
    last_read: _Place | None

    def known(self) -> list[Resting]:
        """Return the orders that are known, as a new list."""
        behind = self.following[self.next :]
        return behind if self.best is None else [self.best, *behind]


_EMPTY: Final = _Queue(None, [], 0, None)


def _queue_from(orders: list[Resting], start: int, last_read: _Place | None) -> _Queue:
    """Return the queue of `orders[start:]`, which stand in their order."""
    if start < len(orders):
        best = orders[start]
        if last_read is None or best.place <= last_read:
            return _Queue(best, orders, start + 1, last_read)
    return _Queue(None, orders, start, last_read)


#: Reads the best orders of some queues, each time more of a queue than before: (orders, truncated).
ReadDeeper = Callable[[Collection[QueueKey]], tuple[Iterable[Resting], Collection[QueueKey]]]


class _Deeper:
    """What lies behind the orders that were read, by queue; read for all books of a pool, and further when needed."""

    def __init__(self, read: ReadDeeper) -> None:
        self._read = read
        #: Of the queues that were read deeper: their best orders, and whether there are more.
        self._queues: dict[int, tuple[list[Resting], bool]] = {}

    def behind(self, wanted: Mapping[int, _Place]) -> Iterator[tuple[int, list[Resting], _Place | None]]:
        """Return orders of some queues behind the last one read of each, and the place of their last; None: they are
        all.
        """
        while missing := [index for index, last_read in wanted.items() if not self._reaches(index, last_read)]:
            self._read_on(missing)
        for index, last_read in wanted.items():
            orders, is_truncated = self._queues[index]
            behind = [order for order in orders if order.place > last_read]
            yield index, behind, behind[-1].place if is_truncated else None

    def _reaches(self, index: int, last_read: _Place) -> bool:
        """Return whether more of a queue is known than what was read first."""
        orders, is_truncated = self._queues.get(index, ([], True))
        return not is_truncated or (bool(orders) and orders[-1].place > last_read)

    def _read_on(self, indexes: Collection[int]) -> None:
        found, truncated = self._read([_key(index) for index in indexes])
        queues: dict[int, list[Resting]] = {index: [] for index in indexes}
        for order in sorted(found, key=_place):
            queues[_index(order.outcome, order.is_up)].append(order)
        for index, orders in queues.items():
            self._queues[index] = orders, _key(index) in truncated


class Book:
    """The open orders of a pool. `taken`, `added` and `without` return the next book and leave this one as it is."""

    __slots__ = ("_deeper", "_down_sum", "_downs", "_queues", "_removed", "_unread", "_up_sum", "_ups")

    def __init__(
        self,
        markets: int,
        orders: Iterable[Resting] = (),
        truncated: Collection[QueueKey] = (),
        read_deeper: ReadDeeper | None = None,
    ) -> None:
        """Take the orders of a pool with `markets` markets, in any order.

        Of the queues in `truncated`, `orders` holds the best alone, one or more. When the last of these is gone,
        `read_deeper` is called with such queues, for this book and all that come from it: it returns more of their best
        orders, those in `orders` too or not, as they stood when `orders` were read, and which of them it has not read
        to their end. It is called again, and reads more, when the last of these is gone. Orders are looked at before
        they are met: who reads one more than are to be met reads no deeper.
        """
        queues: dict[int, list[Resting]] = {}
        for order in orders:
            queues.setdefault(_index(order.outcome, order.is_up), []).append(order)
        partly_read = {_index(outcome, is_up) for outcome, is_up in truncated}
        #: Both queues of each market: down, up.
        self._queues = [_EMPTY] * (2 * markets)
        for index, queue in queues.items():
            # As by their places, and faster: sorts are stable, reversed ones too.
            queue.sort(key=_id)
            queue.sort(key=_level, reverse=index % 2 == 1)
            self._queues[index] = _queue_from(queue, 0, queue[-1].place if index in partly_read else None)
        #: The levels of the best orders by market, and their sums.
        self._downs = [_NO_DOWN if queue.best is None else queue.best.level_percent for queue in self._queues[::2]]
        self._ups = [_NO_UP if queue.best is None else queue.best.level_percent for queue in self._queues[1::2]]
        self._down_sum, self._up_sum = sum(self._downs), sum(self._ups)
        self._deeper = None if read_deeper is None else _Deeper(read_deeper)
        #: Queues whose best order has to be read.
        self._unread = frozenset[int]()
        #: Orders that were cancelled without having been read.
        self._removed = frozenset[int]()

    @property
    def removed_unread(self) -> int:
        """How many cancelled orders it remembers, since a later reading may have them."""
        return len(self._removed)

    @property
    def markets(self) -> int:
        """The number of markets of its pool."""
        return len(self._ups)

    def best(self, outcome: int, *, is_up: bool) -> Resting | None:
        """Return the best order of a queue."""
        self._read_deeper()
        return self._queues[_index(outcome, is_up)].best

    def find(self, order: Resting) -> Resting | None:
        """Return an order that was in the book as it is now; None if it is gone."""
        queue = self._queues[_index(order.outcome, order.is_up)]
        if queue.best is not None and queue.best.id == order.id:
            return queue.best
        at = bisect_left(queue.following, order.place, queue.next, key=_place)
        return queue.following[at] if at < len(queue.following) and queue.following[at].id == order.id else None

    def best_levels(self) -> tuple[list[int], list[int]]:
        """Return the levels of the best up orders (0: none) and of the best down orders (100: none), by market."""
        self._read_deeper()
        return self._ups, self._downs

    def resting_price(self, outcome: int, *, is_up: bool) -> RestingPrice | None:
        """Return the resting price that an order of a market meets, None if there is none (rule 2)."""
        self._read_deeper()
        # In a pool of one market, or of others without orders, the sum makes no price from 1 to 99.
        if is_up:
            level, set_level = self._downs[outcome], 100 - self._up_sum + self._ups[outcome]
            if 0 < set_level < level:
                return RestingPrice(set_level, is_set=True)
            return None if level == _NO_DOWN else RestingPrice(level, is_set=False)
        level, set_level = self._ups[outcome], 100 - self._down_sum + self._downs[outcome]
        if 100 > set_level > level:
            return RestingPrice(set_level, is_set=True)
        return None if level == _NO_UP else RestingPrice(level, is_set=False)

    def met(self, outcome: int, *, is_up: bool, is_set: bool) -> list[Resting]:
        """Return the orders that an order of a market meets at its resting price, by outcome."""
        if is_set:
            queues = self._queues[is_up::2]
            return [queue.best for other, queue in enumerate(queues) if other != outcome and queue.best is not None]
        best = self._queues[_index(outcome, not is_up)].best
        return [] if best is None else [best]

    def taken(self, orders: Iterable[Resting], shares: int) -> Book:
        """Return the book once `shares` were taken of each of these orders, which are the best of their queues."""
        after: Book = self._copy()
        for order in orders:
            index = _index(order.outcome, order.is_up)
            queue = self._queues[index]
            if order.shares > shares:
                rest = msgspec.structs.replace(order, shares=order.shares - shares)
                after._queues[index] = queue._replace(best=rest)
            else:
                after._put(index, _queue_from(queue.following, queue.next, queue.last_read))
        return after

    def added(self, order: Resting) -> Book:
        """Return the book with one more order."""
        after: Book = self._copy()
        index = _index(order.outcome, order.is_up)
        known = self._queues[index].known()
        insort(known, order, key=_place)
        after._put(index, _queue_from(known, 0, self._queues[index].last_read))
        return after

    def without(self, orders: Iterable[Resting]) -> Book:
        """Return the book without these orders; their shares do not matter, and those not in it are ignored."""
        after: Book = self._copy()
        for order in orders:
            index = _index(order.outcome, order.is_up)
            queue = after._queues[index]
            place = order.place
            if queue.best is not None and queue.best.id == order.id:
                after._put(index, _queue_from(queue.following, queue.next, queue.last_read))
                continue
            known = queue.known()
            at = bisect_left(known, place, key=_place)
            if at < len(known) and known[at].id == order.id:
                del known[at]
                after._put(index, _queue_from(known, 0, queue.last_read))
            if queue.last_read is not None and place > queue.last_read:
                # Known or not: what is read later may have it.
                after._removed |= {order.id}
        return after

    def _copy(self) -> Book:
        after: Book = Book.__new__(Book)
        after._queues = self._queues.copy()
        after._ups, after._downs = self._ups.copy(), self._downs.copy()
        after._up_sum, after._down_sum = self._up_sum, self._down_sum
        after._deeper, after._unread, after._removed = self._deeper, self._unread, self._removed
        return after

    def _put(self, index: int, queue: _Queue) -> None:
        """Put a queue in the place of another: in a copy, before it is returned, or as what has been read of it."""
        self._queues[index] = queue
        outcome, is_up = divmod(index, 2)
        if is_up:
            level = _NO_UP if queue.best is None else queue.best.level_percent
            self._up_sum += level - self._ups[outcome]
            self._ups[outcome] = level
        else:
            level = _NO_DOWN if queue.best is None else queue.best.level_percent
            self._down_sum += level - self._downs[outcome]
            self._downs[outcome] = level
        if queue.best is None and queue.last_read is not None:
            self._unread |= {index}
        elif self._unread:
            self._unread -= {index}

    def _read_deeper(self) -> None:
        """Read what lies deeper once the best order of a queue is not known. The book stays the same book."""
        while self._unread:
            if self._deeper is None:
                raise RuntimeError("a book read in part needs a way to read the rest")
            wanted = {index: last_read for index in self._unread if (last_read := self._queues[index].last_read)}
            for index, behind, last_read in self._deeper.behind(wanted):
                known = self._queues[index].known()
                skipped = self._removed.union(order.id for order in known)
                orders = known + [order for order in behind if order.id not in skipped]
                orders.sort(key=_place)
                self._put(index, _queue_from(orders, 0, last_read))


def _index(outcome: int, is_up: bool) -> int:  # noqa: FBT001 - a key, not a flag
    return 2 * outcome + is_up


def _key(index: int) -> QueueKey:
    outcome, is_up = divmod(index, 2)
    return outcome, bool(is_up)


#: (level in percent, shares) of a queue, from its best level on.
QueueLevels = Sequence[tuple[int, int]]
#: (bids, asks), as `Lmsr.depth` returns them.
BookSides = tuple[list[DepthLevel], list[DepthLevel]]


def order_book(ladder: BookSides, queues: Mapping[QueueKey, QueueLevels], *, outcome: int, markets: int) -> BookSides:
    """Return a market's (bids, asks): its `ladder`, and added at each level what resting orders and sets offer there.

    `queues` are those of the whole pool by (outcome, is_up), each with its shares added up by level.
    """
    bids, asks = (Counter({level.price_bps // 100: level.shares for level in side}) for side in ladder)
    for side, is_up in ((bids, True), (asks, False)):
        for percent, shares in queues.get((outcome, is_up), ()):
            side[percent] += shares
        # Who sells YES meets sets of down orders, one of every other market; who buys it, of up orders (rule 2).
        others = [queues.get((other, not is_up), ()) for other in range(markets) if other != outcome]
        side.update(_sets(others, with_all=is_up))
    return (
        [DepthLevel(100 * percent, bids[percent]) for percent in sorted(bids, reverse=True)],
        [DepthLevel(100 * percent, asks[percent]) for percent in sorted(asks)],
    )


def _sets(queues: list[QueueLevels], *, with_all: bool) -> Counter[int]:
    """Return by level what sets of the other markets' orders offer, taken one after the other.

    A set takes the best of each of these `queues` that has one; `with_all`: there is none unless all have one.
    """
    offered: Counter[int] = Counter()
    #: (level, shares) of the best orders, and what follows them.
    left = [(levels[0], iter(levels[1:])) for levels in queues if levels]
    while left and not (with_all and len(left) < len(queues)):
        percent = 100 - sum(level for (level, _), _ in left)
        if not 0 < percent < 100:
            break
        shares = min(shares for (_, shares), _ in left)
        offered[percent] += shares
        rest = (
            ((level, more - shares) if more > shares else next(behind, None), behind) for (level, more), behind in left
        )
        left = [(best, behind) for best, behind in rest if best is not None]
    return offered
