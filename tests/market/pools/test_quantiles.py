"""Quantiles lie where an exact computation puts them, to 1e-9 of their range."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.shape_view import LEVELS, Axis, quantiles_of, shape_of, shown_shape
from foreknow.market.pools.shapes.number import NumberShape
from tests.market.pools.made import pool_row


def exact(probabilities: list[Fraction], edges: list[int], *, is_log: bool) -> list[mpmath.mpf]:
    """The first range whose cumulative probability reaches a level, and the place in it."""
    found = []
    for level in (Fraction(str(level)) for level in LEVELS):
        reached, index = Fraction(), 0
        while reached + probabilities[index] < level:
            reached += probabilities[index]
            index += 1
        if index in {0, len(edges)}:
            found.append(mpmath.mpf(edges[0 if index == 0 else -1]))
            continue
        low, high = mpmath.mpf(edges[index - 1]), mpmath.mpf(edges[index])
        part = (level - reached) / probabilities[index]
        place = mpmath.mpf(part.numerator) / part.denominator
        found.append(low * (high / low) ** place if is_log else low + place * (high - low))
    return found


@pytest.mark.parametrize("is_log", [False, True])
def test_random_prices_have_the_exact_quantiles(is_log: bool) -> None:
    random = Random(5)
    for _ in range(300):
        markets = random.choice((2, 3, 10, 100))
        parts = [random.choice((1, random.randint(1, 9), random.randint(1, 10**4))) for _ in range(markets)]
        edges = sorted(random.sample(range(1, 10**6), markets - 1))
        right = exact([Fraction(part, sum(parts)) for part in parts], edges, is_log=is_log)
        found = Axis(edges, is_log=is_log).quantiles([part / sum(parts) for part in parts])
        for value, wanted in zip(found, right, strict=True):
            assert abs(value - wanted) <= 1e-9 * max(1, edges[-1] - edges[0])


def test_a_level_that_is_reached_exactly_is_the_upper_end() -> None:
    assert Axis([0, 8, 16], is_log=False).quantiles([0.25] * 4) == (0, 0, 8, 16, 16)


def test_one_edge_is_every_quantile() -> None:
    assert Axis([7.5], is_log=False).quantiles([0.6, 0.4]) == (7.5,) * 5


def relative(plus: list[float], strike: float, **shape: object) -> dict[str, Any]:
    """Describe a pool whose edges are a price rule's, relative to the strike."""
    bounds = [{"plus": number} for number in plus]
    inner = [{"from": low, "below": high} for low, high in itertools.pairwise(bounds)]
    rule = {"kind": "price", "symbol": "X", "outcomes": [{"below": bounds[0]}, *inner, {"from": bounds[-1]}]}
    return {
        "rule_type": PriceRule,
        "metadata": {"resolution": rule},
        "strike": {"price": strike, "observed_at": "", "source": ""},
        "shape": {"kind": "number", **shape},
    }


def test_edges_that_were_rounded_to_one_number_are_both_shown() -> None:
    pool = pool_row(3, **relative([0.001, 0.002], 5.0))
    assert shown_shape(pool) == {"kind": "number", "edges": [5, 5]}
    shape = shape_of(pool)
    assert isinstance(shape, NumberShape)
    assert [shape.outcome_of(Decimal(number)) for number in ("4.99", "5")] == [0, 2]
    assert quantiles_of(pool, [0.2, 0.6, 0.2]) == (5,) * 5


def test_a_logarithm_of_what_is_not_above_0_is_none() -> None:
    pool = pool_row(3, **relative([-10, 10], 5.0, log=True))
    assert shown_shape(pool) == {"kind": "number", "edges": [-5, 15], "log": True}
    assert quantiles_of(pool, [0.0, 1.0, 0.0]) == pytest.approx([-3, 0, 5, 10, 13])
