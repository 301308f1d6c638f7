"""Rounds beside limit orders that rest: they pass the book by, and the sweep follows (orders.md, rules 8 and 9)."""

from __future__ import annotations

from tests.support.books import audit_database
from tests.support.following import Follower
from tests.support.limit_orders import get_order, money, rest
from tests.support.odds import polymarket_group
from tests.support.proofs import proves
from tests.support.service import expect
from tests.support.waiting import wait_until

#: Of the market of `Reds`.
FIRST = 0


@proves(
    "orders: and a round of the house are one each),",
    "orders: only baskets and the house show their own pieces'.",
    "orders: 9. Baskets and the house's own trades (lifecycle.md) go on the curve alone.",
)
def test_a_round_moves_the_curve_alone_and_orders_follow(follower: Follower) -> None:
    event = follower.event({"Reds": "0.5", "Blues": "0.5"})
    assert follower.round(event)
    follower.bet(event)
    market = event["pools"][0]["markets"][FIRST]["id"]
    maker = follower.service.user(balance_kopecks=100_000)
    order = rest(maker, market, "YES", "buy", shares=30_000, price=48)
    offered = rest(maker, market, "YES", "buy", shares=1_000, price=20)
    follower.answer(event, polymarket_group(Reds="0.4", Blues="0.6"))

    rounds = 0
    while get_order(maker, order["id"])["filled_shares"] == 0:
        assert follower.round(event)
        rounds += 1
        assert rounds < 50
    filled = get_order(maker, order["id"])

    # At the price that the round left, no worse than the order's, and never from the house's account.
    assert filled["amount_kopecks"] <= filled["filled_shares"] // 100 * 48
    trades = expect(maker.client.get(f"/events/{event['id']}/trades"), 200)["trades"]
    newest = next(one for one in trades if one["user"]["id"] != maker.id)
    outcome = [one["id"] for one in event["pools"][0]["markets"]].index(newest["market_id"])
    began, left, now = newest["probability_before"], newest["probability_after"], follower.prices(event)[outcome]
    # What the round's own piece left; the order's, which followed, took the price a part of the way back.
    assert abs(left - began) > abs(now - began) > 0
    assert 0.47 < follower.prices(event)[FIRST] <= 0.48
    assert follower.spent(event) > 0
    assert get_order(maker, offered["id"])["filled_shares"] == 0
    wait_until(lambda: sum(money(maker)) == 100_000 - get_order(maker, order["id"])["amount_kopecks"])
    audit_database(follower.service.database_url)


@proves("orders: added liquidity or new priors, in the same transaction, the pool is swept")
def test_new_priors_are_followed_by_a_sweep(follower: Follower) -> None:
    event = follower.event({"Reds": "0.5", "Blues": "0.5"})
    market = event["pools"][0]["markets"][FIRST]["id"]
    maker = follower.service.user(balance_kopecks=100_000)
    order = rest(maker, market, "YES", "buy", shares=30_000, price=48)
    follower.answer(event, polymarket_group(Reds="0.4", Blues="0.6"))

    assert follower.round(event)

    filled = get_order(maker, order["id"])
    assert (filled["status"], filled["filled_shares"]) == ("filled", 30_000)
    assert filled["amount_kopecks"] < 300 * 48
    assert 0.4 < follower.prices(event)[FIRST] <= 0.48
    wait_until(lambda: money(maker) == (100_000 - filled["amount_kopecks"], 0))
    audit_database(follower.service.database_url)
