"""The client's baskets come to what the service's own pricing and its quotes say, to the kopeck."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.money.pricing import Lmsr, bundles
from foreknow_client import Client, baskets, models
from foreknow_client.pricing import PoolState
from tests.sdk.pool_cases import amounts, lists, pools
from tests.support.baskets import CHECK_B, CHECK_PRIORS, RANGES, markets_of, open_pool
from tests.support.orders import add_liquidity, bet
from tests.support.service import Service


@given(st.one_of(pools(), lists()), st.data())
def test_bundles_are_those_of_the_service(both: tuple[Lmsr, PoolState], data: st.DataObject) -> None:
    ours, theirs = both
    count = len(ours.q_yes)
    if count == 1:
        return
    order = data.draw(st.permutations(range(count)))
    size = data.draw(st.integers(1, count - 1))
    outcomes, within = set(order[:size]), data.draw(st.integers(size, count - 1))
    given_ = set(order[:within]) if within > size else None
    kopecks = data.draw(amounts)
    staked = baskets.stake(theirs, outcomes, kopecks, given_)
    if staked.cost_kopecks > 0:
        wanted = bundles.staked(ours, staked.cost_kopecks, outcomes=outcomes, given=given_)
        assert staked.shares == wanted.shares
        assert staked.after.probability(0) == pytest.approx(wanted.after.probability(0))
    shares = {outcome: data.draw(amounts) for outcome in order[:size]}
    bundle = bundles.bought(ours, shares)
    assert baskets.change(theirs, shares).cost_kopecks == bundle.kopecks
    sold = {outcome: data.draw(amounts) for outcome in order[size:]}
    both_ways = baskets.change(theirs, shares | {outcome: -count for outcome, count in sold.items()})
    assert both_ways.payout_kopecks == bundles.sold(bundle.after, sold).kopecks


def test_a_pool_as_the_service_shows_it_gives_its_quotes_of_baskets(sqlite_service: Service) -> None:
    shown = open_pool(sqlite_service, CHECK_PRIORS, shape=RANGES, margin=0.03)
    markets, person = markets_of(shown), sqlite_service.user(balance_kopecks=100_000)
    with Client(sqlite_service.url, key=person.token) as client:
        for step in range(3):
            state = PoolState.of(client.get_pool(shown["id"]))
            for outcomes, within in (({1, 2}, None), ({0}, {0, 3, 4})):
                given_ids = None if within is None else [markets[one] for one in sorted(within)]
                quote = client.quote_basket(
                    market_ids=[markets[one] for one in sorted(outcomes)], given=given_ids, amount_kopecks=777
                )
                assert_alike(baskets.stake(state, outcomes, 777, within), quote, markets)
            shares = {0: 321, 2: -123, 4: 55}
            changes = baskets.changes(client.get_pool(shown["id"]), shares)
            assert_alike(baskets.change(state, shares), client.quote_basket(changes=changes), markets)
            bet(person, markets[step], "YES", 900)
            add_liquidity(sqlite_service.creator.client, shown["id"], CHECK_B * (step + 2))


def test_a_distribution_is_reached_or_the_money_goes_as_far_as_it_can() -> None:
    state = PoolState.made(b=10_000, probabilities=CHECK_PRIORS, q_yes=[0] * 5, q_no=[0] * 5, margin=0.02)
    wanted = [0.05, 0.1, 0.3, 0.35, 0.2]
    reached = baskets.change(state, baskets.towards(state, wanted, 100_000)).after
    assert [reached.probability(one) for one in range(5)] == pytest.approx(wanted, abs=1e-3)
    some = baskets.change(state, baskets.towards(state, wanted, 500))
    assert 0 < -some.net_kopecks <= 500
    assert baskets.towards(state, CHECK_PRIORS, 500) == {}
    with pytest.raises(ValueError, match="for each outcome"):
        baskets.towards(state, [0.5, 0.5], 500)


def assert_alike(ours: baskets.QuotedBasket, quote: models.BasketQuote, markets: list[int]) -> None:
    money = (quote.payout_kopecks, quote.cost_kopecks, quote.fee_kopecks, quote.net_kopecks)
    assert (ours.payout_kopecks, ours.cost_kopecks, ours.fee_kopecks, ours.net_kopecks) == money
    assert {markets[one]: count for one, count in ours.shares.items()} == {
        leg.market_id: leg.shares for leg in quote.legs
    }
    after = [ours.after.probability(one) for one in range(len(markets))]
    assert after == pytest.approx(quote.probabilities_after)
