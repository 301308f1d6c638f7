"""The order book: the ladder, and what resting orders and sets offer at each whole percent."""

from __future__ import annotations

from random import Random

import pytest

from foreknow.money.pricing import DepthLevel, Lmsr, Side
from foreknow.trading.book import order_book
from foreknow.trading.book.queues import QueueLevels
from tests.money.pricing.cases import Pool
from tests.support.lengths import LONG, length
from tests.trading.book.reference import Waiting, World, level

Queues = dict[tuple[int, bool], QueueLevels]
EMPTY: tuple[list[DepthLevel], list[DepthLevel]] = ([], [])


def offers(queues: Queues, *, outcome: int = 0, markets: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What is offered beside the ladder: (percent, lots) of bids and asks."""
    bids, asks = order_book(EMPTY, queues, outcome=outcome, markets=markets)
    return tuple([(bps // 100, shares // 100) for bps, shares in side] for side in (bids, asks))  # type: ignore[return-value]


def test_resting_orders_are_added_to_the_ladder() -> None:
    ladder = ([DepthLevel(4_900, 70), DepthLevel(4_800, 71)], [DepthLevel(5_100, 72)])
    queues: Queues = {(0, True): [(49, 300), (47, 100)], (0, False): [(51, 500), (60, 200)]}
    assert order_book(ladder, queues, outcome=0, markets=1) == (
        [DepthLevel(4_900, 370), DepthLevel(4_800, 71), DepthLevel(4_700, 100)],
        [DepthLevel(5_100, 572), DepthLevel(6_000, 200)],
    )


def test_without_resting_orders_it_is_the_ladder() -> None:
    ladder = Lmsr.of(b=10_000, weights=(1, 2, 3), q_yes=(0,) * 3, q_no=(0,) * 3).depth(1)
    assert order_book(ladder, {}, outcome=1, markets=3) == ladder


def test_sets_are_offered_one_after_the_other() -> None:
    queues: Queues = {(1, True): [(30, 300), (20, 500)], (2, True): [(25, 400)]}
    # 45 until the first level is used up, then 55, then, with one market left, 80; those of a market are its bids.
    assert offers(queues, markets=3) == ([], [(45, 3), (55, 1), (80, 4)])
    assert offers(queues, outcome=1, markets=3) == ([(30, 3), (20, 5)], [(75, 4)])


def test_a_bid_of_a_set_needs_every_other_market() -> None:
    queues: Queues = {(1, False): [(30, 300), (40, 500)], (2, False): [(45, 400)]}
    assert offers(queues, markets=3) == ([(25, 3), (15, 1)], [])
    assert offers(queues, markets=4) == ([], [])
    assert offers({(0, False): [(30, 300)]}, markets=1) == ([], [(30, 3)])


def test_a_price_of_a_set_below_1_is_none() -> None:
    queues: Queues = {(1, False): [(50, 300), (99, 500)], (2, False): [(49, 300), (51, 100)]}
    assert offers(queues, markets=3) == ([(1, 3)], [])
    assert offers({(1, True): [(60, 300)], (2, True): [(40, 300)]}, markets=3) == ([], [])


@LONG
@pytest.mark.parametrize("up", [True, False])
def test_what_is_offered_is_what_orders_of_one_lot_would_meet(up: bool) -> None:
    """Each set that is there is met, and then the next, as an order with no limit of its own would."""
    for seed in range(length(short=200, long=5_000)):
        random = Random(seed)
        markets = random.randint(1, 5)
        world = resting_world(random, markets)
        queues: Queues = {}
        for order in sorted(world.orders, key=lambda order: -level(order) if order.side is Side.YES else level(order)):
            key = (order.outcome, order.side is Side.YES)
            queues[key] = [*queues.get(key, []), (level(order), order.left)]
        bids, asks = order_book(EMPTY, queues, outcome=0, markets=markets)
        met: dict[int, int] = {}
        while (offer := world.resting(0, up=up)) is not None:
            percent, orders = offer
            met[percent] = met.get(percent, 0) + 100
            for order in orders:
                order.left -= 100
                if not order.left:
                    world.orders.remove(order)
        assert {bps // 100: shares for bps, shares in (asks if up else bids)} == met


def resting_world(random: Random, markets: int) -> World:
    """Orders that rest uncrossed: buys of YES below, buys of NO above an even price."""
    orders = []
    percent = 100 // max(2, markets)
    for order_id in range(random.randint(0, 12)):
        side = random.choice((Side.YES, Side.NO))
        away = random.randint(1, 40)
        at = max(1, percent - away) if side is Side.YES else min(99, percent + away)
        price = at if side is Side.YES else 100 - at
        lots = random.randint(1, 4)
        orders.append(Waiting(order_id, 1, random.randrange(markets), side, True, price, 100 * lots))
    return World(Pool(100, (1,) * max(2, markets), (0,) * markets, (0,) * markets), orders)
