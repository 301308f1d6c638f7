"""The limit orders that rest in a locked pool: the book, and the rows and positions behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, MutableMapping, Sequence
from dataclasses import dataclass

from foreknow.kernel.units import INT64_MAX
from foreknow.market.pools.store import PricedPool
from foreknow.money.pricing import Side
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.book import Book, Resting
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.store import FoundOrder, best_orders_fetch
from foreknow.trading.positions.store import OpenPosition, PositionKey

#: Orders of each queue that are read with everything else: an order meets the first eight without reading deeper, and
#: looks at a further one before it meets it.
READ_FIRST = 9
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

    __slots__ = ("_depth", "_next_expiry_ms", "_outcomes", "_pool_id", "_source", "book", "rows")

    def __init__(self, pool: PricedPool, best: Iterable[FoundOrder], source: BookSource) -> None:
        """Take the best `READ_FIRST` orders of each queue (`best_orders_fetch`)."""
        self._pool_id = pool.id
        self._outcomes = {market.id: market.outcome_index for market in pool.markets}
        self._source = source
        self._next_expiry_ms = INT64_MAX
        #: Orders of each queue that the next reading asks for, beside the first: what one order may take.
        self._depth = TAKEN_MAX
        #: All orders that were read, by id, those too that have left the book.
        self.rows: dict[int, LimitOrderRow] = {}
        orders, truncated = self._resting(list(best), READ_FIRST)
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

    def _resting(self, found: Sequence[FoundOrder], each: int) -> tuple[list[Resting], list[tuple[int, bool]]]:
        """Return those of the best `each` orders of every queue that have not expired, and the queues with more."""
        lengths = Counter((self._outcomes[order.market_id], order.is_up) for order, _ in found)
        resting: list[Resting] = []
        for one in found:
            row = self.take_row(one)
            if row.is_open and not self._is_over(row):
                resting.append(self.resting_of(row))
        self._next_expiry_ms = self._first_expiry_ms()
        return resting, [queue for queue, length in lengths.items() if length == each]

    def _read_deeper(self) -> tuple[list[Resting], list[tuple[int, bool]]]:
        """Return more orders of each queue than before, as they stand in the database."""
        each = READ_FIRST + self._depth
        self._depth *= DEEPER_FACTOR
        return self._resting(best_orders_fetch([self._pool_id], each=each).fetch(self._source.tx), each)

    def _keep_position(self, found: FoundOrder) -> None:
        if found.position is not None and found.position.id not in self._source.closed_ids:
            self._source.positions.setdefault(found.position.key, found.position)

    def _is_over(self, row: LimitOrderRow) -> bool:
        return row.expires_at_ms is not None and row.expires_at_ms <= self._source.at_ms

    def _first_expiry_ms(self) -> int:
        expiries = (row.expires_at_ms for row in self.rows.values() if row.is_open and row.expires_at_ms is not None)
        return min((at_ms for at_ms in expiries if at_ms > self._source.at_ms), default=INT64_MAX)


def load_book(pool: PricedPool, source: BookSource) -> PoolBook:
    """Return the book of one pool, for a quote or a sweep that reads it alone."""
    return PoolBook(pool, best_orders_fetch([pool.id], each=READ_FIRST).fetch(source.tx), source)
