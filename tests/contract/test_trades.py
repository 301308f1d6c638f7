"""The client's interface: the trades of events and of users."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.trading.history import trades as history
from tests.support.book import bps
from tests.support.kinds import ONCE
from tests.support.partner_orders import bet as partner_bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

OF_EVENT = "client: | 5 | GET /events/{id}/trades (Optional) `?market_id=`"
OF_USER = "client: GET /users/{id or me}/trades"
SHAPE = (
    "client: page `trades`: `{id, event_id, pool_id, market_id, user: {id or null, name, avatar_url}, action: "
    "buy|sell, token_type, amount_kopecks, shares, avg_price, probability_before, probability_after, created_at}`"
)
NAMES = "client: names as in the feed |"


def bet(person: Person, market: int, stake: int = 1_000, side: str = "YES") -> dict[str, Any]:
    order = {"market_id": market, "token_type": side, "amount_kopecks": stake}
    placed: dict[str, Any] = expect(person.client.post("/market/bets", json=order), 201)
    return placed


def sell(person: Person, market: int, side: str = "YES") -> dict[str, Any]:
    order = {"market_id": market, "token_type": side}
    sale: dict[str, Any] = expect(person.client.post("/market/positions/sell", json=order), 201)
    return sale


def trades(client: Any, path: str, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(client.get(path, params=query), 200)["trades"]
    return rows


def walk(client: Any, path: str, **query: Any) -> list[int]:
    """Return the ids of all pages."""
    ids: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(client.get(path, params=query | cursor), 200)
        assert page.keys() == {"trades", "next_cursor", "has_more"}
        ids += [row["id"] for row in page["trades"]]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            return ids
        cursor = {"cursor": page["next_cursor"]}


@proves(OF_EVENT, OF_USER, SHAPE, NAMES)
def test_a_trade_is_shown_as_its_order_was_answered(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], margin=0.1)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][1]["id"]
    person = service.user(balance_kopecks=10_000)
    picture = "https://example.org/ada.png"
    expect(person.client.patch("/users/me", json={"name": "Ada", "avatar_url": picture}), 200)
    placed = bet(person, market, 1_000, "NO")
    sale = sell(person, market, "NO")
    rows = trades(service.client(), f"/events/{event['id']}/trades")

    assert rows == [
        {
            "id": receipt["id"],
            "event_id": event["id"],
            "pool_id": pool_id,
            "market_id": market,
            "user": {"id": person.id, "name": "Ada", "avatar_url": picture},
            "action": action,
            "token_type": "NO",
            "amount_kopecks": amount,
            "shares": receipt["shares"],
            "avg_price": bps(amount, receipt["shares"]),
            "probability_before": receipt["probability_before"],
            "probability_after": receipt["probability_after"],
            "basket_id": None,
            "legs": None,
            "given": None,
            "created_at": receipt["created_at"],
        }
        for receipt, action, amount in ((sale, "sell", sale["payout_kopecks"]), (placed, "buy", 1_000))
    ]
    assert trades(service.client(), f"/users/{person.id}/trades") == rows
    assert trades(person.client, "/users/me/trades") == [row | {"order_id": None, "role": None} for row in rows]


@proves(NAMES, OF_USER)
def test_a_hidden_trader_and_a_partners_user_are_named_as_in_the_feed(service: Service) -> None:
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    hidden, partner = service.user(balance_kopecks=1_000), service.partner(float_kopecks=1_000)
    expect(hidden.client.patch("/users/me", json={"profile_hidden": True, "avatar_url": "https://a.example/b"}), 200)
    bet(hidden, market, 500)
    placed = expect(partner_bet(partner, "ann", market, 500), 201)

    of_partner, of_hidden = trades(service.client(), f"/events/{event['id']}/trades")
    assert of_hidden["user"] == {"id": None, "name": "Hidden trader", "avatar_url": ""}
    assert of_partner["user"] == {"id": None, "name": partner.name, "avatar_url": ""}
    for stranger in (service.client(), service.user().client):
        refused(stranger.get(f"/users/{hidden.id}/trades"), 404, "user_not_found")
    for insider in (hidden.client, service.admin):
        assert len(trades(insider, f"/users/{hidden.id}/trades")) == 1
    refused(service.admin.get(f"/users/{placed['user_id']}/trades"), 404, "user_not_found")


@proves(OF_EVENT)
def test_the_trades_of_one_market_are_a_list_too(service: Service) -> None:
    event, other = service.event(pools=[pool(["A", "B", "C"])]), service.event()
    first, second, untraded = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user(balance_kopecks=100_000)
    placed = [bet(person, market)["id"] for market in [first, second, first, second, second, first]]
    elsewhere = bet(person, other["pools"][0]["markets"][0]["id"])
    path = f"/events/{event['id']}/trades"

    assert walk(service.client(), path, limit=2) == placed[::-1]
    assert walk(service.client(), path, market_id=second, limit=2) == [placed[4], placed[3], placed[1]]
    assert walk(service.client(), path, market_id=first, limit=3) == [placed[5], placed[2], placed[0]]
    assert walk(service.client(), path, market_id=untraded) == []
    assert walk(service.client(), path, market_id=elsewhere["market_id"]) == []
    assert walk(service.client(), path, market_id=2**63 - 1) == []


@proves(OF_EVENT)
def test_a_page_of_a_market_that_is_rarely_traded_ends_early_and_a_later_one_shows_the_rest(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "LOOKED_AT_MAX", 4)
    monkeypatch.setattr(history, "_LOOKED_AT_ONCE", 2)
    event = service.event(pools=[pool(["A", "B"])])
    rare, often = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user(balance_kopecks=100_000)
    placed = [bet(person, market)["id"] for market in (rare, rare, *[often] * 5)]
    path = f"/events/{event['id']}/trades"

    page = expect(service.client().get(path, params={"market_id": rare}), 200)
    assert (page["trades"], page["has_more"]) == ([], True)
    assert walk(service.client(), path, market_id=rare) == [placed[1], placed[0]]
    assert walk(service.client(), path, market_id=rare, limit=1) == [placed[1], placed[0]]
    assert walk(service.client(), path, market_id=often, limit=2) == placed[:1:-1]


@proves(OF_USER)
def test_the_trades_of_a_user_are_listed_page_by_page(service: Service) -> None:
    markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(3)]
    person, other = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    placed = [bet(person, market)["id"] for market in [*markets, *markets]]
    bet(other, markets[0])

    assert walk(person.client, "/users/me/trades", limit=4) == placed[::-1]
    assert walk(service.client(), f"/users/{person.id}/trades", limit=1) == placed[::-1]
    assert trades(service.user().client, "/users/me/trades") == []


@proves(OF_EVENT, OF_USER)
@ONCE
def test_a_cursor_of_trades_belongs_to_its_list(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    market = event["pools"][0]["markets"][0]["id"]
    person, reader = service.user(balance_kopecks=10_000), service.client()
    bet(person, market)
    bet(person, market)
    path, of_user = f"/events/{event['id']}/trades", f"/users/{person.id}/trades"
    whole, part, own = (
        expect(reader.get(where, params={"limit": 1, **query}), 200)["next_cursor"]
        for where, query in ((path, {}), (path, {"market_id": market}), (of_user, {}))
    )

    for where, query in ((path, {"cursor": part}), (path, {"cursor": own}), (of_user, {"cursor": whole})):
        refused(reader.get(where, params=query), 400, "invalid_cursor")
    refused(reader.get(path, params={"cursor": whole, "market_id": market}), 400, "invalid_cursor")
    refused(person.client.get(path, params={"cursor": whole}), 400, "invalid_cursor")


@proves(OF_EVENT, OF_USER)
@ONCE
def test_what_may_not_be_seen_has_no_trades(service: Service) -> None:
    draft = service.event(publish=False)
    path = f"/events/{draft['id']}/trades"

    refused(service.client().get(path), 404, "event_not_found")
    refused(service.client().get(path, params={"market_id": 1}), 404, "event_not_found")
    assert trades(service.creator.client, path) == []
    refused(service.client().get(f"/events/{2**63 - 1}/trades"), 404, "event_not_found")
    refused(service.client().get("/events/x/trades"), 400, "invalid_event_id")
    refused(service.client().get("/users/x/trades"), 400, "invalid_user_id")
    refused(service.client().get(f"/users/{2**63 - 1}/trades"), 404, "user_not_found")
    refused(service.client().get("/users/me/trades"), 401, "unauthorized")
    for query in ("market_id=x", "market_id=0", "market_id=", "market_id=1&market_id=2"):
        refused(service.client().get(f"/events/{service.event()['id']}/trades?{query}"), 400, "bad_request")
