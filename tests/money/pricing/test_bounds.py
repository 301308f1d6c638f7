"""The floats' error bounds hold, and are narrow enough to be useful."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from foreknow.money.pricing import Lmsr, Side, bounds
from foreknow.money.pricing.exp_sums import prior
from tests.money.pricing.cases import SIDES, draw_amount, draw_pool, log_uniform
from tests.money.pricing.reference import Reference, Surplus, context
from tests.support.lengths import LONG, length

MP = context(60)
UNIT = MP.mpf(2) ** -53
#: Uncertainty of 60 digits for a number below 10¹⁷.
DUST = MP.mpf(10) ** -40

pytestmark = LONG


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [("exp", -745.0, 0.0), ("expm1", -60.0, -1e-16), ("log", 1e-30, 1e30), ("log1p", 1e-300, 1e20)],
)
def test_the_c_library_is_as_exact_as_the_proofs_assume(function: str, low: float, high: float) -> None:
    random = Random(7)
    ours, right = getattr(math, function), getattr(MP, function)
    for _ in range(length(short=1000, long=4_000)):
        x = random.uniform(low, high) if high <= 0 and random.random() < 0.5 else spread(random, low, high)
        exact = right(MP.mpf(x))
        # Subnormal results are rounded to a step, not to a share of their size.
        assert abs(ours(x) - exact) <= max(4 * UNIT * abs(exact), MP.mpf(2) ** -1074)


def spread(random: Random, low: float, high: float) -> float:
    """A number between two of the same sign, of any order of magnitude."""
    sign, (least, most) = (-1, sorted((-low, -high))) if high <= 0 else (1, (low, high))
    return sign * math.exp(random.uniform(math.log(least or 1e-300), math.log(most)))


@pytest.mark.parametrize("weights", [(1, 1), (1, 10**6), (3,) * 100, (1, 999, 10**12)])
def test_the_error_of_odds_is_as_large_as_its_proof_demands(weights: tuple[int, ...]) -> None:
    demanded = 4 * math.log(len(weights) * max(weights) / min(weights)) + 23
    assert demanded <= prior(1_000, weights).error_ulps <= 2 * demanded


@pytest.fixture
def unrounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the functions of `bounds` return the exact ends of their intervals."""
    for rounding in ("floor", "ceil"):
        monkeypatch.setattr(bounds, rounding, Fraction)


class Unrounded(Reference):
    """The reference's numbers before rounding down."""

    def number(self, quote: str, outcome: int, side: Side, amount: int) -> Any:
        getattr(self, quote)(outcome, side, amount)
        return self.unrounded

    def _floor(self, value: Any, surplus: Surplus, shift_of: int = 0) -> int:
        self.unrounded = value
        return 0


QUOTES: list[tuple[str, Callable[..., tuple[int, int]]]] = [
    ("shares_bought", bounds.shares_bought),
    ("sale_payout_kopecks", bounds.sale_payout_kopecks),
    ("value_kopecks", bounds.value_kopecks),
]


@pytest.mark.usefixtures("unrounded")
@pytest.mark.parametrize(("quote", "bound"), QUOTES)
def test_the_true_number_lies_between_the_bounds(quote: str, bound: Callable[..., tuple[int, int]]) -> None:
    random = Random(11)
    worst = 0.0
    for _ in range(length(short=625, long=2_500)):
        pool = draw_pool(random, outcomes_max=20)
        lmsr, reference = pool.lmsr(), Unrounded(pool)
        outcome = random.randrange(len(pool.q_yes))
        for side in SIDES:
            amount = draw_amount(random, pool, outcome, 10**15)
            net_shares, odds = lmsr._odds(outcome, side)
            # A pool with added liquidity counts in parts; a value has the same size in them.
            parts = 1 if quote == "value_kopecks" else lmsr._prior.parts
            low, high = map(
                as_real, bound(lmsr._prior.scaled_b, parts * amount, net_shares, odds, lmsr._prior.error_ulps)
            )
            true = parts * reference.number(quote, outcome, side, amount)
            # Where the bound says no more than that not all is paid, there is no upper end.
            most = parts * amount if high == parts * amount - 1 else high
            assert low - parts * DUST <= true <= most + parts * DUST
            if high - low > parts * DUST:
                worst = max(worst, float(abs(true - (low + high) / 2) / (high - low)))
    # As far as this test can tell, no bound is ten times wider than necessary.
    assert worst > 0.05


def as_real(end: float | Fraction) -> Any:
    exact = Fraction(end)
    return MP.mpf(exact.numerator) / exact.denominator


@pytest.mark.usefixtures("unrounded")
def test_the_bounds_of_the_order_books_steps_hold_too() -> None:
    random = Random(13)
    for _ in range(length(short=625, long=2_500)):
        pool = draw_pool(random, outcomes_max=20)
        lmsr, reference = pool.lmsr(), Unrounded(pool)
        outcome, side = random.randrange(len(pool.q_yes)), random.choice(SIDES)
        percent = random.randint(1, 99)
        net_shares, odds = lmsr._odds(outcome, side)
        level, constants = (percent, 100 - percent), lmsr._prior
        found = bounds.shares_to_price(constants.scaled_b, net_shares, odds, level, constants.error_ulps)
        low, high = (as_real(end) / constants.parts for end in found)
        assert low - DUST <= reference.number("shares_to_price", outcome, side, percent) <= high + DUST


@pytest.mark.usefixtures("unrounded")
def test_the_bounds_of_subsidies_hold_too() -> None:
    random = Random(17)
    for _ in range(length(short=625, long=2_500)):
        pool = draw_pool(random, outcomes_max=20)
        lmsr, reference = pool.lmsr(), Reference(pool)
        added_b = log_uniform(random, 1, 10**12)
        outcome = random.randrange(len(pool.weights))
        net_shares, odds = lmsr._odds(outcome, Side.YES)
        found = bounds.subsidy_kopecks(added_b, lmsr._prior.scaled_b, net_shares, odds, lmsr._prior.error_ulps)
        low, high = map(as_real, found)
        true = added_b * -MP.log(reference.probability(outcome, Side.YES))
        # 60 digits of up to 10²⁵ kopecks.
        assert low - DUST * 10**10 <= true <= high + DUST * 10**10


#: A pool so large that no floor of a positive number is 0, with ρ = 1 (T = 0) off by at most 12 units.
B, N = 10**40, 12.0
HALF = math.log1p(-math.expm1(-1.0))
#: Each function in each of its branches at the steepness g: its arguments, and how far off the proof beside it shows
#: that its floats may be, in units of 2⁻⁵³ kopecks (or shares).
PROVEN: list[tuple[Callable[..., tuple[int, int]], tuple[Any, ...], float]] = [
    # Money b; t = 1 − 1/e.
    (bounds.shares_bought, (B, B, 0, 1.0, N), B * HALF * (N + 17)),
    (bounds.shares_bought, (B, B, 32 * B, 1.0, N), B * 31.5 * (N + 32 + 17)),
    (bounds.shares_bought, (B, B, 33 * B, 1.0, N), B * (2 * N + 25 + 15 * 0.45)),
    # All but e^(−50) is paid for a sale up to h = −50; h = 0 is still one of these.
    (bounds.sale_payout_kopecks, (B, B, -51 * B, 1.0, N), B * 0.63 * math.exp(-50) * (2 * N + 50 + 25)),
    (bounds.sale_payout_kopecks, (B, B, -B, 1.0, N), B * 0.38 * (2 * N + 25)),
    (bounds.sale_payout_kopecks, (B, 60 * B, -40 * B, 1.0, N), B * (3 * N + 28)),
    (bounds.sale_payout_kopecks, (B, 2 * B, -B, 1.0, N), B * 0.98 * (N + 1 + 28)),
    (bounds.sale_payout_kopecks, (B, B, 2 * B, 1.0, N), B * 0.08 * (N + 2 + 28)),
    (bounds.value_kopecks, (B, B, 0, 1.0, N), B * 0.5 * (2 * N + 14)),
    (bounds.value_kopecks, (B, B, -30 * B, 1.0, N), B * math.exp(-30) * (2 * N + 60 + 14)),
    (bounds.value_kopecks, (B, B, B, 1.0, N), B * 0.268 * (2 * N + 2 + 14)),
    (bounds.value_kopecks, (B, B, 30 * B, 1.0, N), B * math.exp(-30) * (2 * N + 60 + 14)),
    (bounds.shares_to_price, (B, 0, 1.0, (1, 1), N), B * (N + 2)),
    (bounds.shares_to_price, (B, 0, 1.0, (1, 100), N), B * (N + 2 + 6 * math.log(100))),
    (bounds.subsidy_kopecks, (B, B, 0, 1.0, N), B * 0.69 * (N + 11)),
    (bounds.subsidy_kopecks, (B, B, 32 * B, 1.0, N), B * 32 * (N + 32 + 11)),
    (bounds.subsidy_kopecks, (B, B, 33 * B, 1.0, N), B * (2 * N + 13)),
]


@pytest.mark.usefixtures("unrounded")
@pytest.mark.parametrize(("bound", "arguments", "proven"), PROVEN)
def test_each_bound_is_as_wide_as_its_proof_demands_and_not_much_wider(
    bound: Callable[..., tuple[int, int]], arguments: tuple[Any, ...], proven: float
) -> None:
    low, high = map(Fraction, bound(*arguments))
    assert proven <= float((high - low) / 2) * 2**53 <= 4 * proven


@pytest.mark.parametrize("markets", [1, 2, 5, 100])
def test_ordinary_quotes_never_need_more_than_floats(markets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk's usual orders: pools of 1,000 roubles and more, trades up to as much."""
    monkeypatch.setattr("foreknow.money.pricing.exact.largest", lambda *_: pytest.fail("floats could not tell"))
    random = Random(markets)
    for _ in range(50):
        b = log_uniform(random, 100_000, 10_000_000)
        lmsr = Lmsr.of(b=b, weights=(1,) * max(2, markets), q_yes=(0,) * markets, q_no=(0,) * markets)
        for _ in range(20):
            outcome, side = random.randrange(markets), random.choice(SIDES)
            lmsr = lmsr.traded(outcome, side, lmsr.shares_bought(outcome, side, log_uniform(random, 100, b)))
            held = random.randint(1, max(lmsr.q(outcome)))
            lmsr.sale_payout_kopecks(outcome, side, held)
            lmsr.value_kopecks(outcome, side, held)
