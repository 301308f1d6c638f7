"""Pools, orders and operations for the tests of the book, and the book's words in those of the reference."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from random import Random

from foreknow.money.pricing import Lmsr, Side, prior_weights
from foreknow.trading.book import (
    Arrival,
    ArrivingBet,
    ArrivingLimit,
    ArrivingSale,
    Book,
    MakerFill,
    QueueKey,
    Resting,
)
from tests.money.pricing.cases import LIMIT, SIDES, Pool, draw_prior
from tests.trading.book.reference import Fill, Incoming, Waiting, level


def draw_pool(random: Random, markets_max: int = 10) -> Pool:
    """A pool in which a lot moves the price by some percent, or by little."""
    markets = random.choice((1, 2, 2, 3, 3, 4, random.randint(2, markets_max)))
    b = random.choice((100, 300, 1_000, 1_000, 3_000, 10_000, 10**6))
    weights = prior_weights(draw_prior(random, markets))
    if random.random() < 0.1:
        # An order or two reach the limit of shares sold.
        q_yes, q_no = (tuple(LIMIT - random.randint(0, 3_000) for _ in range(markets)) for _ in SIDES)
        return Pool(10**6, weights, q_yes, q_no)
    none = (0,) * markets
    return Pool(b, weights, none, none)


def draw_percent(random: Random, lmsr: Lmsr, outcome: int, side: Side) -> int:
    """A price of a side, mostly near its own."""
    probability = lmsr.probability(outcome)
    percent = round(100 * (probability if side is Side.YES else 1 - probability))
    away = random.choice((0, 1, 2, 3, 10, 99))
    return min(99, max(1, percent + random.randint(-away, away)))


def draw_incoming(random: Random, lmsr: Lmsr, order_id: int, users: int) -> Incoming:
    outcome = random.randrange(len(lmsr.q_yes))
    side = random.choice(SIDES)
    kind = random.choice(("bet", "sale", "limit", "limit", "limit", "limit"))
    lots = random.choice((1, 1, 2, 3, 10, 30))
    order = Incoming(
        kind="limit",
        user=random.randrange(users),
        outcome=outcome,
        side=side,
        buys=random.random() < 0.6,
        amount=100 * lots,
        price=draw_percent(random, lmsr, outcome, side),
        id=order_id if random.random() < 0.8 else None,
    )
    if kind == "limit":
        return order
    amount = random.randint(1, 100 * lots)
    return Incoming(
        kind="bet" if kind == "bet" else "sale",
        user=order.user,
        outcome=outcome,
        side=side,
        buys=kind == "bet",
        amount=amount,
    )


def arrival(order: Incoming) -> Arrival:
    """The order as the book knows it."""
    terms: ArrivingBet | ArrivingSale | ArrivingLimit
    if order.kind == "bet":
        terms = ArrivingBet(money_kopecks=order.amount)
    elif order.kind == "sale":
        terms = ArrivingSale(shares=order.amount)
    else:
        assert order.price is not None
        price_of_yes = order.price if order.side is Side.YES else 100 - order.price
        terms = ArrivingLimit(shares=order.amount, level_percent=price_of_yes, rests=order.id is not None)
    return Arrival(
        order_id=order.id,
        user_id=order.user,
        outcome=order.outcome,
        side=order.side,
        is_buy=order.buys,
        terms=terms,
    )


def resting(order: Waiting) -> Resting:
    """An open order as the book knows it."""
    return Resting(
        id=order.id,
        user_id=order.user,
        outcome=order.outcome,
        side=order.side,
        is_buy=order.buys,
        level_percent=level(order),
        shares=order.left,
    )


def book_of(random: Random, orders: Iterable[Waiting], markets: int) -> Book:
    """A book of these orders; of some queues the best alone, and the others only once they are wanted."""
    found = [resting(order) for order in orders]
    random.shuffle(found)
    if random.random() < 0.5:
        return Book(markets, found)
    best_count = random.randint(1, 3)
    queues: dict[tuple[int, bool], list[Resting]] = {}
    for order in sorted(found, key=lambda order: order.place):
        queues.setdefault((order.outcome, order.is_up), []).append(order)
    read = [order for queue in queues.values() for order in queue[:best_count]]
    truncated = [key for key, queue in queues.items() if len(queue) >= best_count]
    step = random.choice((1, 3, 1_000))
    counts = dict.fromkeys(queues, best_count)

    def read_deeper(wanted: Collection[QueueKey]) -> tuple[list[Resting], list[QueueKey]]:
        deeper = [order for key in wanted for order in queues[key][: counts[key]]]
        random.shuffle(deeper)
        more = [key for key in wanted if len(queues[key]) >= counts[key]]
        counts.update((key, counts[key] + step) for key in wanted)
        return deeper, more

    return Book(markets, read, truncated, read_deeper)


def contents(book: Book) -> list[Resting]:
    """All orders of a book, queue by queue from the best on."""
    found = []
    for outcome in range(book.markets):
        for is_up in (False, True):
            while (best := book.best(outcome, is_up=is_up)) is not None:
                found.append(best)
                book = book.without((best,))
    return found


def fills(makers: Iterable[MakerFill]) -> list[Fill]:
    """Fills as the reference counts them."""
    return [Fill(maker.order.id, maker.shares, maker.money_kopecks) for maker in makers]
