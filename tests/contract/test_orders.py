"""Limit orders: what placing one answers, holds and refuses, and what cancelling gives back (orders.md)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.orders import balance, bet, open_market, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import wait_until


def place(person: Person, market: int, what: str, shares: int, price: int, **more: Any) -> httpx.Response:
    """Place a limit order (`buy YES`, …) at a whole percent."""
    action, side = what.split()
    order = {
        "market_id": market,
        "token_type": side,
        "action": action,
        "shares": shares,
        "price_bps": 100 * price,
        **more,
    }
    return person.client.post("/market/orders", json=order)


def get_order(person: Person, order_id: int) -> dict[str, Any]:
    """Return an order as it now stands."""
    found: dict[str, Any] = expect(person.client.get(f"/market/orders/{order_id}"), 200)
    return found


def cancel(person: Person, order_id: int) -> dict[str, Any]:
    """Cancel an order; return it."""
    found: dict[str, Any] = expect(person.client.delete(f"/market/orders/{order_id}"), 200)
    return found


@proves("orders: It fills at once what it can at its price or better; the rest of a gtc rests")
def test_an_order_below_the_price_rests_and_holds_its_money(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=20_000)
    person = service.user(balance_kopecks=5_000)

    placed = expect(place(person, market, "buy YES", 2_000, 50), 201)

    assert placed == {
        "id": placed["id"],
        "event_id": placed["event_id"],
        "pool_id": placed["pool_id"],
        "market_id": market,
        "token_type": "YES",
        "action": "buy",
        "price_bps": 5_000,
        "shares": 2_000,
        "filled_shares": 0,
        "time_in_force": "gtc",
        "post_only": False,
        "expires_at": None,
        "status": "open",
        "reason": None,
        "amount_kopecks": 0,
        "fee_kopecks": 0,
        "avg_price": None,
        "held_kopecks": 1_000,
        "created_at": placed["created_at"],
        "updated_at": placed["created_at"],
        "trade_id": None,
        "probability_before": pytest.approx(0.6),
        "probability_after": pytest.approx(0.6),
        "balance_kopecks": 4_000,
    }
    assert balance(person) == 4_000
    shown = {key: value for key, value in placed.items() if key in get_order(person, placed["id"])}
    assert get_order(person, placed["id"]) == shown
    assert expect(person.client.get("/market/orders"), 200)["orders"] == [shown]


@proves("orders: A resting buy moves price · rest from the balance to the pool's order account.")
def test_what_an_order_holds_is_shown_wherever_balances_are(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=20_000)
    person, partner = service.user(balance_kopecks=5_000), service.partner(float_kopecks=9_000)

    expect(place(person, market, "buy YES", 2_000, 50), 201)
    body = {"external_user_id": "u", "market_id": market, "side": "yes", "action": "buy", "shares": 1_000}
    placed = expect(partner.client.post("/partner/orders", json=body | {"price_bps": 5_000}), 201)

    for path in ("/users/me", "/users/me/portfolio"):
        shown = expect(person.client.get(path), 200)
        assert (shown["balance_kopecks"], shown["held_kopecks"]) == (4_000, 1_000)
    assert placed["float_balance_kopecks"] == 8_500
    assert expect(partner.client.get("/partner/users/u"), 200)["held_kopecks"] == 500
    money = expect(partner.client.get("/partner/balance"), 200)
    assert (money["held_kopecks"], money["total_kopecks"]) == (500, 8_500)
    cancelled = expect(partner.client.delete(f"/partner/orders/{placed['order_id']}"), 200)
    assert (cancelled["status"], cancelled["reason"]) == ("cancelled", "user")
    lines = expect(partner.client.get("/partner/transactions"), 200)["transactions"]
    assert [(line["type"], line["order_id"], line["balance_change_kopecks"]) for line in lines[:2]] == [
        ("order_return", placed["order_id"], 500),
        ("order", placed["order_id"], 0),
    ]
    assert expect(partner.client.get("/partner/balance"), 200)["held_kopecks"] == 0


def test_cancelling_pays_back_at_once_and_twice_changes_nothing(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=20_000)
    person = service.user(balance_kopecks=5_000)
    placed = expect(place(person, market, "buy YES", 2_000, 50), 201)

    cancelled = cancel(person, placed["id"])

    assert (cancelled["status"], cancelled["reason"], cancelled["held_kopecks"]) == ("cancelled", "user", 0)
    assert balance(person) == 5_000
    assert cancel(person, placed["id"]) == cancelled
    assert balance(person) == 5_000


def test_a_bet_meets_a_resting_sale_at_its_own_price(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=100_000), service.user(balance_kopecks=100_000)
    held = expect(bet(maker, market, "YES", 20_000), 201)["shares"]
    shares = held // 100 * 100
    price = int(100 * expect(maker.client.get(f"/markets/{market}"), 200)["yes_probability"]) + 2
    rested = expect(place(maker, market, "sell YES", shares, price), 201)
    assert (rested["filled_shares"], rested["held_kopecks"]) == (0, 0)
    refused(sell(maker, market, "YES", held), 409, "insufficient_shares")
    balance_before = balance(maker)

    taken = expect(bet(taker, market, "YES", 30_000), 201)

    filled = get_order(maker, rested["id"])
    assert filled["filled_shares"] > 0
    assert filled["amount_kopecks"] == filled["filled_shares"] // 100 * price
    wait_until(lambda: balance(maker) == balance_before + filled["amount_kopecks"])
    fills = expect(maker.client.get(f"/market/orders/{rested['id']}/fills"), 200)["fills"]
    assert [(fill["role"], fill["shares"]) for fill in fills] == [("maker", filled["filled_shares"])]
    assert fills[0]["trade_id"] == taken["id"] + 1


@proves("orders: `unfilled` (a fok not whole, an ioc or capped order with nothing)")
@ONCE
@pytest.mark.parametrize(
    ("more", "code"),
    [({"time_in_force": "ioc"}, "unfilled"), ({"time_in_force": "fok"}, "unfilled")],
)
def test_what_cannot_be_filled_at_once_is_refused(service: Service, more: dict[str, Any], code: str) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=20_000)
    person = service.user(balance_kopecks=5_000)

    refused(place(person, market, "buy YES", 2_000, 50, **more), 409, code)

    assert balance(person) == 5_000
    assert expect(person.client.get("/market/orders"), 200)["orders"] == []


@proves("orders: **Fees.** A limit buy pays on top of c, what it took on arrival, ceil(c · margin / (1 − margin)).")
def test_an_order_within_the_curve_takes_what_it_can_and_rests(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=20_000, margin=0.02)
    person = service.user(balance_kopecks=50_000)

    placed = expect(place(person, market, "buy YES", 20_000, 60), 201)

    assert 0 < placed["filled_shares"] < 20_000
    assert placed["filled_shares"] % 100 == 0
    cost = placed["amount_kopecks"] - placed["fee_kopecks"]
    assert placed["fee_kopecks"] == -(-cost * 2 // 98)
    assert placed["held_kopecks"] == (20_000 - placed["filled_shares"]) // 100 * 60
    assert placed["balance_kopecks"] == 50_000 - placed["amount_kopecks"] - placed["held_kopecks"]
    refused(place(person, market, "buy YES", 20_000, 90, post_only=True), 409, "would_trade")
    assert balance(person) == placed["balance_kopecks"]


@proves("orders: whoever was filled had no better order before it in its market.")
def test_a_long_queue_is_met_in_its_order_however_often(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=2_000_000)
    makers = [service.user(balance_kopecks=200_000) for _ in range(2)]
    for maker in makers:
        expect(bet(maker, market, "YES", 110_000), 201)
    offer = {"market_id": market, "token_type": "YES", "action": "sell", "shares": 1_000, "price_bps": 6_500}
    shots: list[Any] = [("POST", "/market/orders", {"json": offer})] * 380
    placed = service.together(shots, tokens=[maker.token for maker in makers])
    ids = sorted(expect(answer, 201)["id"] for answer in placed)
    taker = service.user(balance_kopecks=4_000_000)
    expect(bet(taker, market, "YES", 800_000), 201)

    for _ in range(9):
        expect(bet(taker, market, "YES", 20_000), 201)

    shown: dict[int, str] = {}
    for maker in makers:
        for status in ("open", "filled"):
            query: dict[str, Any] = {"status": status, "limit": 100}
            while True:
                page = expect(maker.client.get("/market/orders", params=query), 200)
                shown |= {order["id"]: order["status"] for order in page["orders"]}
                if page["next_cursor"] is None:
                    break
                query["cursor"] = page["next_cursor"]
    assert sorted(shown) == ids
    filled = [order_id for order_id in ids if shown[order_id] == "filled"]
    assert len(filled) > 200
    assert filled == ids[: len(filled)]
