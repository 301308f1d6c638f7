"""Limit orders over HTTP: placing, lists, fills, cancelling, and the same for partners (orders.md, "Endpoints")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.limit_orders import cancel, get_order, orders_of, place, rest
from tests.support.orders import balance, bet, open_market, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

PARTNERS_ORDER = {"action": "buy", "side": "yes", "shares": 1_000, "price_bps": 3_000}


def fills_of(person: Person, order_id: int) -> list[dict[str, Any]]:
    """Return the fills of an order."""
    rows: list[dict[str, Any]] = expect(person.client.get(f"/market/orders/{order_id}/fills"), 200)["fills"]
    return rows


@proves(
    "orders: POST /market/orders | Order → 201 Order as the sweep left it, with `trade_id` (null: nothing taken on "
    "arrival), `probability_before`, `probability_after`, `balance_kopecks`; takes an Idempotency-Key"
)
def test_an_order_that_is_sent_again_is_placed_once(service: Service) -> None:
    (market,) = open_market(service, b=20_000)
    person = service.user(balance_kopecks=20_000)
    order = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 5_000, "price_bps": 5_200}
    key = {"Idempotency-Key": "once"}

    placed = expect(person.client.post("/market/orders", json=order, headers=key), 201)
    again = person.client.post("/market/orders", json=order, headers=key)

    assert expect(again, 201) == placed
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (placed["filled_shares"] > 0, placed["status"]) == (True, "open")
    assert (placed["probability_before"], placed["balance_kopecks"]) == (0.5, balance(person))
    assert placed["probability_before"] < placed["probability_after"] <= 0.52
    (taken,) = fills_of(person, placed["id"])
    assert (taken["trade_id"], taken["role"]) == (placed["trade_id"], "taker")
    assert [one["id"] for one in orders_of(person)] == [placed["id"]]


@proves(
    "orders: GET /market/orders | `?market_id=&pool_id=&status=&limit=&cursor=` → a page `orders`, newest first",
    "orders: GET /market/orders/{id} | Order; 400 `invalid_order_id`, 404 `order_not_found` (another's too)",
    "orders: DELETE /market/orders/{id} | 200 Order as it now is; an ended one stays so",
)
def test_orders_are_listed_newest_first_and_shown_to_their_owner_alone(service: Service) -> None:
    first, second = open_market(service, names=["A", "B"], b=20_000)
    person, other = service.user(balance_kopecks=50_000), service.user()
    made = [rest(person, market, "YES", "buy", shares=1_000, price=20)["id"] for market in (first, second, first)]
    ended = cancel(person, made[0])
    newest = made[::-1]

    page = expect(person.client.get("/market/orders", params={"limit": 2}), 200)
    rest_of_it = expect(person.client.get("/market/orders", params={"limit": 2, "cursor": page["next_cursor"]}), 200)

    assert [one["id"] for one in page["orders"] + rest_of_it["orders"]] == newest
    assert (page["has_more"], rest_of_it["has_more"]) == (True, False)
    assert [one["id"] for one in orders_of(person, market_id=first)] == [made[2], made[0]]
    assert [one["id"] for one in orders_of(person, status="open")] == [made[2], made[1]]
    assert [one["id"] for one in orders_of(person, status="cancelled", market_id=first)] == [made[0]]
    assert orders_of(other) == []
    assert get_order(person, made[0]) == ended == cancel(person, made[0])
    assert (ended["status"], ended["reason"], ended["held_kopecks"]) == ("cancelled", "user", 0)
    refused(other.client.get(f"/market/orders/{made[1]}"), 404, "order_not_found")
    refused(other.client.delete(f"/market/orders/{made[1]}"), 404, "order_not_found")
    refused(person.client.get("/market/orders/0x1"), 400, "invalid_order_id")


@proves(
    "orders: GET /market/orders/{id}/fills | a page `fills`: `{trade_id, role, shares, amount_kopecks, fee_kopecks, "
    "avg_price, pnl (null of a buy), created_at}`"
)
def test_fills_say_what_each_paid_and_in_which_role(service: Service) -> None:
    (market,) = open_market(service, b=20_000, margin=0.04)
    maker, taker = service.user(balance_kopecks=20_000), service.user(balance_kopecks=50_000)
    expect(bet(maker, market, "YES", 5_000), 201)
    offered = rest(maker, market, "YES", "sell", shares=1_000, price=90)

    expect(bet(taker, market, "YES", 45_000), 201)

    (fill,) = fills_of(maker, offered["id"])
    assert fill.keys() == {
        *("trade_id", "role", "shares", "amount_kopecks", "fee_kopecks", "avg_price", "pnl", "created_at")
    }
    assert (fill["role"], fill["shares"], fill["amount_kopecks"]) == ("maker", 1_000, 900)
    assert (fill["fee_kopecks"], fill["avg_price"]) == (0, 9_000)
    order = get_order(maker, offered["id"])
    assert (order["status"], order["amount_kopecks"], order["avg_price"]) == ("filled", 900, 9_000)
    assert fill["pnl"] > 0
    bought = expect(place(taker, market, "NO", "buy", shares=1_000, price=30), 201)
    assert [one["pnl"] for one in fills_of(taker, bought["id"])] == [None]
    refused(taker.client.get(f"/market/orders/{offered['id']}/fills"), 404, "order_not_found")


@proves(
    "orders: POST /market/orders/cancel | exactly one of `{order_ids: [1…100]}`, `{market_id}`, `{pool_id}`, "
    "`{all: true}` → 200 `{orders: [those it cancelled], has_more (open ones left of those named)}`: at most 100, "
    "newest first, each pool's at once; unknown ids of any kind ignored",
    "orders: Cancelling takes no key.",
)
def test_orders_are_cancelled_in_four_ways(service: Service) -> None:
    first, second = open_market(service, names=["A", "B"], b=20_000)
    person = service.user(balance_kopecks=50_000)
    placed = [rest(person, market, "YES", "buy", shares=1_000, price=20) for market in (first, second) * 3]
    made = [one["id"] for one in placed]
    places = {one["id"]: (one["event_id"], one["pool_id"], one["market_id"]) for one in placed}

    def cancelled(**which: Any) -> tuple[list[int], bool]:
        answer = expect(person.client.post("/market/orders/cancel", json=which), 200)
        for one in answer["orders"]:
            assert one["status"] == "cancelled"
            assert (one["event_id"], one["pool_id"], one["market_id"]) == places[one["id"]]
        return [one["id"] for one in answer["orders"]], answer["has_more"]

    assert cancelled(order_ids=[made[0], made[1], 10**15]) == ([made[1], made[0]], False)
    assert cancelled(order_ids=[made[0]]) == ([], False)
    assert cancelled(market_id=first) == ([made[4], made[2]], False)
    assert cancelled(pool_id=10**15) == ([], False)
    assert cancelled(all=True) == ([made[5], made[3]], False)
    assert balance(person) == 50_000
    bodies: list[dict[str, Any]] = [{}, {"all": False}, {"all": True, "market_id": first}]
    bodies += [{"order_ids": []}, {"order_ids": [1] * 101}]
    for body in bodies:
        refused(person.client.post("/market/orders/cancel", json=body), 400, "bad_request")


@proves(
    "orders: 200 `{orders: [those it cancelled], has_more (open ones left of those named)}`: at most 100, newest first,"
)
def test_of_more_than_a_hundred_orders_the_newest_are_cancelled_first(service: Service) -> None:
    first, second = open_market(service, names=["A", "B"], b=20_000)
    (elsewhere,) = open_market(service, b=20_000)
    person = service.user(balance_kopecks=50_000)
    for market in (second, elsewhere):
        rest(person, market, "YES", "buy", shares=1_000, price=1)
    made = [rest(person, first, "YES", "buy", shares=1_000, price=1)["id"] for _ in range(101)]

    def cancelled(**which: Any) -> tuple[list[int], bool]:
        answer = expect(person.client.post("/market/orders/cancel", json=which), 200)
        return [one["id"] for one in answer["orders"]], answer["has_more"]

    assert cancelled(market_id=first) == (made[:0:-1], True)
    assert cancelled(market_id=first) == (made[:1], False)
    assert len(orders_of(person, status="open")) == 2


@proves(
    "orders: `shares` 100 … 9·10^15, of a gtc 1000 or more (its rest may be less); `post_only` and `expires_at` with "
    "gtc only, `expires_at` after the time of its batch; else 400 `bad_request`."
)
@ONCE
@pytest.mark.parametrize(
    "wrong",
    [
        {"shares": 900},
        {"shares": 1_050},
        {"shares": 9 * 10**15 + 100},
        {"shares": 0, "time_in_force": "ioc"},
        {"price_bps": 5_050},
        {"price_bps": 0},
        {"price_bps": 10_000},
        {"time_in_force": "ioc", "post_only": True},
        {"time_in_force": "fok", "expires_at": "2999-01-01T00:00:00Z"},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"time_in_force": "day"},
    ],
)
def test_an_order_of_wrong_terms_is_refused(service: Service, wrong: dict[str, Any]) -> None:
    (market,) = open_market(service)
    person = service.user(balance_kopecks=5_000)
    order = {"market_id": market, "token_type": "YES", "action": "buy", "shares": 1_000, "price_bps": 3_000}

    refused(person.client.post("/market/orders", json=order | wrong), 400, "bad_request")
    assert (orders_of(person), balance(person)) == ([], 5_000)


@proves(
    "orders: 6. Nobody meets oneself: all own orders that a turn would meet are cancelled before it (`self_trade`), "
    "and the turn is found anew. They are no fills; what they held pays for the order."
)
def test_an_own_order_is_cancelled_instead_of_met_and_pays(service: Service) -> None:
    (market,) = open_market(service, b=5_000)
    person = service.user(balance_kopecks=600)
    own = rest(person, market, "NO", "buy", shares=1_000, price=48)
    assert balance(person) == 120

    expect(bet(person, market, "YES", 590), 201)

    found = get_order(person, own["id"])
    assert (found["status"], found["reason"], found["filled_shares"]) == ("cancelled", "self_trade", 0)
    assert fills_of(person, own["id"]) == []
    assert balance(person) == 10


@proves(
    "orders: `/partner/orders`, `/{id}`, `/{id}/fills`, `/cancel`: the same with `external_user_id` in body or query "
    "(needed to place one alone), `side` for `token_type`, `order_id` for `id`, `avg_price_bps`; answers carry "
    "`external_user_id, user_id`, those that move money `float_balance_kopecks`. What is taken on arrival, then the "
    "hold, is funded as a bet is; what comes back stays on the sub-account.",
    "orders: A first order makes the sub-account; a partner's users may meet each other.",
)
def test_a_partners_users_place_orders_and_meet_each_other(service: Service) -> None:
    event = service.event(pools=[pool(b=1_000)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    partner = service.partner(float_kopecks=1_100)
    order = PARTNERS_ORDER | {"market_id": market, "external_user_id": "ann", "price_bps": 4_900}

    placed = expect(partner.client.post("/partner/orders", json=order), 201)

    assert (placed["external_user_id"], placed["side"], placed["status"]) == ("ann", "yes", "open")
    assert (placed["float_balance_kopecks"], placed["held_kopecks"], placed["avg_price_bps"]) == (610, 490, None)
    against = order | {"external_user_id": "bob", "side": "no", "price_bps": 5_100, "time_in_force": "ioc"}
    met = expect(partner.client.post("/partner/orders", json=against), 201)
    assert met["filled_shares"] == 1_000
    assert met["user_id"] != placed["user_id"]
    shown = expect(partner.client.get(f"/partner/orders/{placed['order_id']}"), 200)
    assert (shown["status"], shown["user_id"], shown["filled_shares"]) == ("filled", placed["user_id"], 1_000)
    page = expect(partner.client.get(f"/partner/orders/{placed['order_id']}/fills"), 200)
    assert [(one["role"], one["amount_kopecks"]) for one in page["fills"]] == [("maker", 490)]
    for carrier in (page, *page["fills"]):
        assert (carrier["external_user_id"], carrier["user_id"]) == ("ann", placed["user_id"])
    listed = expect(partner.client.get("/partner/orders", params={"external_user_id": "ann"}), 200)["orders"]
    assert [one["order_id"] for one in listed] == [placed["order_id"]]

    second = expect(partner.client.post("/partner/orders", json=order | {"price_bps": 100}), 201)
    body = {"order_ids": [second["order_id"]]}
    ended = expect(partner.client.post("/partner/orders/cancel", json=body), 200)
    assert [one["order_id"] for one in ended["orders"]] == [second["order_id"]]
    for one in (placed, shown, *listed, *ended["orders"]):
        assert (one["event_id"], one["pool_id"], one["market_id"]) == (event["id"], pool_id, market)
    state = expect(partner.client.get("/partner/users/ann"), 200)
    assert state["balance_kopecks"] == 10
    without = {name: value for name, value in order.items() if name != "external_user_id"}
    refused(partner.client.post("/partner/orders", json=without), 400, "BAD_REQUEST")


@proves(
    "decisions: A partner sees only its own sub-accounts",
    "orders: | GET /market/orders/{id} | Order; 400 `invalid_order_id`, 404 `order_not_found` (another's too) |",
)
def test_an_order_of_another_partner_or_user_is_not_found(service: Service) -> None:
    (market,) = open_market(service, b=1_000)
    partner, other = service.partner(float_kopecks=1_000), service.partner(float_kopecks=1_000)
    order = PARTNERS_ORDER | {"market_id": market, "price_bps": 4_000}
    placed = expect(partner.client.post("/partner/orders", json=order | {"external_user_id": "ann"}), 201)
    for one in (partner, other):
        expect(one.client.post("/partner/orders", json=order | {"external_user_id": "bob", "price_bps": 100}), 201)

    path = f"/partner/orders/{placed['order_id']}"
    for client, user in ((other.client, None), (other.client, "ann"), (partner.client, "bob"), (partner.client, "eve")):
        asked = {} if user is None else {"external_user_id": user}
        refused(client.get(path, params=asked), 404, "ORDER_NOT_FOUND")
        refused(client.get(f"{path}/fills", params=asked), 404, "ORDER_NOT_FOUND")
        refused(client.delete(path, params=asked), 404, "ORDER_NOT_FOUND")
        body = {"order_ids": [placed["order_id"]]} | asked
        assert expect(client.post("/partner/orders/cancel", json=body), 200)["orders"] == []
    shown = expect(partner.client.get(path, params={"external_user_id": "ann"}), 200)
    assert (shown["status"], shown["held_kopecks"]) == ("open", placed["held_kopecks"])


def test_what_is_reserved_is_not_sold_twice(service: Service) -> None:
    (market,) = open_market(service, b=20_000)
    person = service.user(balance_kopecks=5_000)
    held = expect(bet(person, market, "YES", 2_000), 201)["shares"]
    rest(person, market, "YES", "sell", shares=1_000, price=95)

    refused(sell(person, market, "YES", held), 409, "insufficient_shares")
    assert expect(sell(person, market, "YES", held - 1_000), 201)["shares"] == held - 1_000
