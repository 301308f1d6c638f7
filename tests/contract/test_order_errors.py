"""The terms of limit orders and their errors, in the order of the contract (orders.md)."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.units import AMOUNT_MAX
from tests.support.kinds import ONCE
from tests.support.limit_orders import get_order, money, orders_of, place, rest
from tests.support.orders import bet, open_market
from tests.support.proofs import proves
from tests.support.service import Person, Service, Shot, expect, pool, refused
from tests.support.twin import Twin

#: The most shares of a token that may be sold.
Q_LIMIT = 10**15


@proves(
    "orders: A **lot** is 100 shares (one token). `shares` of an order are whole lots, its `price_bps` a whole "
    "percent, 100 … 9900, of the side named: so many kopecks a lot, before the margin."
)
@ONCE
def test_a_lot_costs_its_percent_in_kopecks(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.995], b=20_000, margin=0.1)
    person = service.user(balance_kopecks=50_000)
    for side, price in (("YES", 1), ("YES", 37), ("YES", 99)):
        order = rest(person, market, side, "buy", shares=1_300, price=price)
        assert (order["price_bps"], order["held_kopecks"]) == (100 * price, 13 * price)
    for shares, price in ((1_350, 37), (1_000, 0), (1_000, 100)):
        refused(place(person, market, "YES", "buy", shares=shares, price=price), 400, "bad_request")
    order = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 3_750}
    refused(person.client.post("/market/orders", json=order), 400, "bad_request")
    assert money(person) == (50_000 - 13 * 137, 13 * 137)


@proves(
    'orders: **Order**: `{market_id, token_type, action: "buy"|"sell", shares, price_bps, time_in_force?: '
    '"gtc"|"ioc"|"fok" (gtc), post_only? (false), expires_at?}`.',
    "orders: the rest of a gtc rests, of an ioc is cancelled; a fok fills whole.",
)
def test_what_is_left_rests_or_is_cancelled_or_there_is_none(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=5_000)
    person = service.user(balance_kopecks=50_000)
    order = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 4_000, "price_bps": 5_200}

    def answered(**more: Any) -> dict[str, Any]:
        said: dict[str, Any] = expect(person.client.post("/market/orders", json=order | more), 201)
        return said

    whole = answered(time_in_force="fok", shares=100)
    assert (whole["status"], whole["filled_shares"], whole["held_kopecks"]) == ("filled", 100, 0)
    part = answered(time_in_force="ioc", post_only=False, expires_at=None)
    assert (part["status"], part["reason"], part["held_kopecks"]) == ("cancelled", "ioc", 0)
    assert 0 < part["filled_shares"] < 4_000
    rested = answered(post_only=None, time_in_force=None)
    assert (rested["status"], rested["time_in_force"], rested["post_only"]) == ("open", "gtc", False)
    for wrong in ({"action": "bid"}, {"token_type": "yes"}, {"market_id": "1"}, {"limit": 1}, {"shares": None}):
        refused(person.client.post("/market/orders", json=order | wrong), 400, "bad_request")


def fill_with_orders(service: Service, person: Person, market: int) -> None:
    """Let a trader have the most open orders that they may in a pool."""
    order = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 100}
    shots: list[Shot] = [("POST", "/market/orders", {"json": order})] * 200
    for answer in service.together(shots, tokens=[person.token]):
        assert expect(answer, 201)["status"] == "open"


@proves(
    "orders: Beside 200 open orders of a trader in a pool any further gtc is 409 `too_many_orders`.",
    "orders: Refusals of POST, in this order: `market_not_found`, `market_resolved`, `market_closed`, "
    "`market_paused`, `insufficient_shares`, `too_many_orders`, `would_trade` (post_only that would fill), `unfilled` "
    "(a fok not whole, an ioc or capped order with nothing), `market_limit`, `insufficient_funds` (`required`: paid + "
    "fee + hold), `balance_limit` (by what arrival brings). A refusal changes nothing, own orders neither.",
)
@ONCE
def test_errors_come_in_the_contracts_order(service: Service) -> None:
    creator = service.creator.client
    pools = [pool(probabilities=[0.5], b=1_000) for _ in range(3)]
    event = service.event(pools=[*pools, pool(probabilities=[0.5], b=1_000, live_at="2099-01-01T00:00:00Z")])
    resolved, paused, open_, later = ((one["id"], one["markets"][0]["id"]) for one in event["pools"])
    person = service.user(balance_kopecks=3_000)
    fill_with_orders(service, person, open_[1])
    before = money(person)
    for pool_id in (resolved[0], paused[0], later[0]):
        expect(creator.post(f"/pools/{pool_id}/pause"), 200)
    expect(creator.post(f"/pools/{resolved[0]}/resolve", json={"won_side": 0}), 200)

    def sale(market: int, **more: Any) -> Any:
        return place(person, market, "NO", "sell", shares=1_000, price=1, **more)

    # Whose every later check would fail as well.
    for market, status, code in (
        (999_999_999, 404, "market_not_found"),
        (resolved[1], 409, "market_resolved"),
        (later[1], 409, "market_closed"),
        (paused[1], 409, "market_paused"),
        (open_[1], 409, "insufficient_shares"),
    ):
        refused(sale(market, post_only=True), status, code)
        refused(sale(market, time_in_force="fok"), status, code)
    buy: dict[str, Any] = {"side": "YES", "action": "buy", "shares": 10**9}
    refused(place(person, open_[1], **buy, price=99, post_only=True), 409, "too_many_orders")
    (newest, *_) = orders_of(person, limit=1)
    expect(person.client.delete(f"/market/orders/{newest['id']}"), 200)
    refused(place(person, open_[1], **buy, price=99, post_only=True), 409, "would_trade")
    refused(place(person, open_[1], **buy, price=99, time_in_force="fok"), 409, "unfilled")
    refused(place(person, open_[1], **buy, price=50, time_in_force="ioc"), 409, "unfilled")
    error = refused(place(person, open_[1], **buy, price=1), 409, "insufficient_funds")
    assert error["details"] == {"required": 10**7, "available": before[0] + 10}
    assert money(person) == (before[0] + 10, before[1] - 10)
    assert len(orders_of(person, status="open", pool_id=open_[0], limit=100)) == 100
    # An ioc rests nowhere: it is no further one.
    rest(person, open_[1], "YES", "buy", shares=1_000, price=1)
    assert expect(place(person, open_[1], "YES", "buy", shares=100, price=60, time_in_force="ioc"), 201)["trade_id"]


@proves("orders: A refusal changes nothing, own orders neither.")
def test_an_order_that_is_refused_leaves_own_orders_that_it_would_meet(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=1_000)
    person = service.user(balance_kopecks=600)
    own = rest(person, market, "NO", "buy", shares=1_000, price=48)
    # What it holds pays for the order, and is not enough.
    error = refused(place(person, market, "YES", "buy", shares=5_000, price=55), 409, "insufficient_funds")
    assert error["details"]["available"] == 600
    assert get_order(person, own["id"]) == {key: own[key] for key in get_order(person, own["id"])}
    assert money(person) == (120, 480)
    refused(place(person, market, "YES", "buy", shares=1_000, price=55, time_in_force="fok"), 409, "unfilled")
    assert get_order(person, own["id"])["status"] == "open"


@proves("orders: `insufficient_funds` (`required`: paid + fee + hold)")
@ONCE
def test_what_is_required_is_what_is_paid_the_fee_and_the_hold(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=5_000, margin=0.05)
    rich, poor = service.user(balance_kopecks=50_000), service.user(balance_kopecks=10)
    error = refused(place(poor, market, "YES", "buy", shares=4_000, price=55), 409, "insufficient_funds")
    placed = expect(place(rich, market, "YES", "buy", shares=4_000, price=55), 201)
    assert placed["fee_kopecks"] > 0 < placed["held_kopecks"]
    assert error["details"] == {"required": placed["amount_kopecks"] + placed["held_kopecks"], "available": 10}


@proves("orders: `balance_limit` (by what arrival brings)")
@ONCE
def test_a_sale_that_brings_more_than_a_balance_may_hold_is_refused(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=50_000)
    person = service.user(balance_kopecks=50_000)
    shares = expect(bet(person, market, "YES", 5_000), 201)["shares"] // 100 * 100
    service.credit(person.id, AMOUNT_MAX - money(person)[0])

    refused(place(person, market, "YES", "sell", shares=shares, price=30), 409, "balance_limit")

    # What rests brings nothing on arrival.
    assert rest(person, market, "YES", "sell", shares=shares, price=90)["status"] == "open"
    assert money(person) == (AMOUNT_MAX, 0)


@proves("decisions: a balance that would pass 9·10^15 is 409 `balance_limit`.")
def test_what_a_pools_orders_hold_together_is_a_balance_too(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=50_000)
    one, another = (service.user() for _ in range(2))
    for person in (one, another):
        service.credit(person.id, AMOUNT_MAX - money(person)[0])
    for _ in range(2):
        rest(one, market, "YES", "buy", shares=AMOUNT_MAX, price=40)
    held = 2 * AMOUNT_MAX // 100 * 40
    assert money(one) == (AMOUNT_MAX - held, held)

    refused(place(another, market, "NO", "buy", shares=AMOUNT_MAX, price=40), 409, "balance_limit")

    assert money(another) == (AMOUNT_MAX, 0)
    left = (AMOUNT_MAX - held) // 40 * 100
    refused(place(another, market, "NO", "buy", shares=left + 100, price=40), 409, "balance_limit")
    rest(another, market, "NO", "buy", shares=left, price=40)


def a_full_market(service: Service) -> Twin:
    """Sell 10^15 − 1,000 shares of YES and as many of NO of the first of three outcomes, whose price stays."""
    twin = Twin(service, probabilities=[0.332, 0.334, 0.334], b=50_000, people=3, money=8 * 10**14)
    nearly_all = (Q_LIMIT - 1_000) // 100
    twin.limit(0, 0, "buy YES", nearly_all, 33)
    twin.limit(1, 0, "buy NO", nearly_all, 67)
    assert twin.world.pool.q_yes[0] > Q_LIMIT - 10_000
    return twin


@proves(
    "orders: What would leave over 10^15 shares sold of a token, whoever's: 409 `market_limit` for an arriving order; "
    "one that the sweep takes there is cancelled (`market_limit`; counts as a piece)."
)
@ONCE
def test_a_token_sells_no_more_than_its_limit(service: Service) -> None:
    twin = a_full_market(service)
    order = {"market_id": twin.markets[0], "token_type": "YES", "action": "buy", "shares": 2_000, "price_bps": 6_000}
    poor = service.user()
    refused(poor.client.post("/market/orders", json=order), 409, "market_limit")
    refused(poor.client.post("/market/orders", json=order | {"time_in_force": "fok"}), 409, "market_limit")
    # There are NO left for the order that arrives, and no YES for the one that it would meet.
    twin.sell(1, 0, "NO", 60_000)
    twin.bet(2, 1, "YES", 36_000)
    waiting = twin.limit(2, 0, "buy YES", 200, 28)
    assert (waiting.shares, waiting.rest) == (0, 20_000)
    # What was held for an order that is over comes back meanwhile.
    before = sum(money(twin.people[0]))
    assert twin.limit(0, 0, "buy NO", 300, 80).over_limit
    assert sum(money(twin.people[0])) == before
    twin.check()


@proves("orders: one that the sweep takes there is cancelled (`market_limit`; counts as a piece).")
@ONCE
def test_an_order_that_a_sweep_takes_over_the_limit_is_cancelled(service: Service) -> None:
    twin = a_full_market(service)
    waiting = twin.limit(2, 0, "buy NO", 20, 60)
    assert (waiting.shares, waiting.rest) == (0, 2_000)

    found = twin.bet(2, 1, "NO", 90_000)

    assert found.cancelled == [(3, "market_limit")]
    shown = twin.shown(3)
    assert (shown["status"], shown["reason"], shown["filled_shares"]) == ("cancelled", "market_limit", 0)
