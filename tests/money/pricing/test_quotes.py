"""Shares and kopecks are the floors of the exact numbers, for all pools the contract allows."""

from __future__ import annotations

import decimal
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from foreknow.money.pricing import Lmsr, Side, prior_weights
from tests.money.pricing.cases import Pool, draw_pool, draw_quotes
from tests.money.pricing.check import check
from tests.money.pricing.reference import Reference
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS

FRESH = Lmsr.of(b=100, weights=(1, 1), q_yes=(0,), q_no=(0,))


@proves(
    "decisions: Rounding is always against the trader and mathematically exact: shares, payouts and values are the "
    "floor of the exact number, without tolerance, for every b and every |q_yes_i|, |q_no_i| ≤ 10^15 after the trade",
    "decisions: symmetric pools reach such ties",
)
@LONG
def test_thousands_of_hard_quotes_are_the_exact_floor() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=length(short=180, long=900), deadline=None, suppress_health_check=list(HealthCheck))
    @given(random=RANDOMS)
    def price_a_pool(random: Random) -> None:
        result = check(draw_quotes(random, draw_pool(random)))
        met["quotes"] += result.cases
        met["ties"] += result.ties
        assert result.wrong == []

    price_a_pool()
    assert met["quotes"] >= length(short=2_000, long=10_000)
    assert met["ties"] >= length(short=10, long=100)


@pytest.mark.parametrize("b", [100, 12_345, 10**12])
@pytest.mark.parametrize("apart", [1, 700, 10**6, 10**15])
def test_a_tie_is_the_whole_number_itself(b: int, apart: int) -> None:
    """Between two equal outcomes `apart` shares from each other, whole amounts have whole prices."""
    behind = Lmsr.of(b=b, weights=(1, 1), q_yes=(0,), q_no=(apart,))
    assert behind.shares_bought(0, Side.YES, apart) == 2 * apart
    assert behind.shares_bought(0, Side.YES, apart - 1) < 2 * apart
    ahead = behind.traded(0, Side.YES, 2 * apart)
    assert ahead.sale_payout_kopecks(0, Side.YES, 2 * apart) == apart
    assert ahead.sale_payout_kopecks(0, Side.YES, 2 * apart - 1) == apart - 1
    assert FRESH.value_kopecks(0, Side.NO, 2 * apart) == apart
    assert FRESH.value_kopecks(0, Side.NO, 2 * apart + 1) == apart


@pytest.mark.parametrize("outcomes", [3, 100])
def test_a_ladder_of_outcomes_ties_too(outcomes: int) -> None:
    """Outcomes at d = 0, s, 2s, …: s kopecks bring the lowest one above them all, n·s shares further."""
    step = 12_345
    levels = tuple(step * level for level in range(outcomes))
    lmsr = Lmsr.of(b=100_000, weights=(1,) * outcomes, q_yes=levels, q_no=(0,) * outcomes)
    assert lmsr.shares_bought(0, Side.YES, step) == outcomes * step
    top = lmsr.traded(0, Side.YES, outcomes * step)
    assert top.sale_payout_kopecks(0, Side.YES, outcomes * step) == step


def test_the_contracts_example_makes_no_profit() -> None:
    """22,796 kopecks buy 22,865 shares of a fresh even pool; rounding the price first would pay 22,864 for them."""
    assert FRESH.shares_bought(0, Side.YES, 22_796) == 22_865
    assert FRESH.traded(0, Side.YES, 22_865).sale_payout_kopecks(0, Side.YES, 22_865) == 22_795


@proves("decisions: Hence a sale or a value of x shares is at most x − 1.")
@pytest.mark.parametrize("shares", [1, 2, 100, 10**15])
def test_sure_things_sell_for_one_kopeck_less_than_they_pay(shares: int) -> None:
    sure = Lmsr.of(b=100, weights=(1, 1), q_yes=(10**15,), q_no=(-(10**15),))
    assert sure.value_kopecks(0, Side.YES, shares) == shares - 1
    assert sure.sale_payout_kopecks(0, Side.YES, shares) == shares - 1
    assert sure.value_kopecks(0, Side.NO, shares) == 0
    assert sure.sale_payout_kopecks(0, Side.NO, shares) == 0


def test_the_largest_stake_at_the_smallest_price_has_an_answer() -> None:
    """Far beyond a pool's limit: the desk must still compute it to say so."""
    hopeless = Lmsr.of(b=100, weights=(1, 9999), q_yes=(-(10**15),), q_no=(10**15,))
    shares = hopeless.shares_bought(0, Side.YES, 9 * 10**15)
    # 9·10¹⁵ + 2·10¹⁵ + 100·ln 9999 = … + 921.02…
    assert shares == 11 * 10**15 + 921
    assert not hopeless.traded(0, Side.YES, shares).within_limit()


@pytest.mark.parametrize("side", list(Side))
def test_nothing_buys_and_sells_for_nothing(side: Side) -> None:
    assert FRESH.shares_bought(0, side, 0) == 0
    assert FRESH.sale_payout_kopecks(0, side, 0) == 0
    assert FRESH.value_kopecks(0, side, 0) == 0


def test_the_callers_decimal_context_neither_matters_nor_changes() -> None:
    pool = Pool(10**12, prior_weights([0.3, 0.3, 0.4]), q_yes=(5, 0, 7), q_no=(0, 9, 0))
    # More shares, in a deeper pool, than floats can tell apart: 0.4·10¹⁵ + 2160 ± 10⁻⁸.
    shares = 10**15
    value = Reference(pool).value_kopecks(2, Side.YES, shares)
    with decimal.localcontext() as context:
        context.prec, context.Emin, context.Emax, context.rounding = 1, -1, 1, decimal.ROUND_UP
        context.traps[decimal.Inexact] = True
        # Those of the tests before.
        context.clear_flags()
        assert pool.lmsr().value_kopecks(2, Side.YES, shares) == value
        assert not any(context.flags.values())
