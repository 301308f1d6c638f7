"""A pool's prices, states and invariants."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from foreknow.money.pricing import Q_LIMIT, Lmsr, Side, prior_weights
from tests.money.pricing.cases import SIDES, draw_pool
from tests.money.pricing.reference import Reference
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS

EXTREME = 1 - 99 * 0.0001
PRIORS = [[0.5], [0.0001], [0.9999], [0.07], [0.3, 0.7], [0.2, 0.3, 0.5], [0.01] * 100, [0.0001] * 99 + [EXTREME]]


def untouched(prior: list[float], b: int = 100_000) -> Lmsr:
    return Lmsr.of(b=b, weights=prior_weights(prior), q_yes=[0] * len(prior), q_no=[0] * len(prior))


@proves("decisions: `yes_probability` of an untouched market is the number given (within 1e-9)")
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: f"{len(prior)} from {prior[0]}")
def test_an_untouched_market_shows_the_number_given(prior: list[float]) -> None:
    lmsr = untouched(prior)
    assert lmsr.probabilities() == pytest.approx(prior, abs=1e-15)
    assert tuple(lmsr.probability(outcome) for outcome in range(len(prior))) == lmsr.probabilities()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_probabilities_are_right_to_the_last_digits_near_0_too(random: Random) -> None:
    pool = draw_pool(random)
    lmsr, reference = pool.lmsr(), Reference(pool)
    for outcome, probability in enumerate(lmsr.probabilities()):
        assert probability == lmsr.probability(outcome)
        # Below 1e-300 a double runs out of digits, and then of range.
        assert probability == pytest.approx(float(reference.probability(outcome, Side.YES)), rel=1e-12, abs=1e-300)


def test_a_large_weight_keeps_the_digits_of_a_price_near_0() -> None:
    """As after dozens of splits; e⁻⁷²⁰ alone is below the smallest double that has all digits."""
    lmsr = Lmsr.of(b=1_000, weights=(10**120, 1, 1), q_yes=(0, 720_000, 0), q_no=(0, 0, 0))
    growth = Decimal(-720).exp()
    price = float(10**120 * growth / (10**120 * growth + 1 + growth))
    assert lmsr.probability(0) == pytest.approx(price, rel=1e-12, abs=0)
    assert lmsr.probabilities() == tuple(map(lmsr.probability, range(3)))


@proves("decisions: the YES probabilities of a pool always sum to 1")
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_yes_probabilities_sum_to_1(random: Random) -> None:
    pool = draw_pool(random)
    if len(pool.q_yes) > 1:
        assert sum(pool.lmsr().probabilities()) == pytest.approx(1, abs=1e-14)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_a_traded_pool_is_the_pool_with_those_shares_sold(random: Random) -> None:
    """Bit for bit, so that all servers show the same prices, whichever executed the trade."""
    pool = draw_pool(random)
    lmsr = pool.lmsr()
    sold = {side: Counter(dict(enumerate(pool._asdict()[f"q_{side.lower()}"]))) for side in SIDES}
    for _ in range(5):
        lmsr.probabilities()
        outcome, side = random.randrange(len(pool.q_yes)), random.choice(SIDES)
        shares = random.choice((1, -1)) * random.randint(0, random.choice((9, pool.b, 10**15)))
        lmsr = lmsr.traded(outcome, side, shares)
        sold[side][outcome] += shares
    q_yes, q_no = ([sold[side][outcome] for outcome in range(len(pool.q_yes))] for side in SIDES)
    rebuilt = pool._replace(q_yes=tuple(q_yes), q_no=tuple(q_no)).lmsr()
    assert lmsr.probabilities() == rebuilt.probabilities()
    assert (lmsr.q_yes, lmsr.q_no) == (rebuilt.q_yes, rebuilt.q_no) == (tuple(q_yes), tuple(q_no))
    assert lmsr.q(0) == (q_yes[0], q_no[0])
    for side in SIDES:
        for money in (1, pool.b, 10**15):
            assert lmsr.shares_bought(0, side, money) == rebuilt.shares_bought(0, side, money)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_trades_together_are_the_same_trades_one_by_one(random: Random) -> None:
    pool = draw_pool(random)
    before = pool.lmsr()
    if random.random() < 0.5:
        before.probabilities()
    trades = []
    for _ in range(random.randint(0, 6)):
        outcome, shares = random.randrange(len(pool.q_yes)), random.randint(-(10**6), 10**6)
        trades.append((outcome, random.choice(SIDES), shares))
        if random.random() < 0.5:
            # Met by an order of the same size, which moves no price.
            trades.append((outcome, trades[-1][1], -shares))
    together, one_by_one = before.traded_together(trades), before
    for trade in trades:
        one_by_one = one_by_one.traded(*trade)
    assert (together.q_yes, together.q_no) == (one_by_one.q_yes, one_by_one.q_no)
    assert together.probabilities() == one_by_one.probabilities()
    assert together.traded(0, Side.YES, 5).probabilities() == one_by_one.traded(0, Side.YES, 5).probabilities()


def test_a_trade_leaves_the_pool_it_was_priced_in_as_it_was() -> None:
    before = untouched([0.2, 0.3, 0.5])
    prices = before.probabilities()
    before.traded(1, Side.YES, 50_000)
    assert before.probabilities() == prices
    assert (before.q_yes, before.q_no) == ((0, 0, 0), (0, 0, 0))


@pytest.mark.parametrize("prior", [[0.5], [0.5, 0.5], [0.25] * 4], ids=len)
def test_buying_yes_raises_its_price_and_buying_no_lowers_it(prior: list[float]) -> None:
    fresh = untouched(prior)
    raised, lowered = fresh.traded(0, Side.YES, 1000), fresh.traded(0, Side.NO, 1000)
    assert lowered.probability(0) < fresh.probability(0) < raised.probability(0)
    assert raised.traded(0, Side.YES, -1000).probabilities() == fresh.probabilities()


@proves("decisions: YES_i + NO_i costs exactly 1 per share, NO_i equals YES of all the others")
def test_no_of_one_outcome_moves_the_prices_as_yes_of_all_the_others() -> None:
    fresh = untouched([0.2, 0.3, 0.5])
    against = fresh.traded(0, Side.NO, 7_000)
    for_others = fresh.traded(1, Side.YES, 7_000).traded(2, Side.YES, 7_000)
    assert against.probabilities() == pytest.approx(for_others.probabilities(), abs=1e-15)
    # A pair always pays 1 and costs 1: buying both leaves every price unchanged.
    assert against.traded(0, Side.YES, 7_000).probabilities() == fresh.probabilities()


def test_a_pool_owes_what_its_worst_outcome_pays() -> None:
    three = Lmsr.of(b=100, weights=(1, 1, 1), q_yes=(10, 0, 7), q_no=(1, 20, 300))
    # L_i = 321 + q_yes_i − q_no_i: 330, 301, 28.
    assert three.liabilities_kopecks() == 330
    assert untouched([0.5]).liabilities_kopecks() == 0
    single = untouched([0.5]).traded(0, Side.YES, 10)
    assert single.liabilities_kopecks() == 10
    # The implicit other outcome pays the NO shares.
    assert single.traded(0, Side.NO, 25).liabilities_kopecks() == 25


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("markets", [1, 2, 100])
def test_the_limit_counts_shares_of_every_side_either_way(side: Side, markets: int) -> None:
    fresh = untouched([0.5] if markets == 1 else [1 / markets] * markets)
    for sign in (1, -1):
        full = fresh.traded(markets - 1, side, sign * 10**15)
        assert full.within_limit()
        assert not full.traded(markets - 1, side, sign).within_limit()


def test_a_price_out_of_a_doubles_range_is_0_or_1_and_no_error() -> None:
    for markets in (1, 2, 100):
        sure = untouched([0.5] if markets == 1 else [1 / markets] * markets, b=100).traded(0, Side.YES, Q_LIMIT)
        assert sure.probability(0) == 1.0
        assert set(sure.probabilities()[1:]) <= {0.0}
        hopeless = sure.traded(0, Side.YES, -2 * Q_LIMIT)
        assert hopeless.probability(0) == 0.0


@pytest.mark.parametrize(
    ("b", "weights", "q_yes", "q_no"),
    [
        (0, (1, 1), (0,), (0,)),
        (-100, (1, 1), (0,), (0,)),
        (100, (1, 0), (0,), (0,)),
        (100, (1,), (0,), (0,)),
        (100, (1, 1, 1), (0,), (0,)),
        (100, (1, 1, 1), (0, 0), (0, 0)),
        (100, (1, 1), (0, 0), (0,)),
        (100, (), (), ()),
    ],
)
def test_a_pool_that_makes_no_sense_is_refused(
    b: int, weights: tuple[int, ...], q_yes: tuple[int, ...], q_no: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"pool needs|zip\(\)"):
        Lmsr.of(b=b, weights=weights, q_yes=q_yes, q_no=q_no)


def test_a_pool_says_how_to_make_it_again() -> None:
    pool = untouched([0.25, 0.75]).traded(0, Side.YES, 12)
    assert repr(pool) == "Lmsr.of(b=100000, weights=(1, 3), q_yes=(12, 0), q_no=(0, 0))"
    assert (pool.b, pool.weights) == (100_000, (1, 3))
