"""Sets and bundles cost and pay the exact number, rounded once, however they are put together."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from foreknow.money.pricing import Lmsr, Side, bundles, exact, fee_kopecks, fee_on_top_kopecks, prior_weights
from tests.money.pricing.bundle_cases import draw_bundles, draw_changes, draw_stake
from tests.money.pricing.cases import SIDES, Pool, draw_amount, draw_pool, log_uniform, untouched
from tests.money.pricing.check import changed, check_bundles
from tests.money.pricing.reference import Reference
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS


def draw_several(random: Random) -> Pool:
    """Draw a pool with two or more markets."""
    pool = draw_pool(random)
    while len(pool.q_yes) < 2:
        pool = draw_pool(random)
    return pool


@proves(
    "baskets: All exact as Pricing is: every comparison is one between sums of integers times e^(m/b);",
    "baskets: buys x = floor(b · log1p(expm1(s/b) · r_G/r_T)) YES of each in T, exactly, and s YES of each outside G",
    "baskets: First all purchases, as one piece: cost = ceil(b · ln Σ p_i·exp(x_i/b))",
    "baskets: Then all sales, as one piece, at the prices after that: payout = floor(−b · ln Σ p_i·exp(−y_i/b))",
)
@LONG
def test_hard_bundles_are_the_exact_floor() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=length(short=150, long=900), deadline=None, suppress_health_check=list(HealthCheck))
    @given(random=RANDOMS)
    def price_a_pool(random: Random) -> None:
        result = check_bundles(draw_bundles(random, draw_several(random)))
        met["bundles"] += result.cases
        met["ties"] += result.ties
        assert result.wrong == []

    price_a_pool()
    assert met["bundles"] >= length(short=1_000, long=6_000)
    assert met["ties"] >= length(short=50, long=300)


@proves(
    "baskets: Check, margin 0, b 1000, priors 0.1, 0.2, 0.4, 0.2, 0.1: 500 on outcomes 1 and 2 buys 732 of each (166 "
    "and 334), prices then 0.0607, 0.2524, 0.5048, 0.1214, 0.0607; then changes −200 of 1, +300 of 3, +100 of 4: cost "
    "48 (42 and 6), payout 44, net −4, prices 0.0605, 0.2060, 0.5032, 0.1634, 0.0669."
)
def test_the_contracts_range_comes_out_to_the_kopeck() -> None:
    stake = bundles.staked(untouched([0.1, 0.2, 0.4, 0.2, 0.1], 1000), 500, outcomes={1, 2})
    assert stake.shares == {1: 732, 2: 732}
    prices = stake.after.probabilities()
    assert bundles.split_kopecks(500, [732, 732], prices[1:3]) == [166, 334]
    assert [round(price, 4) for price in prices] == [0.0607, 0.2524, 0.5048, 0.1214, 0.0607]
    purchase = bundles.bought(stake.after, {4: 100, 3: 300})
    sale = bundles.sold(purchase.after, {1: 200})
    assert (purchase.kopecks, sale.kopecks) == (48, 44)
    after = sale.after.probabilities()
    assert bundles.split_kopecks(48, list(purchase.shares.values()), after[3:]) == [42, 6]
    assert [round(price, 4) for price in after] == [0.0605, 0.2060, 0.5032, 0.1634, 0.0669]


@proves(
    "baskets: Joint of two yes/no questions A, B (A·B 0.3, A·not B 0.2, not A·B 0.1, neither 0.4): 500 on A·B given A "
    "buys 732 of A·B and 500 of each without A (262, 48 and 190); B if A goes from 0.6 to 0.7572, B if not A stays "
    "0.2, A goes from 0.5 to 0.4998 (by rounding down alone)."
)
def test_the_contracts_condition_comes_out_to_the_kopeck() -> None:
    stake = bundles.staked(untouched([0.3, 0.2, 0.1, 0.4], 1000), 500, outcomes={0}, given={0, 1})
    assert stake.shares == {0: 732, 2: 500, 3: 500}
    both, one, other, neither = stake.after.probabilities()
    assert bundles.split_kopecks(500, [732, 500, 500], [both, other, neither]) == [262, 48, 190]
    assert round(both / (both + one), 4) == 0.7572
    assert other / (other + neither) == pytest.approx(0.2, abs=1e-15)
    assert round(both + one, 4) == 0.4998


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_a_stake_on_a_set_is_covered_and_one_share_more_is_not(random: Random) -> None:
    pool = draw_several(random)
    outcomes, among, kopecks = draw_stake(random, pool)
    stake = bundles.staked(pool.lmsr(), kopecks, outcomes=outcomes, given=among)
    if not stake.shares:
        return
    assert pool.lmsr().cost_kopecks_to(stake.after) <= kopecks
    more = stake.after.traded_together([(outcome, Side.YES, 1) for outcome in outcomes])
    assert pool.lmsr().cost_kopecks_to(more) > kopecks


@proves(
    'baskets: among the outcomes of G and among those outside, all ratios but T\'s stay: "B if A" moves the price of '
    "B if A alone.",
)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_a_condition_moves_no_ratio_but_the_sets(random: Random) -> None:
    pool = draw_several(random)
    outcomes, among, _ = draw_stake(random, pool)
    kopecks = log_uniform(random, 1, 10 * pool.last_b)
    stake = bundles.staked(pool.lmsr(), kopecks, outcomes=outcomes, given=among)
    # The exponents say it exactly: within each of the three groups all outcomes rise alike.
    everything = frozenset(range(len(pool.q_yes)))
    among = everything if among is None else among
    bought = [stake.after.q_yes[outcome] - pool.q_yes[outcome] for outcome in everything]
    for group in (outcomes, among - outcomes, everything - among):
        assert len({bought[outcome] for outcome in group}) <= 1
    if stake.shares:
        assert {bought[outcome] for outcome in among - outcomes} <= {0}
        assert {bought[outcome] for outcome in everything - among} <= {kopecks}


@proves(
    "baskets: form 1 of one market without `given` is that bet; a change that sells alone is that sale, one that buys "
    "x alone costs the least stake of a bet that gets x or more."
)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_one_outcome_alone_is_a_bet_or_a_sale(random: Random) -> None:
    pool = draw_several(random)
    lmsr = pool.lmsr()
    outcome, margin = random.randrange(len(pool.q_yes)), random.choice((0.0, 0.07, 0.5, random.uniform(0, 0.5)))
    amount = draw_amount(random, pool, outcome, 10**15)
    assert lmsr.set_shares_bought({outcome}, amount) == lmsr.shares_bought(outcome, Side.YES, amount)
    sale = bundles.sold(lmsr, {outcome: amount})
    assert sale.kopecks == lmsr.sale_payout_kopecks(outcome, Side.YES, amount)
    cost = bundles.bought(lmsr, {outcome: amount}).kopecks
    stake = cost + fee_on_top_kopecks(cost_kopecks=cost, margin=margin)
    got, less = (
        lmsr.shares_bought(outcome, Side.YES, paid - fee_kopecks(stake_kopecks=paid, margin=margin))
        for paid in (stake, stake - 1)
    )
    assert got >= amount > less


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_the_way_between_two_states_prices_no_shares_too(random: Random) -> None:
    pool = draw_pool(random)
    outcome, side = random.randrange(len(pool.q_yes)), random.choice(SIDES)
    shares = draw_amount(random, pool, outcome, 10**15)
    lmsr = pool.lmsr()
    sold, bought = lmsr.traded(outcome, side, -shares), lmsr.traded(outcome, side, shares)
    assert lmsr.payout_kopecks_to(sold) == lmsr.sale_payout_kopecks(outcome, side, shares)
    assert lmsr.cost_kopecks_to(bought) == lmsr.cost_kopecks(outcome, side, shares)


@proves("baskets: x of every outcome cost x and pay x, a tie.")
@pytest.mark.parametrize("shares", [1, 700, 10**15])
@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.0001, 0.2, 0.7999], [0.01] * 100], ids=len)
def test_as_many_of_every_outcome_cost_and_pay_as_many(prior: list[float], shares: int) -> None:
    lmsr = untouched(prior, 12_345).traded(0, Side.YES, 999)
    for raised in (lmsr, lmsr.with_liquidity(54_321)):
        purchase = bundles.bought(raised, dict.fromkeys(range(len(prior)), shares))
        assert purchase.kopecks == shares
        assert purchase.after.probabilities() == pytest.approx(raised.probabilities(), rel=1e-12)
        assert bundles.sold(purchase.after, purchase.shares).kopecks == shares


def test_outcomes_that_change_places_cost_what_the_lowest_place_rises() -> None:
    """0, 700 and 1,400 shares of equally likely outcomes become 1,400, 700 and 0: a tie, and one more is dearer."""
    lmsr = Lmsr.of(b=1_000, weights=(1, 1, 1), q_yes=(0, 700, 1_400), q_no=(0, 0, 0))
    swap = {0: 2_800, 1: 1_400}
    assert bundles.bought(lmsr, swap).kopecks == 1_400
    assert bundles.bought(lmsr, swap | {2: 1}).kopecks == 1_401
    back = bundles.bought(lmsr, swap).after
    assert bundles.sold(back, swap).kopecks == 1_400


def test_sure_and_hopeless_bundles_are_known_without_more_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "largest", lambda *_: pytest.fail("floats could not tell"))
    sure = untouched([0.2, 0.3, 0.5], 100).traded(0, Side.YES, 10**15)
    assert bundles.bought(sure, {0: 500, 1: 400}).kopecks == 500
    assert bundles.sold(sure, {0: 500, 1: 400}).kopecks == 499
    assert bundles.bought(sure, {1: 500, 2: 400}).kopecks == 1
    assert bundles.sold(sure, {1: 500, 2: 400}).kopecks == 0


@pytest.mark.parametrize("outcomes", [2, 10, 100])
def test_ordinary_bundles_never_need_more_than_floats(outcomes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "largest", lambda *_: pytest.fail("floats could not tell"))
    random = Random(outcomes)
    for _ in range(20):
        b = log_uniform(random, 100_000, 10_000_000)
        lmsr = untouched([1 / outcomes] * outcomes, b)
        for _ in range(20):
            chosen = random.sample(range(outcomes), random.randint(1, outcomes - 1))
            lmsr = bundles.staked(lmsr, log_uniform(random, 100, b), outcomes=chosen).after
            wanted = {outcome: log_uniform(random, 1, b) for outcome in chosen}
            lmsr = bundles.bought(lmsr, wanted).after
            if random.random() < 0.5:
                lmsr = bundles.sold(lmsr, wanted).after


@settings(max_examples=100, deadline=None)
@given(random=RANDOMS)
def test_parts_of_an_amount_are_floors_of_what_the_legs_reach_together(random: Random) -> None:
    legs = random.randint(1, 100)
    shares = [log_uniform(random, 1, 10**15) for _ in range(legs)]
    prices = [random.choice((0.0, 1.0, 1e-300, random.random())) for _ in range(legs)]
    kopecks = log_uniform(random, 1, 10**15)
    parts = bundles.split_kopecks(kopecks, shares, prices)
    assert sum(parts) == kopecks
    assert min(parts) >= 0
    worth = [Fraction(price) * count for price, count in zip(prices, shares, strict=True)]
    if any(worth):
        for through in range(1, legs + 1):
            assert sum(parts[:through]) == kopecks * sum(worth[:through]) // sum(worth)


@proves("baskets: by shares alone where all are 0")
def test_legs_without_a_price_share_by_their_shares() -> None:
    assert bundles.split_kopecks(10, [1, 1, 2], [0.0, 0.0, 0.0]) == [2, 3, 5]
    assert bundles.split_kopecks(7, [5, 5], [0.0, 1e-320]) == [0, 7]
    assert bundles.split_kopecks(0, [5, 5], [0.5, 0.5]) == [0, 0]


def test_a_part_a_hair_below_a_whole_kopeck_is_rounded_down() -> None:
    """By decimals the first leg gets 20·2/8 = 5; the doubles 0.2 and 0.8 are a little more than that."""
    assert bundles.split_kopecks(20, [4, 4, 6, 2], [0.5, 0.2, 0.8, 0.2]) == [4, 2, 12, 2]


def test_a_stake_that_buys_no_share_is_an_empty_bundle() -> None:
    sure = Lmsr.of(b=100, weights=prior_weights([0.5, 0.5]), q_yes=(0, 0), q_no=(0, 0))
    assert bundles.staked(sure, 0, outcomes={0}) == bundles.Bundle({}, 0, sure)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_a_change_there_and_back_costs_at_most_a_kopeck(random: Random) -> None:
    pool = draw_several(random)
    changes = draw_changes(random, pool)
    lmsr, there = pool.lmsr(), changed(pool.lmsr(), changes)
    way = lmsr.payout_kopecks_to(there) + there.payout_kopecks_to(lmsr)
    assert way in {-1, 0}
    assert lmsr.payout_kopecks_to(there) == Reference(pool).bundle_payout_kopecks(changes)
