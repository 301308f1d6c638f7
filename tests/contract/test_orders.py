"""Limit orders: what placing one answers, holds and refuses, and what cancelling gives back (orders.md)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.support.cluster import wait_until
from tests.support.orders import balance, bet, open_market, sell
from tests.support.service import Person, Service, expect, refused


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


def test_an_order_below_the_price_rests_and_holds_its_money(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.6], b=20_000)
    person = service.user(balance_kopecks=5_000)

    placed = expect(place(person, market, "buy YES", 2_000, 50), 201)

    assert placed == {
        "id": placed["id"],
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
