"""Fractions are the decimals people write; amounts are rounded exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreknow.money.pricing import (
    average_price_bps,
    exact_fraction,
    fee_kopecks,
    fee_on_top_kopecks,
    loss_bound_kopecks,
    prior_weights,
    settlement_kopecks,
)
from tests.money.pricing import reference
from tests.support.proofs import proves


@proves("decisions: means the shortest decimal that reads as the same double")
@pytest.mark.parametrize(
    ("double", "fraction"),
    [
        (0.07, Fraction(7, 100)),
        (0.1, Fraction(1, 10)),
        (1e-5, Fraction(1, 10**5)),
        (0.0, Fraction(0)),
        (1, Fraction(1)),
    ],
)
def test_a_fraction_is_what_was_written(double: float, fraction: Fraction) -> None:
    assert exact_fraction(double) == fraction


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_fraction_reads_back_as_the_same_double(double: float) -> None:
    assert float(exact_fraction(double)) == double


@pytest.mark.parametrize("double", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_fraction(double: float) -> None:
    with pytest.raises(ValueError, match="Invalid literal"):
        exact_fraction(double)


@proves("decisions: so a margin of 0.07 on 100 is 7 and a payout of 0.29 on 100 shares is 29")
def test_seven_percent_of_a_hundred_is_seven() -> None:
    assert fee_kopecks(stake_kopecks=100, margin=0.07) == 7
    assert settlement_kopecks(shares=100, payout=exact_fraction(0.29)) == 29


@pytest.mark.parametrize(
    ("stake", "margin", "fee"),
    [(100, 0.0, 0), (101, 0.07, 8), (1, 0.0001, 1), (1, 0.5, 1), (9 * 10**15, 0.1, 9 * 10**14), (10**15, 1e-15, 1)],
)
def test_a_fee_is_rounded_up(stake: int, margin: float, fee: int) -> None:
    assert fee_kopecks(stake_kopecks=stake, margin=margin) == fee


@given(stake=st.integers(1, 9 * 10**15), margin=st.floats(0, 0.5, allow_subnormal=False))
def test_a_fee_is_the_exact_ceiling(stake: int, margin: float) -> None:
    assert fee_kopecks(stake_kopecks=stake, margin=margin) == math.ceil(stake * exact_fraction(margin))


@given(cost=st.integers(0, 10**12), margin=st.sampled_from([0.0, 1e-5, 0.07, 0.1, 1 / 3, 0.5]))
def test_a_fee_on_top_belongs_to_the_least_stake_that_leaves_the_cost(cost: int, margin: float) -> None:
    stake = cost + fee_on_top_kopecks(cost_kopecks=cost, margin=margin)
    assert stake - fee_kopecks(stake_kopecks=stake, margin=margin) == cost
    assert stake == 0 or (stake - 1) - fee_kopecks(stake_kopecks=stake - 1, margin=margin) < cost


@given(shares=st.integers(0, 10**16), payout=st.floats(0, 1))
def test_a_settlement_is_the_exact_floor(shares: int, payout: float) -> None:
    assert settlement_kopecks(shares=shares, payout=exact_fraction(payout)) == math.floor(
        shares * exact_fraction(payout)
    )


@proves("decisions: halves to even")
@pytest.mark.parametrize(
    ("money", "shares", "bps"),
    [
        (1, 2, 5000),
        (1, 3, 3333),
        (2, 3, 6667),
        (1, 20_000, 0),
        (3, 20_000, 2),
        (5, 20_000, 2),
        (10**15, 10**15, 10_000),
    ],
)
def test_an_average_price_is_rounded_to_the_nearest_hundredth_of_a_percent(money: int, shares: int, bps: int) -> None:
    assert average_price_bps(money_kopecks=money, shares=shares) == bps


@given(money=st.integers(0, 9 * 10**15), shares=st.integers(1, 10**15))
def test_an_average_price_is_what_python_rounds_exactly(money: int, shares: int) -> None:
    assert average_price_bps(money_kopecks=money, shares=shares) == round(Fraction(10_000 * money, shares))


@pytest.mark.parametrize(
    ("probabilities", "weights"),
    [
        ([0.5], (1, 1)),
        ([0.07], (7, 93)),
        ([0.9999], (9999, 1)),
        ([0.1, 0.2, 0.7], (1, 2, 7)),
        ([1 / 3, 1 / 3, 1 / 3], (1, 1, 1)),
        ([0.25, 0.75], (1, 3)),
    ],
)
def test_a_prior_keeps_the_ratios_of_what_was_written(probabilities: list[float], weights: tuple[int, ...]) -> None:
    assert prior_weights(probabilities) == weights


@given(st.lists(st.floats(0.0001, 1), min_size=2, max_size=100))
def test_weights_are_exactly_proportional(probabilities: list[float]) -> None:
    weights = prior_weights(probabilities)
    rates = {Fraction(weight) / exact_fraction(p) for weight, p in zip(weights, probabilities, strict=True)}
    assert len(rates) == 1


@pytest.mark.parametrize("probabilities", [[], [0.0], [1.0], [1.5], [-0.5], [0.5, 0.0], [0.5, -0.5]])
def test_an_outcome_that_cannot_happen_is_refused(probabilities: list[float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        prior_weights(probabilities)


@proves("decisions: The house pays ceil(b · ln(1/min w)) into escrow on publication.")
@pytest.mark.parametrize(
    ("b", "probabilities", "bound"),
    [(100, [0.5], 70), (100_000, [0.5], 69_315), (100, [0.0001], 922), (100, [0.9999], 922), (100, [0.01] * 100, 461)],
)
def test_the_house_can_lose_this_much(b: int, probabilities: list[float], bound: int) -> None:
    assert loss_bound_kopecks(b=b, weights=prior_weights(probabilities)) == bound


@settings(max_examples=300)
@given(
    b=st.integers(100, 10**12) | st.integers(10**11, 10**12),
    probabilities=st.lists(st.floats(0.0001, 1), min_size=2, max_size=20),
)
def test_the_loss_bound_is_the_exact_ceiling(b: int, probabilities: list[float]) -> None:
    found = loss_bound_kopecks(b=b, weights=prior_weights(probabilities))
    assert found == reference.loss_bound_kopecks(b, [exact_fraction(p) for p in probabilities])


@pytest.mark.parametrize(("weights", "kopecks"), [((1, 1), 693_147_180_559_946), ((1, 2), 1_098_612_288_668_110)])
def test_a_loss_bound_that_floats_cannot_decide_is_the_exact_ceiling(weights: tuple[int, ...], kopecks: int) -> None:
    """10¹⁵ times ln 2 = 0.6931471805599453094… and ln 3 = 1.0986122886681096913…, rounded up."""
    assert loss_bound_kopecks(b=10**15, weights=weights) == kopecks
