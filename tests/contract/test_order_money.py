"""What limit orders move, and where it is listed: balances, transactions, statements, webhooks (orders.md)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.grant_settings import AllowanceTerms
from foreknow_client.messages import TransactionMessage, WebhookMessage
from tests.support.limit_orders import cancel, get_order, money, place, rest, work
from tests.support.orders import balance, bet, open_market
from tests.support.proofs import proves
from tests.support.service import PASSWORD, PartnerAccount, Person, Service, expect, pool
from tests.support.waiting import wait_until
from tests.support.webhook import Webhook, webhook

ANSWER = (
    "orders: Order (answer): `{id, event_id, pool_id, market_id, token_type, action, price_bps, shares, filled_shares, "
    'time_in_force, post_only, expires_at, status: "open"|"filled"|"cancelled"|"expired", reason, amount_kopecks, '
    "fee_kopecks, avg_price, held_kopecks, created_at, updated_at}`;"
)
FILLED = (
    "orders: `amount_kopecks`: what its fills paid, fee included, or "
    "brought; `avg_price` = round(10000 · amount ÷ filled_shares), halves to even, null before a fill; `updated_at`: "
    "its last fill or its end; `reason` (of cancelled; else null): `user, ioc, self_trade, fill_limit, market_limit, "
    "closed` (`finish_at`), `resolved` (verdict, cancellation),"
)
ROWS = (
    "orders: `/users/me/transactions` + types `order` (a hold), `order_return` (what `held_kopecks` paid out) and "
    "`order_id`; an order's own rows: returns of rule 6, what it took, its hold; a fill while resting is its `bet` or "
    "`sale` of 0."
)
HELD = (
    "orders: More fields: `held_kopecks` (all one's orders') in the own view, the portfolio, the partner's user state "
    "and balance (there of all its users; not in `total_kopecks`); `reserved_shares` in open positions, the partner's "
    "too."
)


def movements(person: Person) -> list[tuple[str, int, int | None]]:
    """Return the type, change and order of a person's transactions, oldest first, but their first credit."""
    rows = expect(person.client.get("/users/me/transactions", params={"limit": 100}), 200)["transactions"]
    return [(row["type"], row["change_kopecks"], row["order_id"]) for row in rows[-2::-1]]


@proves(ANSWER, FILLED)
def test_an_order_says_what_it_paid_and_when(still_service: Service) -> None:
    service = still_service
    event = service.event(pools=[pool(probabilities=[0.5], b=20_000, margin=0.05)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    now_ms = service.clock()
    service.clock.stop_at(now_ms)
    order = expect(place(maker, market, "YES", "buy", shares=9_000, price=54), 201)
    assert (order["event_id"], order["pool_id"], order["market_id"]) == (event["id"], pool_id, market)
    assert (order["avg_price"], order["status"], order["reason"]) == (
        round(Fraction(10_000 * order["amount_kopecks"], order["filled_shares"])),
        "open",
        None,
    )
    assert order["created_at"] == order["updated_at"]
    service.clock.stop_at(now_ms + 1_000)
    expect(bet(taker, market, "NO", 1_500), 201)
    met = get_order(maker, order["id"])
    assert met["updated_at"] > order["updated_at"]
    assert order["filled_shares"] < met["filled_shares"] < 9_000
    assert met["amount_kopecks"] > order["amount_kopecks"] > order["fee_kopecks"] == met["fee_kopecks"] > 0
    assert met["avg_price"] == round(Fraction(10_000 * met["amount_kopecks"], met["filled_shares"]))
    service.clock.stop_at(now_ms + 2_000)
    ended = cancel(maker, order["id"])
    assert ended == met | {
        "status": "cancelled",
        "reason": "user",
        "updated_at": ended["updated_at"],
        "held_kopecks": 0,
    }
    assert ended["updated_at"] > met["updated_at"]


@proves(ROWS, "orders: **Holds.** A resting buy moves price · rest from the balance to the pool's order account.")
def test_each_movement_names_its_order(still_service: Service) -> None:
    service = still_service
    # Each step has a millisecond of its own, by which movements are ordered.
    (market,) = open_market(service, probabilities=[0.5], b=20_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    bought = expect(place(maker, market, "YES", "buy", shares=5_000, price=52), 201)
    service.clock.advance(1)
    offered = rest(maker, market, "YES", "sell", shares=1_000, price=70)
    expect(bet(taker, market, "NO", 2_500), 201)
    service.clock.advance(1)
    expect(bet(taker, market, "YES", 18_000), 201)
    sold, filled = get_order(maker, offered["id"]), get_order(maker, bought["id"])
    assert (sold["status"], sold["amount_kopecks"], filled["filled_shares"]) == ("filled", 700, 5_000)
    service.clock.advance(1)
    work(service)
    service.clock.advance(1)
    own = rest(maker, market, "NO", "buy", shares=1_000, price=20)
    service.clock.advance(1)
    crossing = expect(place(maker, market, "YES", "buy", shares=3_000, price=81), 201)
    assert get_order(maker, own["id"])["reason"] == "self_trade"

    paid = bought["amount_kopecks"]
    held = bought["held_kopecks"]
    assert movements(maker) == [
        ("bet", -paid, bought["id"]),
        ("order", -held, bought["id"]),
        ("bet", 0, bought["id"]),
        ("sale", 0, sold["id"]),
        ("order_return", 700, sold["id"]),
        ("order", -200, own["id"]),
        ("order_return", 200, own["id"]),
        ("bet", -crossing["amount_kopecks"], crossing["id"]),
        *([("order", -crossing["held_kopecks"], crossing["id"])] if crossing["held_kopecks"] else []),
    ]
    assert 50_000 + sum(change for _, change, _ in movements(maker)) == balance(maker)


@proves(HELD)
def test_what_is_held_and_reserved_is_shown_to_users_and_partners(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=20_000)
    person, partner = service.user(balance_kopecks=5_000), service.partner(float_kopecks=9_000)
    rest(person, market, "YES", "buy", shares=2_000, price=40)
    order = {"market_id": market, "side": "yes"}
    for user, price in (("ann", 3_000), ("bob", 2_000)):
        terms = {"external_user_id": user, "action": "buy", "shares": 1_000, "price_bps": price}
        expect(partner.client.post("/partner/orders", json=order | terms), 201)
    for client in (person.client, partner.client):
        place_bet = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
        if client is partner.client:
            theirs = order | {"external_user_id": "ann", "stake_kopecks": 1_000}
            expect(client.post("/partner/bets", json=theirs), 201)
            terms = {"external_user_id": "ann", "action": "sell", "shares": 1_000, "price_bps": 9_000}
            expect(client.post("/partner/orders", json=order | terms), 201)
        else:
            expect(client.post("/market/bets", json=place_bet), 201)
            rest(person, market, "YES", "sell", shares=1_200, price=90)

    for path in ("/users/me", "/users/me/portfolio"):
        shown = expect(person.client.get(path), 200)
        assert (shown["balance_kopecks"], shown["held_kopecks"]) == (3_200, 800)
    (position,) = expect(person.client.get("/market/positions"), 200)["positions"]
    assert position["reserved_shares"] == 1_200
    (theirs_open,) = expect(partner.client.get("/partner/users/ann"), 200)["positions"]
    assert theirs_open["reserved_shares"] == 1_000
    assert [expect(partner.client.get(f"/partner/users/{user}"), 200)["held_kopecks"] for user in ("ann", "bob")] == [
        300,
        200,
    ]
    money_of = expect(partner.client.get("/partner/balance"), 200)
    assert (money_of["held_kopecks"], money_of["total_kopecks"]) == (500, 9_000 - 500 - 1_000)


@proves("orders: an allowance (site.md) counts both,")
def test_an_allowance_counts_what_is_held(start_service: Callable[..., Service]) -> None:
    service = start_service(begins_midweek=True, allowance=AllowanceTerms(kopecks=10_000, every="week", up_to=15_000))
    (market,) = open_market(service, probabilities=[0.5], b=20_000)
    person = service.user(balance_kopecks=8_000)
    rest(person, market, "YES", "buy", shares=10_000, price=30)
    assert money(person) == (5_000, 3_000)
    expected = expect(person.client.get("/users/me/allowance"), 200)["allowance"]["expected_kopecks"]
    assert expected == 7_000

    now_ms = service.clock()
    monday_ms = now_ms - now_ms % DAY_MS + (7 - datetime.fromtimestamp(now_ms / 1000, UTC).weekday()) * DAY_MS
    service.clock.advance(monday_ms + DAY_MS - now_ms)
    person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"
    wait_until(lambda: money(person) == (12_000, 3_000))


@pytest.fixture
def sink() -> Iterator[Webhook]:
    with webhook() as running:
        yield running


@proves("orders: Statement, filter, CSV and webhooks: as `/users/me/transactions`, each line with `order_id`.")
def test_a_partner_reads_each_line_of_an_order_as_page_csv_and_message(service: Service, sink: Webhook) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=20_000)
    partner = service.partner(float_kopecks=50_000)
    expect(service.admin.put(f"/admin/partners/{partner.name}/webhook", json={"url": sink.address}), 200)
    taker = service.user(balance_kopecks=50_000)
    order = {"external_user_id": "ann", "market_id": market, "side": "yes", "action": "buy", "shares": 5_000}
    placed = expect(partner.client.post("/partner/orders", json=order | {"price_bps": 5_200}), 201)
    expect(bet(taker, market, "NO", 4_000), 201)
    second = expect(partner.client.post("/partner/orders", json=order | {"price_bps": 1_000}), 201)
    expect(partner.client.delete(f"/partner/orders/{second['order_id']}"), 200)

    lines = lines_of(partner)
    one, two = placed["order_id"], second["order_id"]
    assert placed["filled_shares"] > 0
    assert [(line["type"], line["order_id"]) for line in lines] == [
        ("bet", one),
        ("order", one),
        ("bet", one),
        ("order", two),
        ("order_return", two),
    ]
    assert [line["balance_change_kopecks"] for line in lines] == [0, 0, 0, 0, 500]
    assert sum(line["float_change_kopecks"] for line in lines) == -(
        placed["amount_kopecks"] + placed["held_kopecks"] + 500
    )
    for kind in ("order", "order_return", "bet"):
        assert lines_of(partner, type=kind) == [line for line in lines if line["type"] == kind]
    text = partner.client.get("/partner/transactions", headers={"Accept": "text/csv"}).content.decode("utf-8-sig")
    read = [row for row in csv.DictReader(io.StringIO(text)) if row["type"] != "deposit"]
    assert [(row["type"], row["order_id"]) for row in read[::-1]] == [
        (line["type"], str(line["order_id"])) for line in lines
    ]
    sink.wait_for(5)
    messages = [msgspec.json.decode(call.raw, type=WebhookMessage) for call in sink.requests]
    assert all(isinstance(message, TransactionMessage) for message in messages)
    assert [call.body["data"] for call in sink.requests] == lines


def lines_of(partner: PartnerAccount, **query: str) -> list[dict[str, Any]]:
    """Return a statement's lines after its first deposit, oldest first."""
    rows = expect(partner.client.get("/partner/transactions", params={"limit": 100, **query}), 200)["transactions"]
    return [row for row in rows[::-1] if row["type"] != "deposit"]
