"""Rules 7 and 8 of "Matching", and the limit of a token, by examples that can be followed with a pencil."""

from __future__ import annotations

import pytest

from foreknow.money.pricing import Q_LIMIT, Lmsr, Side
from foreknow.trading.book import Book, decide, sweep
from tests.trading.book.orders import ANN, BOB, EVEN, FOUR, NO, YES, bet, ids, limit, rests, sale

# 7: a hundred orders


def test_the_101st_order_is_not_met_and_the_rest_of_a_bet_goes_on_the_curve() -> None:
    book = Book(1, [rests(order_id, NO, 55 if order_id <= 100 else 60, 1) for order_id in range(1, 103)])
    decision = decide(EVEN, book, bet(YES, 20_000))
    assert len(decision.met) == 100
    assert decision.is_capped
    assert decision.money_kopecks == 20_000
    # No piece to the 101st: one to 55 %, one for the rest.
    first = EVEN.shares_to_percent(0, YES, 55)
    left = 20_000 - EVEN.cost_kopecks(0, YES, first) - 100 * 55
    assert decision.shares == first + 10_000 + EVEN.traded(0, YES, first).shares_bought(0, YES, left)


def test_the_rest_of_a_capped_limit_order_neither_rests_nor_takes_more() -> None:
    book = Book(1, [rests(order_id, NO, 55 if order_id <= 100 else 60, 1) for order_id in range(1, 103)])
    decision = decide(EVEN, book, limit(YES, 70, 500, order_id=200))
    assert decision.is_capped
    assert decision.shares == 2_000 + 10_000
    assert decision.rest_shares == 50_000 - 12_000
    assert decision.resting is None
    # A hundred are no more than it may meet.
    assert not decide(EVEN, book, limit(YES, 59, 500, order_id=200)).is_capped


def test_own_orders_count_among_the_hundred() -> None:
    orders = [rests(order_id, NO, 55, 1, user=ANN if order_id % 2 else BOB) for order_id in range(1, 102)]
    decision = decide(EVEN, Book(1, orders), bet(YES, 20_000))
    assert (len(decision.met), len(decision.cancelled)) == (50, 50)
    assert decision.is_capped


def test_a_set_that_would_be_one_too_many_is_not_met_at_all() -> None:
    lmsr = FOUR.traded(0, YES, 1_200_000)
    small = [rests(order_id, NO, 51, 1, outcome=0) for order_id in range(1, 100)]
    ups = [rests(100, YES, 24, 5, outcome=1), rests(101, YES, 24, 5, outcome=3)]
    decision = decide(lmsr, Book(4, [*small, *ups]), limit(YES, 60, 5_000))
    assert len(decision.met) == 99
    assert decision.is_capped
    # One of them less, and it is.
    assert len(decide(lmsr, Book(4, [*small[1:], *ups]), limit(YES, 60, 5_000)).met) == 100


def test_an_order_met_in_several_sets_counts_once() -> None:
    lmsr = FOUR.traded(0, YES, 1_200_000)
    for count, is_capped in ((99, False), (100, True)):
        small = [rests(order_id, YES, 24, 1, outcome=3) for order_id in range(2, count + 2)]
        decision = decide(lmsr, Book(4, [rests(1, YES, 24, 200, outcome=1), *small]), limit(YES, 52, 200))
        assert len(decision.met) == 100
        assert decision.met[0].shares == 99 * 100
        assert decision.is_capped == is_capped


# 8: the sweep


def test_a_sweep_begins_after_the_orders_market_and_goes_round() -> None:
    """A bet against the second outcome makes all others dear."""
    book = Book(4, [rests(10 + outcome, NO, 26, 1, outcome=outcome) for outcome in (0, 2)])
    decision = decide(FOUR, book, bet(NO, 200_000, outcome=1))
    assert ids(decision.swept) == [(12, 1), (10, 1)]
    assert decision.met == []
    after = FOUR.traded(1, NO, decision.shares)
    assert decision.swept[0].money_kopecks == after.cost_kopecks(2, NO, 100)
    result = sweep(after, book, after_outcome=None)
    assert ids(result.swept) == [(10, 1), (12, 1)]
    assert result.is_finished


def test_an_order_in_a_sweep_takes_as_many_lots_as_its_limit_allows_in_one_piece() -> None:
    cheap = EVEN.traded(0, NO, 6_000)
    lots = cheap.shares_to_percent(0, YES, 45) // 100
    book = Book(1, [rests(1, YES, 45, 3), rests(2, YES, 45, 10 * lots), rests(3, YES, 44, 5)])
    result = sweep(cheap, book, after_outcome=None)
    assert ids(result.swept) == [(1, 3), (2, lots - 3)]
    assert result.swept[1].money_kopecks == cheap.traded(0, YES, 300).cost_kopecks(0, YES, 100 * (lots - 3))
    assert result.book.find(book.best(0, is_up=True) or rests(0, YES, 1, 1)) is None


def test_what_one_order_takes_lets_orders_of_other_markets_follow() -> None:
    """The first is cheap; what its order takes brings the others from 26.7 % to 25, below the limit of the next."""
    lmsr = Lmsr.of(b=30_000, weights=(20, 26, 27, 27), q_yes=(0,) * 4, q_no=(0,) * 4)
    orders = [rests(1, YES, 25, 500, outcome=0), rests(2, YES, 25, 500, outcome=1)]
    alone = sweep(lmsr, Book(4, orders[1:]), after_outcome=None)
    assert alone.swept == []
    result = sweep(lmsr, Book(4, orders), after_outcome=None)
    # Each makes the other cheaper, so the first has a second turn: its fill is one all the same.
    assert [fill.order.id for fill in result.swept] == [1, 2]
    assert result.swept[0].shares > lmsr.shares_to_percent(0, YES, 25) // 100 * 100


@pytest.mark.parametrize("side", [YES, NO])
@pytest.mark.parametrize("away", [1_000, 199, 99])
def test_the_last_lot_before_a_limit_is_taken_however_near_it_is(side: Side, away: int) -> None:
    """In a pool as deep as there are any, ten lots are less than a millionth of a percent."""
    deep = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(0,), q_no=(0,)).traded(0, side, -away)
    result = sweep(deep, Book(1, [rests(1, side, 50, 50)]), after_outcome=None)
    assert ids(result.swept) == ([(1, away // 100)] if away >= 100 else [])


def test_a_resting_sale_is_swept_for_the_floor() -> None:
    dear = EVEN.traded(0, YES, 6_000)
    result = sweep(dear, Book(1, [rests(1, YES, 60, 2, is_buy=False)]), after_outcome=0)
    assert ids(result.swept) == [(1, 2)]
    assert result.swept[0].money_kopecks == dear.sale_payout_kopecks(0, YES, 200)
    assert result.after.q(0) == (5_800, 0)


def test_an_order_that_traded_nothing_is_not_followed() -> None:
    cheap = EVEN.traded(0, NO, 6_000)
    book = Book(1, [rests(1, YES, 45, 3)])
    decision = decide(cheap, book, limit(YES, 10, 10, order_id=9))
    assert (decision.shares, decision.swept) == (0, [])
    assert decision.resting == rests(9, YES, 10, 10, user=ANN)


def test_a_sweep_stops_after_50_pieces_and_the_next_goes_on() -> None:
    cheap = EVEN.traded(0, NO, 10_000)
    book = Book(1, [rests(order_id, YES, 45, 1) for order_id in range(1, 62)])
    result = sweep(cheap, book, after_outcome=None)
    assert ids(result.swept) == [(order_id, 1) for order_id in range(1, 51)]
    assert not result.is_finished
    result = sweep(result.after, result.book, after_outcome=None)
    assert ids(result.swept)[0] == (51, 1)
    assert result.is_finished


# The limit of a token


def test_an_order_beyond_the_limit_of_its_token_is_refused() -> None:
    full = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT - 100,), q_no=(Q_LIMIT,))
    assert not decide(full, Book(1), limit(YES, 90, 1)).exceeds_limit
    assert decide(full, Book(1), limit(YES, 90, 2)).exceeds_limit


def test_a_maker_beyond_the_limit_of_its_token_refuses_the_order() -> None:
    full = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT - 900,), q_no=(Q_LIMIT - 100,))
    for lots, exceeds in ((1, False), (2, True)):
        book = Book(1, [rests(1, NO, 49, lots)])
        decision = decide(full, book, limit(YES, 49, lots))
        assert ids(decision.met) == [(1, lots)]
        assert decision.exceeds_limit == exceeds
        assert book.best(0, is_up=False) == rests(1, NO, 49, lots)


def test_the_sweep_cancels_an_order_beyond_the_limit_of_its_token_and_goes_on() -> None:
    full = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT - 100,), q_no=(Q_LIMIT,))
    book = Book(1, [rests(1, YES, 90, 2), rests(2, YES, 90, 1), rests(3, NO, 80, 2, is_buy=False)])
    result = sweep(full, book, after_outcome=None)
    assert [(one.order.id, one.reason) for one in result.cancelled] == [(1, "market_limit")]
    assert ids(result.swept) == [(2, 1), (3, 2)]
    assert result.is_finished


def test_an_order_cancelled_at_the_limit_counts_as_a_piece() -> None:
    full = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT,), q_no=(Q_LIMIT,))
    book = Book(1, [rests(order_id, YES, 90, 1) for order_id in range(1, 52)])
    result = sweep(full, book, after_outcome=None)
    assert len(result.cancelled) == 50
    assert result.book.best(0, is_up=True) == rests(51, YES, 90, 1)


def test_a_decision_names_what_its_sweep_cancelled_too() -> None:
    full = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT - 100,), q_no=(Q_LIMIT,))
    waiting = rests(1, YES, 90, 2)
    decision = decide(full, Book(1, [waiting]), sale(NO, 1))
    assert [(one.order, one.reason) for one in decision.cancelled] == [(waiting, "market_limit")]
