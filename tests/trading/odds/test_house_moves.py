"""What the house moves: single markets, and who hears of it."""

from __future__ import annotations

import pytest

from tests.contract.site_setting import change
from tests.support.following import Follower
from tests.support.kinds import ONCE
from tests.support.odds import polymarket, polymarket_market
from tests.support.service import expect


@ONCE
def test_in_a_single_market_it_buys_no_and_sells_it_again(follower: Follower) -> None:
    event = follower.event({"Anything": "0.3"})
    follower.bet(event)
    for price in ("0.45", "0.5"):
        follower.answer(event, polymarket(polymarket_market(price)))
        assert follower.round(event)
    assert [(trade.action, trade.side) for trade in follower.house_trades(event)] == [("buy", "NO"), ("sell", "NO")]
    assert follower.prices(event) == [pytest.approx(0.5, abs=0.011)]


@ONCE
def test_others_hear_of_a_pool_whose_prices_it_moved_and_of_no_other(follower: Follower) -> None:
    moved: list[int] = []
    rounds = follower.with_rules(on_move=[moved.extend])
    traded, followed, rested = (follower.event({"Reds": "0.6", "Blues": "0.4"}) for _ in range(3))
    follower.bet(traded)
    for event in (traded, followed):
        assert follower.round(event, rounds=rounds)
    assert moved == [event["pools"][0]["id"] for event in (traded, followed)]
    moved.clear()
    for _ in range(4):
        assert follower.round(traded, rounds=rounds)
    assert follower.prices(traded) == pytest.approx([0.6, 0.4], abs=0.011)
    moved.clear()
    # The same prices again, and orders that rest where none is taken.
    maker = follower.service.user(balance_kopecks=10_000)
    order = {"market_id": rested["pools"][0]["markets"][1]["id"], "token_type": "YES", "action": "buy"}
    expect(maker.client.post("/market/orders", json={**order, "shares": 1_000, "price_bps": 4_000}), 201)
    change(follower.service, trading="off")
    try:
        for event in (followed, rested):
            assert follower.round(event, rounds=rounds)
    finally:
        change(follower.service, trading=None)
    assert follower.round(traded, rounds=rounds)
    assert moved == []
