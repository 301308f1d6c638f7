"""Signs of sums of exponentials, however close to zero."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foreknow.money.pricing import exact
from tests.support.proofs import proves


@proves(
    "decisions: That is always decidable: comparing the number with a whole k means comparing sums of integers times "
    "e^(m/b) with integer m, which are equal only if nothing remains once equal m are added up (then the result is k: "
    "symmetric pools reach such ties)",
)
@pytest.mark.parametrize("b", [1, 100, 10**12])
def test_equal_exponents_cancel_to_a_tie(b: int) -> None:
    far = {10**15: 5, -(10**15): 7, 3: 1}
    assert exact.sign(b, (far, 3, 8), (far, -3, 8)) == 0
    # The same, with one of the smallest possible terms left.
    assert exact.sign(b, (far, 3, 8), (far, -3, 8), ({-(10**15): 1}, -1, 0)) == -1
    assert exact.sign(b) == 0


@pytest.mark.parametrize("apart", [1, 10**3, 10**15])
@pytest.mark.parametrize("b", [1, 100, 10**12])
def test_the_larger_exponent_wins_between_equal_terms(b: int, apart: int) -> None:
    assert exact.sign(b, ({apart: 1}, 1, 0), ({0: 1}, -1, 0)) == 1
    assert exact.sign(b, ({-apart: 1}, 1, 0), ({0: 1}, -1, 0)) == -1


@proves("decisions: else enough digits decide.")
def test_more_digits_are_taken_until_the_sign_is_sure() -> None:
    """Two terms that agree in 60, 150 and 400 digits: the first attempt's 50 cannot distinguish them."""
    for digits in (60, 150, 400):
        # 10^digits·e lies between n and n + 1.
        n = euler(digits)
        assert exact.sign(1, ({1: 10**digits}, 1, 0), ({0: n}, -1, 0)) == 1
        assert exact.sign(1, ({1: 10**digits}, 1, 0), ({0: n + 1}, -1, 0)) == -1


def euler(digits: int) -> int:
    """floor(e·10^digits), from the series of e in whole numbers with 20 digits to spare."""
    term: int = 10 ** (digits + 20)
    total, k = term, 1
    while term:
        term //= k
        total += term
        k += 1
    return total // 10**20


@pytest.mark.parametrize("answer", [3, 4, 9, 10])
def test_the_largest_that_holds_is_found_between_its_bounds(answer: int) -> None:
    holds: Callable[[int], bool] = answer.__ge__
    assert exact.largest(3, 10, holds) == answer
