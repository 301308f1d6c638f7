"""The order book: every level is the floor of the exact number of shares between two prices."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from foreknow.money.pricing import DepthLevel, Lmsr, Side, prior_weights
from tests.money.pricing.cases import Pool, draw_pool
from tests.money.pricing.reference import Reference
from tests.support.proofs import proves
from tests.support.randoms import RANDOMS


def order_book_from_reference(pool: Pool, outcome: int) -> tuple[list[DepthLevel], list[DepthLevel]]:
    """The contract's definition: from the price to the next whole percent, then percent by percent."""
    reference = Reference(pool)

    def steps(side: Side) -> list[tuple[int, int]]:
        ahead = [percent for percent in range(1, 100) if reference.shares_to_price(outcome, side, percent) >= 0]
        if not ahead:
            return []
        # Between two levels only b matters: use an even pool that starts at one level.
        first = (ahead[0], reference.shares_to_price(outcome, side, ahead[0]))
        return [first, *((above, between(pool.last_b, below, above)) for below, above in pairwise(ahead))]

    asks = [DepthLevel(100 * percent, shares) for percent, shares in steps(Side.YES) if shares]
    bids = [DepthLevel(100 * (100 - percent), shares) for percent, shares in steps(Side.NO) if shares]
    return bids, asks


def between(b: int, below: int, above: int) -> int:
    return Reference(Pool(b, (below, 100 - below), (0,), (0,))).shares_to_price(0, Side.YES, above)


@proves("decisions: Orderbook of an LMSR market: its depth ladder.")
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=RANDOMS)
def test_every_level_is_the_exact_floor(random: Random) -> None:
    pool = draw_pool(random, outcomes_max=8)
    outcome = random.randrange(len(pool.q_yes))
    assert pool.lmsr().depth(outcome) == order_book_from_reference(pool, outcome)


@pytest.mark.parametrize("percent", [1, 2, 50, 98, 99])
def test_a_price_on_a_whole_percent_has_its_neighbours_next(percent: int) -> None:
    pool = Pool(100_000, prior_weights([percent / 100]), (0,), (0,))
    bids, asks = pool.lmsr().depth(0)
    assert (bids, asks) == order_book_from_reference(pool, 0)
    assert [level.price_bps for level in asks] == [100 * above for above in range(percent + 1, 100)]
    assert [level.price_bps for level in bids] == [100 * below for below in range(percent - 1, 0, -1)]


def test_a_price_less_than_a_share_below_a_percent_has_no_empty_level() -> None:
    """The share that brings it to 50 % is none yet; the step from there to 51 % is as from 50 %."""
    pool = Pool(772, prior_weights([0.4999]), (0,), (0,))
    assert pool.lmsr().depth(0) == order_book_from_reference(pool, 0)
    assert pool.lmsr().depth(0)[1][0] == DepthLevel(5100, 30)


def test_levels_of_the_deepest_pools_are_exact_where_floats_cannot_decide() -> None:
    pool = Pool(10**15, prior_weights([0.5]), (0,), (0,))
    assert pool.lmsr().depth(0) == order_book_from_reference(pool, 0)


def test_buying_an_ask_brings_the_price_to_it() -> None:
    fresh = Lmsr.of(b=10**9, weights=prior_weights([0.5047]), q_yes=(0,), q_no=(0,))
    bids, asks = fresh.depth(0)
    assert (asks[0].price_bps, bids[0].price_bps) == (5100, 5000)
    assert fresh.traded(0, Side.YES, asks[0].shares).probability(0) == pytest.approx(0.51, abs=1e-9)
    assert fresh.traded(0, Side.YES, asks[0].shares + asks[1].shares).probability(0) == pytest.approx(0.52, abs=1e-8)
    assert fresh.traded(0, Side.NO, bids[0].shares).probability(0) == pytest.approx(0.50, abs=1e-9)


def test_levels_of_no_whole_share_are_left_out() -> None:
    """At b = 100 every percent in the middle takes 4 shares; a price just below one is less than a share away."""
    near = Lmsr.of(b=100, weights=prior_weights([0.5099]), q_yes=(0,), q_no=(0,))
    bids, asks = near.depth(0)
    assert [level.price_bps for level in asks][:2] == [5200, 5300]
    assert bids[0].price_bps == 5000
    assert all(level.shares > 0 for level in (*bids, *asks))


@pytest.mark.parametrize("apart", [10_000, 10**15])
def test_a_sure_thing_has_one_half_of_an_order_book(apart: int) -> None:
    sure = Lmsr.of(b=100, weights=(1, 1, 1), q_yes=(apart, 0, 0), q_no=(0, 0, 0))
    bids, asks = sure.depth(0)
    assert asks == []
    # Down to 99 %: apart − 100·ln(99·2), that is 528.8…, and then as from any other 99 %.
    assert bids[0] == DepthLevel(9900, apart - 529)
    assert bids[-1].price_bps == 100
    bids, asks = sure.depth(1)
    assert bids == []
    assert asks[0].price_bps == 100
