"""Rules 1 to 6 of "Matching" by examples that can be followed with a pencil."""

from __future__ import annotations

import pytest

from foreknow.money.pricing import Lmsr, Side
from foreknow.trading.book import Book, MakerFill, decide
from tests.trading.book.orders import ANN, EVEN, FOUR, NO, YES, bet, ids, limit, rests, sale

# 1: who is better


@pytest.mark.parametrize("kind", [(YES, False), (NO, True)])
def test_a_better_level_comes_first_then_the_lower_id(kind: tuple[Side, bool]) -> None:
    side, is_buy = kind
    levels = {1: 61, 2: 60, 3: 60, 4: 59}
    book = Book(1, [rests(order_id, side, level, 1, is_buy=is_buy) for order_id, level in levels.items()])
    assert ids(decide(EVEN, book, limit(YES, 70, 100)).met) == [(4, 1), (2, 1), (3, 1), (1, 1)]


@pytest.mark.parametrize("kind", [(YES, True), (NO, False)])
def test_of_up_orders_the_higher_level_is_better(kind: tuple[Side, bool]) -> None:
    side, is_buy = kind
    levels = {1: 39, 2: 40, 3: 40, 4: 41}
    book = Book(1, [rests(order_id, side, level, 1, is_buy=is_buy) for order_id, level in levels.items()])
    assert ids(decide(EVEN, book, limit(NO, 30, 100)).met) == [(4, 1), (2, 1), (3, 1), (1, 1)]


# 2: the resting price


def test_an_up_order_meets_a_set_of_the_best_up_orders_of_all_other_markets_that_have_one() -> None:
    book = Book(4, [rests(1, YES, 24, 5, outcome=1), rests(2, YES, 24, 5, outcome=3), rests(3, YES, 23, 5, outcome=3)])
    decision = decide(FOUR, book, limit(YES, 52, 5))
    # Its price is 100 − 24 − 24; no one bets on the third outcome, whose shares stay with the pool.
    assert ids(decision.met) == []
    decision = decide(FOUR.traded(0, YES, 1_200_000), book, limit(YES, 52, 5))
    assert ids(decision.met) == [(1, 5), (2, 5)]
    assert decision.money_kopecks == 5 * 52


def test_a_down_order_needs_a_down_order_in_every_other_market() -> None:
    downs = [rests(outcome, NO, 26, 5, outcome=outcome) for outcome in (1, 2, 3)]
    book = Book(4, downs)
    # It sells YES of the first at 100 − 26 − 26 − 26.
    decision = decide(FOUR.traded(0, NO, 200_000), book, sale(YES, 500))
    assert ids(decision.met) == [(1, 5), (2, 5), (3, 5)]
    assert decision.money_kopecks == 5 * 22
    assert decide(FOUR.traded(0, NO, 200_000), Book(4, downs[:2]), sale(YES, 500)).met == []


def test_the_cheaper_of_order_and_set_is_met_and_of_equals_the_order() -> None:
    lmsr = Lmsr.of(b=10**6, weights=(1, 1), q_yes=(0, 0), q_no=(0, 0))
    other = rests(1, YES, 45, 5, outcome=1)
    for level, first in ((54, 2), (55, 2), (56, 1)):
        book = Book(2, [other, rests(2, YES, level, 5, is_buy=False)])
        assert decide(lmsr, book, limit(YES, 60, 5000)).met[0].order.id == first


def test_a_down_order_meets_the_dearer_and_of_equals_the_order() -> None:
    lmsr = Lmsr.of(b=10**6, weights=(1, 1), q_yes=(0, 0), q_no=(0, 0))
    other = rests(1, NO, 55, 5, outcome=1)
    for level, first in ((46, 2), (45, 2), (44, 1)):
        book = Book(2, [other, rests(2, YES, level, 5)])
        assert decide(lmsr, book, sale(YES, 500_000)).met[0].order.id == first


def test_orders_of_no_price_between_1_and_99_make_no_set() -> None:
    """Up orders of 60 and 40 would give YES of the third outcome away."""
    book = Book(3, [rests(1, YES, 60, 5, outcome=1), rests(2, YES, 40, 5, outcome=2)])
    assert book.resting_price(0, is_up=True) is None
    assert Book(1).resting_price(0, is_up=True) is Book(1).resting_price(0, is_up=False) is None


# 3: turns


def test_a_bet_takes_the_curve_to_the_resting_price_then_lots_and_the_rest_goes_on_the_curve() -> None:
    book = Book(1, [rests(1, NO, 60, 3)])
    decision = decide(EVEN, book, bet(YES, 3_000))
    to_60 = EVEN.shares_to_percent(0, YES, 60)
    assert to_60 == 4_054
    left = 3_000 - EVEN.cost_kopecks(0, YES, to_60) - 3 * 60
    on_the_curve = EVEN.traded(0, YES, to_60).shares_bought(0, YES, left)
    assert decision.shares == to_60 + 300 + on_the_curve
    assert decision.money_kopecks == 3_000
    assert decision.met == [MakerFill(order=rests(1, NO, 60, 3), shares=300, money_kopecks=3 * 40)]
    assert decision.after.q(0) == (decision.shares, 300)


def test_a_bet_that_pays_for_no_lot_passes_the_resting_price() -> None:
    cost = EVEN.cost_kopecks(0, YES, 4_054)
    book = Book(1, [rests(1, NO, 60, 3)])
    for money_kopecks, lots in ((cost + 59, 0), (cost + 60, 1), (cost + 119, 1), (cost + 120, 2)):
        decision = decide(EVEN, book, bet(YES, money_kopecks))
        assert sum(fill.shares for fill in decision.met) == 100 * lots
        assert decision.money_kopecks == money_kopecks
        if not lots:
            assert decision.shares == EVEN.shares_bought(0, YES, money_kopecks)


def test_a_sale_sells_lots_at_the_resting_price_and_the_rest_on_the_curve() -> None:
    book = Book(1, [rests(1, YES, 40, 3)])
    for shares, lots in ((4_153, 0), (4_154, 1), (4_353, 2), (5_000, 3)):
        decision = decide(EVEN, book, sale(YES, shares))
        assert sum(fill.shares for fill in decision.met) == 100 * lots
        assert decision.shares == shares
        on_the_curve = EVEN.traded(0, YES, -4_054).sale_payout_kopecks(0, YES, shares - 4_054 - 100 * lots)
        if lots:
            assert decision.money_kopecks == EVEN.sale_payout_kopecks(0, YES, 4_054) + 40 * lots + on_the_curve
        else:
            assert decision.money_kopecks == EVEN.sale_payout_kopecks(0, YES, shares)


def test_a_limit_order_takes_whole_lots_of_the_curve() -> None:
    decision = decide(EVEN, Book(1), limit(YES, 60, 50, order_id=9))
    assert decision.shares == 4_000
    assert decision.rest_shares == 1_000
    assert decision.resting == rests(9, YES, 60, 10, user=ANN)
    # Lots end before the resting price, the last piece at its own limit.
    book = Book(1, [rests(1, NO, 55, 3)])
    decision = decide(EVEN, book, limit(YES, 60, 100))
    assert ids(decision.met) == [(1, 3)]
    assert decision.shares == 2_000 + 300 + 2_000
    assert (decision.rest_shares, decision.resting) == (10_000 - 4_300, None)


def test_a_limit_order_meets_no_one_past_its_limit() -> None:
    book = Book(1, [rests(1, NO, 55, 3), rests(2, NO, 56, 3)])
    for level, met in ((54, []), (55, [(1, 3)]), (56, [(1, 3), (2, 3)])):
        assert ids(decide(EVEN, book, limit(YES, level, 100)).met) == met


def test_a_market_past_the_resting_price_gives_no_piece() -> None:
    """As where sweeps have not come to their end."""
    past = EVEN.traded(0, YES, 6_000)
    decision = decide(past, Book(1, [rests(1, NO, 55, 3)]), limit(YES, 55, 3))
    assert ids(decision.met) == [(1, 3)]
    assert decision.money_kopecks == 3 * 55


# 4 and 5: money and shares


@pytest.mark.parametrize("maker", [(YES, False), (NO, True)])
@pytest.mark.parametrize("taker", [(YES, True), (NO, False)])
def test_all_trade_with_the_pool_at_the_resting_price(maker: tuple[Side, bool], taker: tuple[Side, bool]) -> None:
    """Who buys YES at 55 pays 55 a lot, who sells NO gets 45; their counterparts likewise."""
    decision = decide(
        EVEN.traded(0, YES, 2_000),
        Book(1, [rests(1, maker[0], 55, 2, is_buy=maker[1])]),
        limit(taker[0], 55, 2, is_buy=taker[1]),
    )
    assert decision.money_kopecks == 2 * (55 if taker[1] else 45)
    assert decision.met[0].money_kopecks == 2 * (45 if maker[1] else 55)
    yes = 200 * ((taker[0] is YES) - (maker[0] is YES))
    no = 200 * ((maker[0] is NO) - (taker[0] is NO))
    assert decision.after.q(0) == (2_000 + yes, no)
    # The price did not move: as many went up as down.
    assert decision.after.probability(0) == EVEN.traded(0, YES, 2_000).probability(0)


def test_a_set_pays_for_all_outcomes_and_the_pool_keeps_those_without_an_order() -> None:
    lmsr = FOUR.traded(0, YES, 1_200_000)
    book = Book(4, [rests(1, YES, 24, 5, outcome=1), rests(2, NO, 24, 5, is_buy=False, outcome=3)])
    decision = decide(lmsr, book, limit(YES, 52, 5))
    assert decision.after.q_yes == (1_200_500, 500, 0, 0)
    assert decision.after.q_no == (0, 0, 0, -500)
    # 52 and 24 a lot come in, 76 go out: 100 a lot, NO being worth 100 with YES.
    assert decision.money_kopecks + decision.met[0].money_kopecks - decision.met[1].money_kopecks == 5 * (52 + 24 - 76)


# 6: own orders


def test_own_orders_are_cancelled_before_the_turn_and_the_turn_is_found_again() -> None:
    own = [rests(1, NO, 55, 5, user=ANN), rests(3, NO, 58, 5, user=ANN)]
    book = Book(1, [*own, rests(2, NO, 57, 5)])
    decision = decide(EVEN, book, limit(YES, 57, 32))
    assert ids(decision.met) == [(2, 4)]
    assert [(one.order, one.reason) for one in decision.cancelled] == [(own[0], "self_trade")]
    # The one beyond its limit stays.
    assert decision.book.find(own[1]) == own[1]
    assert book.find(own[0]) == own[0]


def test_own_orders_of_a_set_are_cancelled_and_the_others_stay() -> None:
    lmsr = FOUR.traded(0, YES, 1_300_000)
    own = rests(1, YES, 24, 5, outcome=1, user=ANN)
    book = Book(4, [own, rests(2, YES, 24, 5, outcome=3), rests(3, YES, 23, 5, outcome=1)])
    decision = decide(lmsr, book, limit(YES, 53, 5))
    assert [one.order for one in decision.cancelled] == [own]
    assert ids(decision.met) == [(3, 5), (2, 5)]
    assert decision.money_kopecks == 5 * 53


def test_an_own_order_that_no_turn_would_meet_is_left_alone() -> None:
    own = rests(1, NO, 60, 5, user=ANN)
    decision = decide(EVEN, Book(1, [own]), bet(YES, EVEN.cost_kopecks(0, YES, 4_054) + 59))
    assert decision.cancelled == []
    assert decision.book.find(own) == own
