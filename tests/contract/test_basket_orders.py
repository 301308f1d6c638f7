"""Baskets beside resting orders: on the curve alone, then the sweep follows; reserved shares are not sold."""

from __future__ import annotations

from tests.support.baskets import CHECK_PRIORS, change, markets_of, open_pool, stake
from tests.support.limit_orders import get_order, rest
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused


@proves(
    "orders: 9. Baskets and the house's own trades (lifecycle.md) go on the curve alone.",
    "orders: After each order that traded (a basket and a round of the house are one each), added liquidity or new "
    "priors, in the same transaction, the pool is swept, the order's own rest included: market after market, "
    "cyclically from the one after the order's (else, and for baskets and the house, the first);",
    "orders: only baskets and the house show their own pieces'.",
)
def test_a_basket_goes_on_the_curve_and_what_rests_follows(service: Service) -> None:
    pool = open_pool(service, CHECK_PRIORS)
    markets = markets_of(pool)
    maker, trader = (service.user(balance_kopecks=100_000) for _ in range(2))
    expect(change(maker, {markets[1]: 2_000}), 201)
    ask = rest(maker, markets[1], "YES", "sell", shares=1_000, price=90)
    before = expect(service.client().get(f"/pools/{pool['id']}"), 200)["markets"]
    placed = expect(change(trader, {markets[1]: 3_000, markets[0]: 100}), 201)

    filled = get_order(maker, ask["id"])
    assert filled["filled_shares"] > 0, "the sweep sold to the curve what the basket made dear"
    assert placed["probabilities_before"] == [market["yes_probability"] for market in before]
    assert placed["probabilities_after"][1] > 0.9
    shown = expect(service.client().get(f"/pools/{pool['id']}"), 200)["markets"]
    assert shown[1]["yes_probability"] < placed["probabilities_after"][1]
    # Its own piece, before the sweep; the fill shows what it left.
    (own,) = expect(trader.client.get("/users/me/trades"), 200)["trades"]
    trades = expect(service.client().get(f"/events/{own['event_id']}/trades"), 200)["trades"]
    fill, of_basket = trades[:2]
    assert (of_basket["basket_id"], fill["basket_id"], fill["legs"]) == (placed["id"], None, None)
    assert of_basket["probability_after"] == placed["probabilities_after"][1]
    assert fill["probability_after"] == shown[1]["yes_probability"]
    assert of_basket["id"] < fill["id"]


@proves(
    "orders: `insufficient_shares` counts these alone (none: refused), in baskets too.",
)
def test_a_basket_sells_no_reserved_shares(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    person = service.user(balance_kopecks=10_000)
    held = expect(stake(person, markets[2:3], 1_000), 201)["legs"][0]["shares"]
    rest(person, markets[2], "YES", "sell", shares=1_000, price=99)
    answer = refused(change(person, {markets[2]: -(held - 999)}), 409, "insufficient_shares")
    assert answer["details"] == {"market_id": markets[2], "required": held - 999, "available": held - 1_000}
    before = balance(person)
    sold = expect(change(person, {markets[2]: -(held - 1_000), markets[0]: 20}), 201)
    assert balance(person) == before + sold["net_kopecks"]
    refused(change(person, {markets[2]: -1}), 409, "insufficient_shares")
