"""What a number of shares costs, and how many there are up to a price: the orders of a book ask both."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from foreknow.money.pricing import Lmsr, Side, prior_weights
from tests.money.pricing.cases import SIDES, Pool, draw_amount, draw_pool
from tests.money.pricing.reference import Reference
from tests.support.randoms import RANDOMS

EVEN = Lmsr.of(b=100_000, weights=(1, 1), q_yes=(0,), q_no=(0,))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_the_cost_is_the_least_that_covers_the_shares(random: Random) -> None:
    pool = draw_pool(random)
    lmsr, reference = pool.lmsr(), Reference(pool)
    for side in SIDES:
        outcome = random.randrange(len(pool.q_yes))
        shares = draw_amount(random, pool, outcome, 10**15)
        cost = lmsr.cost_kopecks(outcome, side, shares)
        assert cost == reference.cost_kopecks(outcome, side, shares)
        assert lmsr.shares_bought(outcome, side, cost) >= shares > lmsr.shares_bought(outcome, side, cost - 1)


@pytest.mark.parametrize("apart", [1, 700, 10**6, 10**15])
@pytest.mark.parametrize("b", [100, 12_345, 10**12])
def test_a_whole_cost_is_not_rounded_up(b: int, apart: int) -> None:
    """Between two equal outcomes `apart` shares from each other, twice as many shares cost `apart`."""
    behind = Lmsr.of(b=b, weights=(1, 1), q_yes=(0,), q_no=(apart,))
    assert behind.cost_kopecks(0, Side.YES, 2 * apart) == apart
    assert behind.cost_kopecks(0, Side.YES, 2 * apart + 1) == apart + 1


@pytest.mark.parametrize("side", SIDES)
def test_no_shares_cost_nothing_and_the_surest_cost_all_they_may_pay(side: Side) -> None:
    assert EVEN.cost_kopecks(0, side, 0) == 0
    assert EVEN.cost_kopecks(0, side, 1) == 1
    sure = EVEN.traded(0, side, 10**15)
    assert sure.cost_kopecks(0, side, 10**15) == 10**15


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_shares_to_a_percent_are_the_exact_floor(random: Random) -> None:
    pool = draw_pool(random)
    lmsr, reference = pool.lmsr(), Reference(pool)
    for side in SIDES:
        outcome, percent = random.randrange(len(pool.q_yes)), random.randint(1, 99)
        shares = lmsr.shares_to_percent(outcome, side, percent)
        assert shares == reference.shares_to_price(outcome, side, percent)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("percent", [1, 2, 50, 98, 99])
def test_a_price_on_the_percent_leaves_no_share_to_it(percent: int, side: Side) -> None:
    weights = (percent, 100 - percent) if side is Side.YES else (100 - percent, percent)
    even = Lmsr.of(b=12_345, weights=weights, q_yes=(0,), q_no=(0,))
    raised = Lmsr.of(b=1_000, weights=weights, q_yes=(0,), q_no=(0,)).with_liquidity(1_700)
    for lmsr in (even, raised):
        assert lmsr.shares_to_percent(0, side, percent) == 0
        assert lmsr.traded(0, side, 1).shares_to_percent(0, side, percent) == -1
        assert lmsr.traded(0, side, -7).shares_to_percent(0, side, percent) == 7


@pytest.mark.parametrize("percent", [1, 50, 99])
def test_a_third_outcome_however_unlikely_takes_the_price_off_the_percent(percent: int) -> None:
    lmsr = Lmsr.of(b=12_345, weights=(percent, 100 - percent, 1), q_yes=(0,) * 3, q_no=(0, 0, 10**15))
    assert lmsr.shares_to_percent(0, Side.YES, percent) == 0
    assert lmsr.shares_to_percent(0, Side.NO, 100 - percent) == -1


def test_as_many_shares_of_the_other_side_can_be_sold() -> None:
    pool = Pool(1_000, prior_weights([0.2, 0.3, 0.5]), (0, 0, 0), (0, 0, 900))
    shares = pool.lmsr().shares_to_percent(2, Side.YES, 40)
    assert shares > 0
    for sold, is_within in ((shares, True), (shares + 1, False)):
        after = pool.lmsr().traded(2, Side.NO, -sold)
        assert (after.shares_to_percent(2, Side.YES, 40) >= 0) == is_within
