"""The house never loses more than it paid for a pool's liquidity, at first and later, whatever wins or is voided."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings

from foreknow.money.pricing import Lmsr, Side, loss_bound_kopecks, prior_weights
from tests.invariants.lives import HouseLost, Life, Subsidy
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS


@proves(
    "lifecycle: If i wins it loses at most b_0·ln(1/w_i) + Σ_k (b_k − b_{k−1})·ln(1/p_i at addition k): never "
    "more than it paid.",
    "decisions: (with liquidity added later: lifecycle.md).",
)
@LONG
@settings(max_examples=length(short=200, long=600))
@given(random=RANDOMS)
def test_no_life_of_trades_and_additions_costs_the_house_more_than_it_paid(random: Random) -> None:
    life = Life(random)
    life.live()
    assert life.paid_kopecks > 0


def first_price(lmsr: Lmsr, b: int) -> int:
    """The subsidy at the first prices instead of the present ones."""
    return math.ceil((b - lmsr.b) * math.log(sum(lmsr.weights) / min(lmsr.weights)))


def down(lmsr: Lmsr, b: int) -> int:
    return lmsr.subsidy_kopecks(b) - 2


def nothing(_lmsr: Lmsr, _b: int) -> int:
    return 0


@pytest.mark.parametrize("subsidy", [first_price, nothing, down])
def test_the_same_lives_find_out_a_subsidy_that_is_too_small(subsidy: Subsidy) -> None:
    with pytest.raises(HouseLost):
        live(20_000, subsidy)


def live(lives: int, subsidy: Subsidy) -> None:
    random = Random(23)
    for _ in range(lives):
        Life(random, subsidy).live()


@pytest.mark.parametrize("money", [100, 1_000, 10_000])
@pytest.mark.parametrize("raised", [1_001, 2_000, 10**9])
def test_who_buys_before_an_addition_and_sells_after_it_gains_at_most_the_old_bound(money: int, raised: int) -> None:
    """A gain is real, which the docs say: at most b·KL(p‖p₀) ≤ b·ln(1/min p₀), out of the new subsidy."""
    weights = prior_weights([0.5, 0.3, 0.2])
    fresh = Lmsr.of(b=1000, weights=weights, q_yes=(0, 0, 0), q_no=(0, 0, 0))
    bound = loss_bound_kopecks(b=1000, weights=weights)
    shares = fresh.shares_bought(2, Side.YES, money)
    moved = fresh.traded(2, Side.YES, shares)
    subsidy = moved.subsidy_kopecks(raised)
    received = moved.with_liquidity(raised).sale_payout_kopecks(2, Side.YES, shares)
    divergence = sum(p * math.log(p / q) for p, q in zip(moved.probabilities(), fresh.probabilities(), strict=True))
    assert received - money <= 1000 * divergence <= bound
    assert received <= bound + subsidy + money
    if raised == 10**9:
        # In a pool so deep the sale moves nothing: all of the bound is taken, less what rounding leaves.
        assert received - money == pytest.approx(1000 * divergence, abs=2)
        assert received > money
