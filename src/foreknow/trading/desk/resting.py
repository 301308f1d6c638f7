"""The limit orders that rest in a locked pool: the book, and the rows and positions behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, MutableMapping, Sequence
from dataclasses import dataclass

from foreknow.kernel.units import INT64_MAX
from foreknow.market.pools.store import PricedPool
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import Book, QueueKey, Resting
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.store import FoundOrder, best_orders_fetch, best_orders_of_queues
from foreknow.trading.positions.store import OpenPosition, PositionKey

#: Orders of each queue that are read with everything else, of up to `READ_AT_ONCE` in all: an order meets the first
#: eight without reading deeper, and looks at a further one before it meets it. In pools of many markets it meets one.
READ_FIRST = 9
READ_FIRST_LEAST = 2
READ_AT_ONCE = 72
#: Most orders of a queue that one order and its sweep may take: 100 and 50.
TAKEN_MAX = 150
#: How many times more of each queue are read when what was read before is gone.
DEEPER_FACTOR = 4
#: Cancelled orders that a book remembers: each further one copies them.
REMOVED_MAX = 500
#: Rows after which those of orders that have left the book are dropped.
ROWS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class BookSource:
    """Where the orders of a book are read, and when."""

    tx: ReadTx
    #: Gets the positions of those who placed the orders.
    positions: MutableMapping[PositionKey, OpenPosition]
    #: Orders that expire by then are left out, Unix milliseconds.
    at_ms: int
    #: Ids of positions that were closed since they were read.
    closed_ids: Collection[int] = ()


class PoolBook:
    """A pool's resting orders while orders meet them; on SQLite it is kept from one batch to the next."""

    __slots__ = ("_depths", "_next_expiry_ms", "_outcomes", "_source", "book", "rows")

    def __init__(self, pool: PricedPool, best: Iterable[FoundOrder], source: BookSource, *, each: int) -> None:
        """Take the best `each` orders of each queue (`best_orders_fetch`)."""
        self._outcomes = {market.id: market.outcome_index for market in pool.markets}
        self._source = source
        self._next_expiry_ms = INT64_MAX
        #: Orders that the next reading of a queue asks for: beside those read first, what one order may take.
        self._depths: defaultdict[QueueKey, int] = defaultdict(lambda: READ_FIRST + TAKEN_MAX)
        #: All orders that were read, by id, those too that have left the book.
        self.rows: dict[int, LimitOrderRow] = {}
        orders, truncated = self._resting(list(best), each)
        self.book = Book(len(pool.markets), orders, truncated, self._read_deeper)

    @property
    def is_worn(self) -> bool:
        """Whether it is cheaper to read again than to go on with."""
        return self.book.removed_unread > REMOVED_MAX

    def go_on(self, source: BookSource) -> None:
        """Go on in a later batch: what has expired since leaves the book."""
        self._source = source
        if len(self.rows) > ROWS_KEPT:
            self.rows = {row.id: row for row in self.rows.values() if row.is_open}
        if self._next_expiry_ms <= source.at_ms:
            expired = [row for row in self.rows.values() if row.is_open and self._is_over(row)]
            self.book = self.book.without(map(self.resting_of, expired))
            self._next_expiry_ms = self._first_expiry_ms()

    def add(self, row: LimitOrderRow) -> None:
        """Take the row of an order that has arrived; `book` has it already."""
        self.rows[row.id] = row
        if row.expires_at_ms is not None:
            self._next_expiry_ms = min(self._next_expiry_ms, row.expires_at_ms)

    def take_row(self, found: FoundOrder) -> LimitOrderRow:
        """Return the row of an order of the pool that was read by id: the one that is here already, if it is."""
        row = self.rows.setdefault(found.order.id, found.order)
        self._keep_position(found)
        return row

    def resting_of(self, row: LimitOrderRow) -> Resting:
        """Return an open order as the book has it."""
        return Resting(
            id=row.id,
            user_id=row.user_id,
            outcome=self._outcomes[row.market_id],
            side=Side(row.side),
            is_buy=row.is_buy,
            level_percent=row.level_percent,
            shares=row.shares - row.filled_shares,
        )

    def _resting(self, found: Sequence[FoundOrder], each: int) -> tuple[list[Resting], list[QueueKey]]:
        """Return those of the best `each` orders of every queue that have not expired, and the queues with more."""
        lengths = Counter((self._outcomes[order.market_id], order.is_up) for order, _ in found)
        resting: list[Resting] = []
        for one in found:
            row = self.take_row(one)
            if row.is_open and not self._is_over(row):
                resting.append(self.resting_of(row))
        self._next_expiry_ms = self._first_expiry_ms()
        return resting, [queue for queue, length in lengths.items() if length == each]

    def _read_deeper(self, queues: Collection[QueueKey]) -> tuple[list[Resting], list[QueueKey]]:
        """Return more orders of these queues than before, as they stand in the database."""
        each = max(self._depths[queue] for queue in queues)
        self._depths.update(dict.fromkeys(queues, DEEPER_FACTOR * each))
        market_ids = {outcome: market_id for market_id, outcome in self._outcomes.items()}
        asked = [(market_ids[outcome], is_up) for outcome, is_up in queues]
        return self._resting(best_orders_of_queues(asked, each=each).fetch(self._source.tx), each)

    def _keep_position(self, found: FoundOrder) -> None:
        if found.position is not None and found.position.id not in self._source.closed_ids:
            self._source.positions.setdefault(found.position.key, found.position)

    def _is_over(self, row: LimitOrderRow) -> bool:
        return row.expires_at_ms is not None and row.expires_at_ms <= self._source.at_ms

    def _first_expiry_ms(self) -> int:
        expiries = (row.expires_at_ms for row in self.rows.values() if row.is_open and row.expires_at_ms is not None)
        return min((at_ms for at_ms in expiries if at_ms > self._source.at_ms), default=INT64_MAX)


def read_first(markets: int) -> int:
    """Return how many orders of each queue are read at first, of pools that have this many markets together."""
    return min(READ_FIRST, max(READ_FIRST_LEAST, READ_AT_ONCE // max(1, 2 * markets)))


def load_book(pool: PricedPool, source: BookSource) -> PoolBook:
    """Return the book of one pool, for a quote or a sweep that reads it alone."""
    each = read_first(len(pool.markets))
    return PoolBook(pool, best_orders_fetch([pool.id], each=each).fetch(source.tx), source, each=each)
