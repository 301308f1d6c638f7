"""What a crowd thinks, beside its definition word for word, in exact numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.market.charts import ChartSplit
from foreknow.site.forecasts.crowd import Opinion, crowd_of, half_life_ms, weighted_median
from foreknow.site.forecasts.probabilities import after_splits, raised


def reference(opinions: Sequence[Opinion], half_life: Fraction, *, is_ordered: bool) -> list[Fraction] | None:
    """Return the crowd by the contract's words."""
    if len(opinions) < 3:
        return None
    weights = [power_of_two(Fraction(one.created_at_ms) / half_life) for one in opinions]
    rows = [[Fraction(value) for value in one.probabilities] for one in opinions]
    if len(rows[0]) == 1:
        return [median([row[0] for row in rows], weights)]
    if is_ordered:
        cumulative = [[sum(row[: index + 1], Fraction(0)) for index in range(len(row))] for row in rows]
        medians = [median([row[index] for row in cumulative], weights) for index in range(len(rows[0]) - 1)]
        return [high - low for low, high in zip([Fraction(0), *medians], [*medians, Fraction(1)], strict=True)]
    total = sum(weights)
    of_outcomes = zip(*rows, strict=True)
    return [
        sum(weight * value for weight, value in zip(weights, column, strict=True)) / total for column in of_outcomes
    ]


def median(values: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """Return the least value at which the weights of values up to it reach half; at half, its mean with the next."""
    total = sum(weights, Fraction(0))
    for value in sorted(values):
        up_to = [weight for one, weight in zip(values, weights, strict=True) if one <= value]
        reached = sum(up_to, Fraction(0)) / total
        if abs(reached - Fraction(1, 2)) <= Fraction(1, 10**12):
            return (value + min(one for one in values if one > value)) / 2
        if reached >= Fraction(1, 2):
            return value
    raise AssertionError


def power_of_two(exponent: Fraction) -> Fraction:
    """Return 2 to the power of a number, to 40 digits."""
    whole = math.floor(exponent)
    part = exponent - whole
    found = Fraction(1)
    for step, root in enumerate(roots_of_two(), 1):
        factor = Fraction(1, 2**step)
        if part >= factor:
            part -= factor
            found = (found * root).limit_denominator(10**45)
    return found * Fraction(2) ** whole


@functools.cache
def roots_of_two() -> list[Fraction]:
    """Return 2 to the power of a half, a fourth, …."""
    found = [Fraction(2)]
    for _ in range(140):
        found.append(square_root(found[-1]))
    return found[1:]


def square_root(value: Fraction) -> Fraction:
    return Fraction(math.isqrt(int(value * 10**90)), 10**45)


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Opinion], float]:
    outcomes = draw(st.sampled_from([1, 2, 3, 5]))
    half_life = draw(st.sampled_from([DAY_MS, 30 * DAY_MS]))
    # Few values and steps of whole half-lives, so that weights and values meet.
    times = st.one_of(st.integers(0, 4).map(lambda steps: steps * half_life), st.integers(0, 10 * half_life))
    parts = st.lists(st.integers(0, 4), min_size=outcomes, max_size=outcomes)
    opinions: list[Opinion] = []
    for at_ms, given_parts in draw(st.lists(st.tuples(times, parts), max_size=9)):
        total = sum(given_parts)
        sent = (
            [given_parts[0] / 4] if outcomes == 1 else [part / total if total else 1 / outcomes for part in given_parts]
        )
        opinions.append(Opinion(at_ms, raised(sent)))
    return opinions, half_life


@given(crowds(), st.booleans())
def test_a_crowd_is_what_its_definition_says(drawn: tuple[list[Opinion], float], is_ordered: bool) -> None:
    opinions, half_life = drawn
    found = crowd_of(opinions, half_life, is_ordered=is_ordered)
    wanted = reference(opinions, Fraction(half_life), is_ordered=is_ordered)
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found == pytest.approx([float(value) for value in wanted], abs=1e-9)


@given(crowds())
def test_who_says_the_same_moves_nothing_and_all_move_together(drawn: tuple[list[Opinion], float]) -> None:
    opinions, half_life = drawn
    found = crowd_of(opinions, half_life, is_ordered=True)
    later = [opinion._replace(created_at_ms=opinion.created_at_ms + 10**13) for opinion in opinions]
    assert crowd_of(later, half_life, is_ordered=True) == found
    if opinions:
        one = opinions[0].probabilities
        assert crowd_of([Opinion(n * DAY_MS, one) for n in range(5)], half_life, is_ordered=True) == pytest.approx(one)


def test_a_median_is_the_least_value_that_reaches_half() -> None:
    assert weighted_median([0.1, 0.2, 0.9], [1.0, 1.0, 1.0]) == 0.2
    assert weighted_median([0.9, 0.1], [1.0, 1.0]) == 0.5
    assert weighted_median([0.9, 0.1, 0.4], [1.0, 2.0, 1.0]) == 0.25
    assert weighted_median([0.1, 0.1, 0.1, 0.9], [1.0] * 4) == 0.1
    # 0.1 + 0.2 is not 0.3 among doubles; it is half all the same.
    assert weighted_median([0.2, 0.4, 0.6], [0.1, 0.2, 0.3]) == pytest.approx(0.5)


def test_old_opinions_count_ever_less_and_never_break_a_sum() -> None:
    old = [Opinion(0, (0.1,))] * 3
    assert crowd_of([*old, Opinion(10**6 * DAY_MS, (0.8,))], float(DAY_MS), is_ordered=False) == (0.8,)


def test_the_half_life_is_a_third_of_the_span_and_a_day_at_least() -> None:
    assert half_life_ms(0, 6 * DAY_MS) == 2 * DAY_MS
    assert half_life_ms(5, 5 + HOUR_MS) == DAY_MS
    assert half_life_ms(7, None) == 30 * DAY_MS


@given(st.lists(st.floats(0, 1), min_size=1, max_size=100))
def test_raised_probabilities_sum_to_1_and_none_is_near_0(values: list[float]) -> None:
    total = sum(values) or 1.0
    sent = values[:1] if len(values) == 1 else [value / total for value in values]
    found = raised(sent)
    least = 0.002 / max(2, len(values))
    assert min(found) >= least / 1.002 - 1e-12
    if len(values) == 1:
        assert 1 - found[0] >= least / 1.002 - 1e-12
    else:
        assert math.fsum(found) == pytest.approx(1, abs=1e-12)


def test_each_split_takes_its_part_of_what_is_left_of_other() -> None:
    splits = [ChartSplit(1, 3, 0.25, 0.1), ChartSplit(2, 4, 0.5, 0.1)]
    assert after_splits((0.2, 0.2, 0.6), splits) == pytest.approx((0.2, 0.2, 0.225, 0.15, 0.225))
    assert after_splits((0.2, 0.2, 0.45, 0.15), splits) == pytest.approx((0.2, 0.2, 0.225, 0.15, 0.225))
    assert after_splits((0.2, 0.8), []) == (0.2, 0.8)
