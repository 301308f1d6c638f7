"""Many small orders: an order meets 100 of them, and a sweep stops after 50 pieces."""

from __future__ import annotations

from random import Random

import pytest

from foreknow.money.pricing import Side
from tests.money.pricing.cases import SIDES, Pool
from tests.support.lengths import LONG, length
from tests.trading.book.life import Life
from tests.trading.book.reference import Incoming, Waiting, goes_up


def pool_with_wall(random: Random, markets: int, *, up: bool, count: int, users: int) -> Life:
    """An even pool in which orders of one lot rest on one side of the price, of many levels and both kinds."""
    pool = Pool(10_000, (1,) * max(2, markets), (0,) * markets, (0,) * markets)
    life = Life(random, pool, users=users)
    percent = round(100 * life.market_maker.probability(0))
    for order_id in range(1, count + 1):
        away = random.choice((1, 1, 2, 3, 8))
        level, side = percent - away if up else percent + away, random.choice(SIDES)
        life.world.orders.append(
            Waiting(
                id=order_id,
                user=random.randrange(users),
                outcome=random.randrange(markets),
                side=side,
                buys=goes_up(side, buys=True) is up,
                price=level if side is Side.YES else 100 - level,
                left=100,
            )
        )
    life.next_id = count + 1
    life.read_book()
    return life


@LONG
@pytest.mark.parametrize("markets", [1, 2, 5])
@pytest.mark.parametrize("up", [True, False])
def test_orders_that_meet_a_wall_do_what_the_contract_says(markets: int, up: bool) -> None:
    capped = 0
    for seed in range(length(short=4, long=100)):
        random = Random(seed)
        users = random.choice((1, 5, 5, 1_000))
        life = pool_with_wall(random, markets, up=up, count=115 * markets, users=users)
        for kind in random.sample(("bet", "sale", "limit"), 3):
            outcome, side = random.randrange(markets), random.choice(SIDES)
            buys = kind == "bet" or (kind == "limit" and random.random() < 0.5)
            # An order of the wall's own direction meets sets.
            if goes_up(side, buys=buys) is up and (markets == 1 or random.random() < 0.5):
                side = Side.NO if side is Side.YES else Side.YES
            price = 95 if buys else 5
            order = Incoming("limit", 0, outcome, side, buys, 30_000, price, life.next_id)
            if kind != "limit":
                order = Incoming("bet" if kind == "bet" else "sale", 0, outcome, side, buys, 20_000)
            life.order(order)
        capped += life.seen["capped"]
    assert capped


@LONG
@pytest.mark.parametrize("markets", [1, 2, 5])
@pytest.mark.parametrize("up", [True, False])
def test_a_sweep_of_a_wall_goes_on_in_the_next(markets: int, up: bool) -> None:
    unfinished = 0
    for seed in range(length(short=4, long=100)):
        random = Random(seed)
        life = pool_with_wall(random, markets, up=up, count=70 * markets, users=1_000)
        for _ in range(3):
            outcome = random.randrange(markets)
            life.curve_trade(outcome, Side.NO if up else Side.YES, 20_000, is_swept=False)
            life.sweep()
            life.sweep()
        unfinished += life.seen["unfinished"]
    assert unfinished
