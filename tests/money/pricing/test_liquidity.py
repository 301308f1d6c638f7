"""Added liquidity leaves every price and value as it was, to the last bit, and costs the house an exact subsidy."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from foreknow.money.pricing import ADDITIONS_MAX, Addition, Lmsr, Side, exact, loss_bound_kopecks, prior_weights
from tests.money.pricing.cases import (
    B_MAX,
    SIDES,
    Pool,
    draw_amount,
    draw_pool,
    draw_quotes,
    hair,
    log_uniform,
    net_shares,
    untouched,
)
from tests.money.pricing.check import check
from tests.money.pricing.reference import Reference, context
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS


@proves(
    "lifecycle: Check: priors 0.5, 0.3, 0.2, b 1000: 500 on YES₀ buys 831; to 1700 costs 1477; 500 on YES₁ "
    "buys 1797, 500 on NO₂ 542, 300 YES₀ sell for 153.",
)
def test_the_contracts_example_comes_out_to_the_kopeck() -> None:
    pool = untouched([0.5, 0.3, 0.2], 1000)
    assert pool.shares_bought(0, Side.YES, 500) == 831
    pool = pool.traded(0, Side.YES, 831)
    assert pool.subsidy_kopecks(1700) == 1477
    pool = pool.with_liquidity(1700)
    assert pool.shares_bought(1, Side.YES, 500) == 1797
    pool = pool.traded(1, Side.YES, 1797)
    assert pool.shares_bought(2, Side.NO, 500) == 542
    pool = pool.traded(2, Side.NO, 542)
    assert pool.sale_payout_kopecks(0, Side.YES, 300) == 153


def draw_raisable(random: Random) -> tuple[Pool, int]:
    """Draw a pool and a liquidity that it can be raised to."""
    pool = draw_pool(random, outcomes_max=30)
    if pool.last_b == B_MAX or len(pool.additions) == ADDITIONS_MAX:
        pool = pool._replace(b=max(100, pool.b // 2), additions=())
    raised = random.choice((pool.last_b + 1, min(2 * pool.last_b, B_MAX), log_uniform(random, pool.last_b + 1, B_MAX)))
    return pool, raised


@proves(
    "lifecycle: prices, values and positions stay.",
)
@LONG
@settings(max_examples=length(short=100, long=300))
@given(random=RANDOMS)
def test_prices_and_values_are_the_same_to_the_last_bit_before_and_after(random: Random) -> None:
    pool, b = draw_raisable(random)
    before = pool.lmsr()
    after = before.with_liquidity(b)
    assert (after.b, after.additions) == (b, (*before.additions, Addition(b, before.q_yes, before.q_no)))
    assert after.probabilities() == before.probabilities()
    assert [after.probability(outcome) for outcome in range(len(pool.q_yes))] == list(before.probabilities())
    assert (after.q_yes, after.q_no) == (before.q_yes, before.q_no)
    assert after.liabilities_kopecks() == before.liabilities_kopecks()
    for _ in range(5):
        outcome, side = random.randrange(len(pool.q_yes)), random.choice(SIDES)
        shares = draw_amount(random, pool, outcome, 10**15)
        assert after.value_kopecks(outcome, side, shares) == before.value_kopecks(outcome, side, shares)


@proves(
    "lifecycle: with all of Pricing exact as before;",
)
@LONG
@settings(max_examples=length(short=100, long=300))
@given(random=RANDOMS)
def test_quotes_right_after_an_addition_are_the_exact_floor(random: Random) -> None:
    pool, b = draw_raisable(random)
    raised = pool._replace(additions=pool.lmsr().with_liquidity(b).additions)
    assert check(draw_quotes(random, raised)).wrong == []


@proves(
    "lifecycle: The house pays ceil((b′ − b) · ln(1/min p)) more.",
)
@LONG
@settings(max_examples=length(short=100, long=300))
@given(random=RANDOMS)
def test_a_subsidy_is_the_exact_ceiling(random: Random) -> None:
    pool, b = draw_raisable(random)
    assert pool.lmsr().subsidy_kopecks(b) == Reference(pool).subsidy_kopecks(b)


def test_a_subsidy_that_floats_cannot_tell_is_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much liquidity for so unlikely an outcome that doubles hold no kopecks: 10¹²·(10⁵ + 0.69…) and more."""
    decided: list[tuple[int, int]] = []
    largest = exact.largest

    def counted(low: int, high: int, holds: Callable[[int], bool]) -> int:
        decided.append((low, high))
        return largest(low, high, holds)

    monkeypatch.setattr(exact, "largest", counted)
    for weights in ((1, 1), (1, 2, 4), (10**15 + 1, 7)):
        pool = Pool(977, weights, (97_700_013, 0, 5)[: len(weights)], (0,) * len(weights))
        raised = pool._replace(additions=(Addition(10**9 + 7, (1000, 0, 0)[: len(weights)], pool.q_no),))
        for asked in (pool, raised):
            assert asked.lmsr().subsidy_kopecks(B_MAX) == Reference(asked).subsidy_kopecks(B_MAX)
    assert any(low < high for low, high in decided)


def test_the_least_likely_of_nearly_equal_outcomes_sets_the_subsidy() -> None:
    """Odds of e^(1/(b·b′)), which no double shows; the larger subsidy counts, however small the difference."""
    b, level = 10**6 + 3, 10**9 + 7
    first, last = hair(b, level)
    pool = Pool(b, (1, 1), (last, 0), (0, 0), (Addition(level, (first, 0), (0, 0)),))
    assert pool.exponents() == [Fraction(1, b * level), 0]
    assert pool.lmsr()._least_likely() == 1
    assert pool.lmsr().traded(1, Side.YES, 1)._least_likely() == 0


def test_liquidity_in_a_pool_without_trades_is_as_if_it_had_begun_with_it() -> None:
    pool = untouched([0.5, 0.3, 0.2], 1000)
    paid = loss_bound_kopecks(b=1000, weights=pool.weights)
    for b in (1001, 1700, 12_345, 10**6):
        paid += pool.subsidy_kopecks(b)
        pool = pool.with_liquidity(b)
    whole = untouched([0.5, 0.3, 0.2], 10**6)
    # Each of the four subsidies and the first bound is rounded up.
    assert 0 <= paid - loss_bound_kopecks(b=10**6, weights=pool.weights) <= 4
    assert pool.probabilities() == whole.probabilities()
    assert pool._prior.parts == 1
    for outcome in range(3):
        assert pool.depth(outcome) == whole.depth(outcome)
        for side in SIDES:
            assert pool.shares_bought(outcome, side, 54_321) == whole.shares_bought(outcome, side, 54_321)


def test_more_liquidity_moves_prices_less() -> None:
    thin = untouched([0.5], 1000).traded(0, Side.YES, 700)
    deep = thin.with_liquidity(100_000)
    assert deep.probability(0) == thin.probability(0)
    moved = [pool.traded(0, Side.YES, 500).probability(0) - pool.probability(0) for pool in (thin, deep)]
    assert moved[0] > 50 * moved[1] > 0


@functools.cache
def primes(count: int, below: int) -> list[int]:
    """Return the largest primes below a number, smallest first."""
    found: list[int] = []
    while len(found) < count:
        below -= 1
        if all(below % divisor for divisor in range(2, math.isqrt(below) + 1)):
            found.append(below)
    return found[::-1]


def test_the_most_additions_at_the_finest_scale_are_priced_exactly() -> None:
    """N near 2⁸⁰⁰, far beyond 64 bits, and |q| at its limit: the largest numbers the contract allows."""
    levels = primes(ADDITIONS_MAX + 1, B_MAX)
    random = Random(19)
    for q in (10**6, 10**12, 10**15):
        moments = [tuple(random.randint(-q, q) for _ in range(3)) for _ in levels]
        additions = tuple(Addition(b, q_yes, (q, 0, -q)) for b, q_yes in zip(levels[1:], moments, strict=False))
        pool = Pool(levels[0], (3, 1, 5), moments[-1], (0, q, 0), additions)
        assert pool.lmsr()._prior.parts > 2**790
        assert check(draw_quotes(random, pool, outcomes=10)).wrong == []
        bids, asks = pool.lmsr().depth(1)
        assert {level.shares > 0 for level in bids + asks} <= {True}


def test_ties_broken_by_the_finest_scale_are_decided() -> None:
    """Two outcomes that are equal but for e^(1/B), B near 2⁸³⁰: two hundred and fifty digits agree."""
    levels = primes(ADDITIONS_MAX + 1, B_MAX)
    whole = math.prod(levels)
    # Shares at each liquidity whose exponents add up to 1/B and a whole number, which those at the last one take away.
    steps = [pow(whole // b, -1, b) for b in levels]
    steps[-1] -= (sum(whole // b * step for b, step in zip(levels, steps, strict=True)) - 1) // whole * levels[-1]
    held = [sum(steps[: count + 1]) for count in range(len(steps))]
    additions = tuple(Addition(b, (q, 0), (0, 0)) for b, q in zip(levels[1:], held, strict=False))
    pool = Pool(levels[0], (1, 1), (held[-1], 0), (0, 0), additions)
    assert pool.exponents() == [Fraction(1, whole), 0]
    even = pool.lmsr()
    assert even.value_kopecks(0, Side.YES, 2_000) == 1_000
    assert even.value_kopecks(1, Side.YES, 2_000) == 999
    assert even._least_likely() == 1


@LONG
@settings(max_examples=length(short=25, long=50))
@given(random=RANDOMS)
def test_a_pool_is_the_same_however_often_it_is_read_between_trades_and_additions(random: Random) -> None:
    """Bit for bit, as servers that executed the trades and servers that read the rows must agree."""
    lived = draw_pool(random, outcomes_max=6)._replace(b=100, additions=()).lmsr()
    for b in sorted({log_uniform(random, 101, B_MAX) for _ in range(4)}):
        lived.probabilities()
        lived = lived.with_liquidity(b)
        for _ in range(3):
            outcome, side = random.randrange(len(lived.q_yes)), random.choice(SIDES)
            lived = lived.traded(outcome, side, random.randint(-b, b))
        read = Lmsr.of(b=100, weights=lived.weights, q_yes=lived.q_yes, q_no=lived.q_no, additions=lived.additions)
        assert read.probabilities() == lived.probabilities()
        assert [read.shares_bought(0, side, b) for side in SIDES] == [lived.shares_bought(0, side, b) for side in SIDES]
        again = eval(repr(read), {"Lmsr": Lmsr, "Addition": Addition})
        assert again.probabilities() == lived.probabilities()


@pytest.mark.parametrize("b", [99, 100, -1])
def test_liquidity_is_never_lowered_nor_added_twice(b: int) -> None:
    pool = untouched([0.5], 100)
    for refused in (pool.with_liquidity, pool.subsidy_kopecks, pool.with_liquidity(500).with_liquidity):
        with pytest.raises(ValueError, match=r"rising liquidity|added liquidity"):
            refused(b)


def test_additions_have_a_number_of_their_own() -> None:
    pool = untouched([0.5, 0.5], 100)
    for b in range(101, 101 + ADDITIONS_MAX):
        pool = pool.with_liquidity(b)
    assert [after.b - before.b for before, after in pairwise(pool.additions)] == [1] * (ADDITIONS_MAX - 1)
    with pytest.raises(ValueError, match=f"at most {ADDITIONS_MAX} additions"):
        pool.with_liquidity(1000)


@pytest.mark.parametrize(
    ("weights", "q_yes", "q_no"),
    [
        ((1, 1, 1), (1, 2), (0, 0)),
        ((1, 1, 1), (1,), (0,)),
        ((1, 1, 1), (1, 2, 3), (0, 0)),
        ((1, 1), (1, 2, 3), (0, 0, 0)),
    ],
)
def test_an_addition_names_the_shares_of_every_market(
    weights: tuple[int, ...], q_yes: tuple[int, ...], q_no: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"every market|zip\(\)"):
        Lmsr.of(b=100, weights=weights, q_yes=(0,) * 3, q_no=(0,) * 3, additions=(Addition(200, q_yes, q_no),))


@LONG
@settings(max_examples=length(short=66, long=200))
@given(random=RANDOMS)
def test_a_price_is_compared_exactly(random: Random) -> None:
    """With ends so close that floats call them equal to the price."""
    pool, _ = draw_raisable(random)
    lmsr, reference = pool.lmsr(), Reference(pool)
    outcome = random.randrange(len(pool.q_yes))
    price = reference.probability(outcome, Side.YES)
    for digits in (3, 8, 15, 18, 25):
        below = Fraction(int(price * 10**digits), 10**digits)
        above = below + Fraction(1, 10**digits)
        # Priors have few digits: a price may be an end itself, which the reference's rounding cannot tell.
        ends = [reference.mp.mpf(end.numerator) / end.denominator for end in (below, above)]
        if all(abs(price - end) > reference.mp.mpf(10) ** -40 for end in ends):
            assert lmsr.is_price_within(outcome, below, above)
            assert not lmsr.is_price_within(outcome, above, above + 1)
            assert not lmsr.is_price_within(outcome, below - 1, below)


def test_a_price_that_equals_an_end_is_within() -> None:
    even = untouched([0.5, 0.3, 0.2], 1000).with_liquidity(1001)
    assert even.is_price_within(0, Fraction(1, 2), Fraction(1, 2))
    assert not even.is_price_within(0, Fraction(1, 2) + Fraction(1, 10**30), Fraction(1))
    assert not even.is_price_within(0, Fraction(0), Fraction(1, 2) - Fraction(1, 10**30))


def cost(pool: Pool, q_yes: tuple[int, ...], q_no: tuple[int, ...]) -> Any:
    """C(q) of the contract, with 200 digits: from each addition on, the prices there are the priors."""
    mp = context(200)
    whole = mp.mpf(0)
    priors = [mp.mpf(weight) / sum(pool.weights) for weight in pool.weights]
    levels = [pool.b, *(addition.b for addition in pool.additions)]
    moments = [((0,) * len(q_yes), (0,) * len(q_no)), *((one.q_yes, one.q_no) for one in pool.additions), (q_yes, q_no)]
    for b, before, after in zip(levels, moments, moments[1:], strict=False):
        changes = [d - D for d, D in zip(net_shares(*after), net_shares(*before), strict=True)]
        masses = [p * mp.exp(mp.mpf(change) / b) for p, change in zip(priors, changes, strict=True)]
        whole += sum(after[1]) - sum(before[1]) + b * mp.log(mp.fsum(masses))
        priors = [mass / mp.fsum(masses) for mass in masses]
    return whole


@proves(
    "lifecycle: **Liquidity** from b to b′ at the quantities Q (D their d), where the exact prices are p: from then on",
    "lifecycle: C(q) = C(Q) + Σ_j (q_no_j − Q_no_j) + b′ · ln Σ_i p_i · exp((d_i − D_i) / b′)",
)
@LONG
@settings(max_examples=length(short=50, long=150))
@given(random=RANDOMS)
def test_trades_cost_the_difference_of_the_contracts_c(random: Random) -> None:
    b = random.randint(100, 10**6)
    markets = random.choice((1, 2, 3, 6))
    prior = [random.uniform(0.05, 0.95) for _ in range(markets)]
    levels = sorted({random.randint(b + 1, 30 * b) for _ in range(random.randint(1, 4))})

    def draw() -> tuple[int, ...]:
        return tuple(random.randint(0, 3 * b) for _ in range(markets))

    additions = tuple(Addition(level, draw(), draw()) for level in levels)
    pool = Pool(b, prior_weights(prior), draw(), draw(), additions)
    lmsr, before = pool.lmsr(), cost(pool, pool.q_yes, pool.q_no)
    for side in SIDES:
        outcome, amount = random.randrange(markets), random.randint(1, 5 * b)
        shares = lmsr.shares_bought(outcome, side, amount)
        for bought, is_covered in ((shares, True), (shares + 1, False)):
            after = lmsr.traded(outcome, side, bought)
            assert (cost(pool, after.q_yes, after.q_no) - before <= amount) == is_covered
        sold = lmsr.traded(outcome, side, -amount)
        received = before - cost(pool, sold.q_yes, sold.q_no)
        assert lmsr.sale_payout_kopecks(outcome, side, amount) == int(context(200).floor(received))


@proves(
    "lifecycle: p need not be rounded: with b′/b = m/n in lowest terms, g_i (at first d_i; N = 1) becomes "
    "m·g_i and N becomes n·N; p_i ∝ w_i·exp(g_i/(N·b)), x shares move g_i by N·x, and all comparisons remain "
    "between integers times e^(k/(N·b)).",
)
@LONG
@settings(max_examples=length(short=50, long=150))
@given(random=RANDOMS)
def test_exponents_are_the_contracts_integers_up_to_a_common_factor(random: Random) -> None:
    markets = random.choice((2, 3, 5))
    lmsr = untouched([1 / markets] * markets, random.randint(100, 10**4))
    g, n_whole = [0] * markets, 1
    for _ in range(12):
        if random.random() < 0.4:
            b = random.randint(lmsr.b + 1, 3 * lmsr.b)
            ratio = Fraction(b, lmsr.b)
            g, n_whole = [ratio.numerator * one for one in g], ratio.denominator * n_whole
            lmsr = lmsr.with_liquidity(b)
        outcome, side, shares = random.randrange(markets), random.choice(SIDES), random.randint(-500, 500)
        lmsr = lmsr.traded(outcome, side, shares)
        g[outcome] += n_whole * (shares if side is Side.YES else -shares)
        assert [Fraction(one, lmsr._prior.scaled_b) for one in lmsr._exponents] == [
            Fraction(one, n_whole * lmsr.b) for one in g
        ]
