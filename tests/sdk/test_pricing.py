"""The client's closed forms give what the service's own pricing and its quotes give, to the kopeck."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.money.pricing import Lmsr, Side, fee_kopecks
from foreknow_client import Client
from foreknow_client.pricing import PoolState
from tests.sdk.pool_cases import amounts, lists, pools
from tests.support.service import Service, pool

Name = Literal["YES", "NO"]
SIDES: list[Name] = ["YES", "NO"]


@given(st.one_of(pools(), lists()), st.data())
def test_bets_sales_and_values_are_those_of_the_service(both: tuple[Lmsr, PoolState], data: st.DataObject) -> None:
    ours, theirs = both
    outcome, side = data.draw(st.integers(0, len(ours.q_yes) - 1)), data.draw(st.sampled_from(SIDES))
    stake, shares = data.draw(amounts), data.draw(amounts)
    fee = fee_kopecks(stake_kopecks=stake, margin=float(theirs.margin))

    bet = theirs.bet(outcome, side, stake)
    assert (bet.fee_kopecks, bet.shares) == (fee, ours.shares_bought(outcome, Side(side), stake - fee))
    sale = theirs.sale(outcome, side, shares)
    assert sale.amount_kopecks == ours.sale_payout_kopecks(outcome, Side(side), shares)
    assert theirs.value_kopecks(outcome, side, shares) == ours.value_kopecks(outcome, Side(side), shares)
    after = ours.traded(outcome, Side(side), bet.shares)
    assert bet.probability_after == pytest.approx(after.probability(outcome), rel=1e-9, abs=1e-300)
    again = bet.after.sale(outcome, side, max(1, bet.shares))
    assert again.amount_kopecks == after.sale_payout_kopecks(outcome, Side(side), max(1, bet.shares))


def test_a_pool_as_the_service_shows_it_gives_its_quotes(sqlite_service: Service) -> None:
    event = sqlite_service.event(pools=[pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2], b=40_000, margin=0.03)])
    trader, creator = sqlite_service.user(balance_kopecks=500_000), sqlite_service.creator
    shown = event["pools"][0]
    markets = [market["id"] for market in shown["markets"]]
    with Client(sqlite_service.url, key=trader.token) as client, Client(sqlite_service.url, key=creator.token) as owner:
        client.place_bet(market_id=markets[1], token_type="YES", amount_kopecks=12_345)
        seen = [market.yes_probability for market in owner.get_pool(shown["id"]).markets]
        owner.add_liquidity(shown["id"], lmsr_b_kopecks=70_001, probabilities=seen)
        client.place_bet(market_id=markets[0], token_type="NO", amount_kopecks=6_789)
        state = PoolState.of(client.get_pool(shown["id"]))
        for outcome, market in enumerate(markets):
            for side in SIDES:
                quote = client.quote_order(market_id=market, token_type=side, amount_kopecks=9_999)
                ours = state.bet(outcome, side, 9_999)
                assert (ours.shares, ours.fee_kopecks, ours.avg_price_bps) == (
                    *(quote.shares, quote.fee_kopecks, quote.avg_price),
                )
                assert ours.probability_after == pytest.approx(quote.probability_after)
                sale = client.quote_order(market_id=market, token_type=side, shares=777)
                assert state.sale(outcome, side, 777).amount_kopecks == sale.amount_kopecks
        for target in (0.9, 0.05):
            side, stake = state.stake_to_reach(2, target)
            reached = client.quote_order(market_id=markets[2], token_type=side, amount_kopecks=stake)
            assert reached.probability_after == pytest.approx(target, abs=1e-4)


def test_priors_that_are_not_shown_are_read_off_the_prices(sqlite_service: Service) -> None:
    event = sqlite_service.event(pools=[pool(["A", "B", "C"], b=30_000)])
    with Client(sqlite_service.url) as client:
        shown = client.get_pool(event["pools"][0]["id"])
        market = shown.markets[1]
        quote = client.quote_order(market_id=market.id, token_type="YES", amount_kopecks=5_000)
    moved = msgspec.structs.replace(shown, metadata=shown.metadata | {"market_probabilities": [0.5, 0.3, 0.2]})

    assert PoolState.of(shown).is_exact
    assert PoolState.of(shown).bet(1, "YES", 5_000).shares == quote.shares
    assert not PoolState.of(moved).is_exact
    assert PoolState.of(moved).bet(1, "YES", 5_000).shares == pytest.approx(quote.shares, abs=1)


def test_a_single_market_has_its_other_outcome(sqlite_service: Service) -> None:
    event = sqlite_service.event(pools=[pool(probabilities=[0.3], b=10_000)])
    with Client(sqlite_service.url) as client:
        state = PoolState.of(client.get_pool(event["pools"][0]["id"]))
        market = event["pools"][0]["markets"][0]["id"]
        quote = client.quote_order(market_id=market, token_type="NO", amount_kopecks=1_000)

    assert state.bet(0, "NO", 1_000).shares == quote.shares
    assert state.probability(0) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="0 or 1"):
        state.stake_to_reach(0, 1.0)
