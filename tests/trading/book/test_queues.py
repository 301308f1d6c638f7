"""The book's queues: in order, unchanged by what comes from them, and read no deeper than is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import msgspec
import pytest

from foreknow.money.pricing import Lmsr, Side
from foreknow.trading.book import Arrival, ArrivingBet, ArrivingLimit, Book, QueueKey, Resting, decide
from tests.trading.book.cases import contents

EVEN = Lmsr.of(b=10_000, weights=(1, 1), q_yes=(0,), q_no=(0,))


def down(order_id: int, level: int, lots: int = 1, user: int = 2) -> Resting:
    return Resting(
        id=order_id, user_id=user, outcome=0, side=Side.NO, is_buy=True, level_percent=level, shares=100 * lots
    )


def buy(level: int, lots: int, *, order_id: int | None = None) -> Arrival:
    terms = ArrivingLimit(shares=100 * lots, level_percent=level, rests=order_id is not None)
    return Arrival(order_id=order_id, user_id=1, outcome=0, side=Side.YES, is_buy=True, terms=terms)


class Rows:
    """The rows of a pool's orders, which count how often they are read, each time `step` more of them."""

    def __init__(self, orders: Iterable[Resting], *, step: int = 100) -> None:
        self.orders = list(orders)
        self.step = step
        self.reads = 0

    def read(self, queues: Collection[QueueKey]) -> tuple[list[Resting], list[QueueKey]]:
        assert queues == [(0, False)]
        self.reads += 1
        count = self.step * self.reads
        return self.orders[:count], [(0, False)] if count <= len(self.orders) else []

    def book(self, best_count: int) -> Book:
        return Book(1, self.orders[:best_count], [(0, False)], self.read)


def test_a_book_keeps_its_orders_by_level_and_id_whatever_their_order_was() -> None:
    orders = [down(4, 60), down(2, 61), down(3, 60), down(1, 62)]
    assert [order.id for order in contents(Book(1, orders))] == [3, 4, 2, 1]


CHANGES: dict[str, Callable[[Book], Book]] = {
    "a part taken": lambda book: book.taken([down(1, 60, 5)], 200),
    "all taken": lambda book: book.taken([down(1, 60, 5)], 500),
    "a better one added": lambda book: book.added(down(4, 59)),
    "another added": lambda book: book.added(down(4, 61)),
    "the best cancelled": lambda book: book.without([down(1, 60)]),
    "others cancelled": lambda book: book.without([down(2, 61), down(3, 62)]),
    "an order decided": lambda book: decide(EVEN, book, buy(62, 100, order_id=9)).book,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_comes_from_a_book_leaves_it_as_it_is(change: Callable[[Book], Book]) -> None:
    orders = [down(1, 60, 5), down(2, 61), down(3, 62)]
    book = Book(1, orders)
    after = change(book)
    assert contents(book) == orders
    assert book.best_levels() == ([0], [60])
    assert contents(after) != orders
    # A second one from the same, and one from what came of it.
    assert contents(change(book)) == contents(after)
    assert down(100, 99) in contents(after.added(down(100, 99)))
    assert down(100, 99) not in contents(after)


def test_orders_that_are_not_in_the_book_are_not_missed() -> None:
    orders = [down(1, 60, 5), down(2, 61)]
    assert contents(Book(1, orders).without([down(7, 60), down(8, 99)])) == orders


def test_an_order_is_found_with_what_is_left_of_it() -> None:
    book = Book(1, [down(1, 60, 5), down(2, 61), down(3, 61)]).taken([down(1, 60, 5)], 200)
    assert book.find(down(1, 60, 5)) == down(1, 60, 3)
    assert book.find(down(3, 61)) == down(3, 61)
    assert book.find(down(4, 61)) is None
    assert book.without([down(1, 60)]).find(down(1, 60)) is None


def test_a_queue_is_read_deeper_once_the_orders_read_are_gone() -> None:
    rows = Rows(down(order_id, 55) for order_id in range(1, 21))
    first = decide(EVEN, rows.book(8), buy(55, 20 + 7))
    assert ([fill.order.id for fill in first.met], rows.reads) == (list(range(1, 8)), 0)
    second = decide(first.after, first.book, buy(55, 5))
    assert ([fill.order.id for fill in second.met], rows.reads) == ([8, 9, 10, 11, 12], 1)
    assert [order.id for order in contents(second.book)] == list(range(13, 21))
    # Books that came before read no more either.
    again = decide(first.after, first.book, buy(55, 5))
    assert ([fill.order.id for fill in again.met], rows.reads) == ([8, 9, 10, 11, 12], 1)


def test_a_queue_is_read_further_as_far_as_it_is_met() -> None:
    rows = Rows((down(order_id, 55) for order_id in range(1, 41)), step=10)
    first = decide(EVEN, rows.book(3), buy(55, 20 + 8))
    assert ([fill.order.id for fill in first.met], rows.reads) == (list(range(1, 9)), 1)
    second = decide(first.after, first.book.without([down(12, 55)]).added(down(99, 55)), buy(55, 13))
    assert ([fill.order.id for fill in second.met], rows.reads) == ([9, 10, 11, *range(13, 23)], 3)
    assert [order.id for order in contents(second.book)] == [*range(23, 41), 99]
    assert rows.reads == 5
    # The books before it read nothing again.
    assert [order.id for order in contents(first.book)] == list(range(9, 41))
    assert rows.reads == 5


def test_what_lies_deeper_is_read_of_the_queues_that_are_used_up_alone() -> None:
    orders = [
        msgspec.structs.replace(down(10 * outcome + n, 55), outcome=outcome) for outcome in (0, 1, 2) for n in (1, 2)
    ]
    asked: list[list[QueueKey]] = []

    def read(queues: Collection[QueueKey]) -> tuple[list[Resting], list[QueueKey]]:
        asked.append(sorted(queues))
        return [order for order in orders if (order.outcome, order.is_up) in queues], []

    book = Book(3, orders[::2], [(outcome, False) for outcome in (0, 1, 2)], read)
    one_less = book.taken(orders[2:3], 100)
    assert one_less.best(1, is_up=False) == orders[3]
    assert asked == [[(1, False)]]
    # Those that are used up together are read together, and what was read once is not read again.
    rest = book.taken(orders[::2], 100)
    assert [rest.best(outcome, is_up=False) for outcome in (0, 1, 2)] == orders[1::2]
    assert asked == [[(1, False)], [(0, False), (2, False)]]


def test_an_order_that_joined_and_was_cancelled_is_not_read_again() -> None:
    """It stood in the rows by then: it came with an earlier batch."""
    rows = Rows(down(order_id, 55) for order_id in range(1, 5))
    book = rows.book(2).added(down(9, 55))
    rows.orders.append(down(9, 55))
    assert [order.id for order in contents(book.without([down(9, 55)]))] == [1, 2, 3, 4]


def test_an_order_that_joins_a_queue_read_in_part_waits_behind_those_not_read() -> None:
    rows = Rows(down(order_id, 55) for order_id in range(1, 5))
    book = rows.book(2).added(down(9, 55)).added(down(10, 54))
    met = decide(EVEN, book, buy(55, 100)).met
    assert [fill.order.id for fill in met] == [10, 1, 2, 3, 4, 9]
    assert rows.reads == 1


def test_what_was_cancelled_before_it_was_read_is_not_met() -> None:
    rows = Rows(down(order_id, 55) for order_id in range(1, 5))
    book = rows.book(2).without([down(3, 55), down(1, 55)])
    assert book.removed_unread == 1
    assert [order.id for order in contents(book)] == [2, 4]


def test_cancelling_all_that_was_read_reads_nothing_until_it_matters() -> None:
    rows = Rows(down(order_id, 55) for order_id in range(1, 5))
    book = rows.book(2).without([down(1, 55), down(2, 55)])
    assert rows.reads == 0
    # The last that was read does not come again: what is read later lies behind it.
    assert rows.book(2).without([down(2, 55)]).removed_unread == 0
    book = book.added(down(9, 54))
    assert (book.best(0, is_up=False), rows.reads) == (down(9, 54), 0)
    assert [order.id for order in contents(book)] == [9, 3, 4]
    assert rows.reads == 1


def test_a_book_read_in_part_without_a_way_to_read_the_rest_is_a_mistake() -> None:
    book = Book(1, [down(1, 55)], [(0, False)]).without([down(1, 55)])
    with pytest.raises(RuntimeError, match="read in part"):
        book.best(0, is_up=False)


class CountedOrders(list[Resting]):
    """A list of orders that no one may walk through."""

    def __iter__(self) -> None:  # type: ignore[override]
        raise AssertionError("walked through orders that were not met")


def test_orders_that_are_not_reached_are_not_walked_through() -> None:
    book = Book(1, [down(order_id, 90) for order_id in range(1, 1_001)])
    queue = book._queues[0]
    book._queues[0] = queue._replace(following=CountedOrders(queue.following))
    bet = Arrival(user_id=1, outcome=0, side=Side.YES, is_buy=True, terms=ArrivingBet(money_kopecks=500))
    decision = decide(EVEN, book, bet)
    assert decision.shares
    assert decision.book.best(0, is_up=False) == down(1, 90)
