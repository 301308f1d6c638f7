"""Decisions, "Pages": limits, cursors, and traversals while others write."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

PAGES = 'decisions: `?limit=&cursor=` → `{<list name>: […], "next_cursor": string or null, "has_more": bool}`'
CURSOR = (
    "decisions: A cursor is signed and bound to its list, caller and filters (not to the limit); any other is 400 "
    "`invalid_cursor`."
)
NAMES = (
    "decisions: list names `events, positions, comments, notifications, transactions, sessions, assets, prices, "
    "users, partners, entries`"
)
LIMIT = "decisions: default 20, maximum 100; a limit outside 1…100 is 400 `invalid_limit`;"
#: Every list that needs nothing but an admin or a partner to look at: path and name of the list.
LISTS = {
    "/events": "events",
    "/market/positions": "positions",
    "/market/positions/completed": "positions",
    "/admin/users": "users",
    "/admin/partners": "partners",
    "/admin/log": "entries",
    "/admin/chat/sessions": "sessions",
    "/users/me/sessions": "sessions",
    "/users/me/positions": "positions",
    "/users/me/transactions": "transactions",
    "/users/me/trades": "trades",
    "/partner/transactions": "transactions",
    "/notifications": "notifications",
    "/assets": "assets",
}


def client_of(service: Service, path: str) -> httpx.Client:
    return service.partner().client if path.startswith("/partner") else service.admin


def code(path: str, plain: str) -> str:
    return plain.upper() if path.startswith("/partner") else plain


def walk(client: httpx.Client, path: str, name: str, *, cursor: str | None = None, **query: Any) -> list[Any]:
    """Follow the cursors to the end."""
    rows: list[Any] = []
    while True:
        page = expect(client.get(path, params=query | ({"cursor": cursor} if cursor else {})), 200)
        assert page.keys() == {name, "next_cursor", "has_more"}
        assert page["has_more"] is (page["next_cursor"] is not None)
        rows += page[name]
        if not page["has_more"]:
            return rows
        assert page[name]
        cursor = page["next_cursor"]


def tagged(service: Service, count: int) -> tuple[str, list[int]]:
    """Publish `count` events under a tag of their own; return the tag and the ids, newest first."""
    tag = uuid.uuid4().hex
    ids = [service.event(tags=[tag])["id"] for _ in range(count)]
    return tag, ids[::-1]


@proves(PAGES, LIMIT, NAMES)
@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_a_page_with_its_name(service: Service, path: str) -> None:
    page = expect(client_of(service, path).get(path), 200)

    assert page.keys() == {LISTS[path], "next_cursor", "has_more"}
    assert len(page[LISTS[path]]) <= 20
    assert page["has_more"] is (page["next_cursor"] is not None)


@proves(LIMIT)
@ONCE
@pytest.mark.parametrize("limit", ["0", "101", "-1", "+5", "%2B5", "05", "5.0", "abc", "", "%D9%A3", "1" + "0" * 30])
@pytest.mark.parametrize("path", LISTS)
def test_a_limit_is_1_to_100(service: Service, path: str, limit: str) -> None:
    refused(client_of(service, path).get(f"{path}?limit={limit}"), 400, code(path, "invalid_limit"))


@proves(LIMIT)
@ONCE
@pytest.mark.parametrize("path", LISTS)
def test_the_bounds_of_a_limit_are_allowed(service: Service, path: str) -> None:
    client = client_of(service, path)

    assert len(expect(client.get(f"{path}?limit=1"), 200)[LISTS[path]]) <= 1
    expect(client.get(f"{path}?limit=100"), 200)


@proves(CURSOR)
@ONCE
@pytest.mark.parametrize("cursor", ["", "x", "MQ", "AAAA", "null", "0", "%F0%9F%98%80", "A" * 5_000])
@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_that_the_service_never_gave_is_refused(service: Service, path: str, cursor: str) -> None:
    refused(client_of(service, path).get(f"{path}?cursor={cursor}"), 400, code(path, "invalid_cursor"))


@proves(CURSOR)
@ONCE
def test_a_cursor_with_one_sign_changed_is_refused(service: Service) -> None:
    tag, _ = tagged(service, 2)
    client = service.client()
    cursor = expect(client.get("/events", params={"tag": tag, "limit": 1}), 200)["next_cursor"]

    for place in range(0, len(cursor), 5):
        other = "A" if cursor[place] != "A" else "B"
        forged = cursor[:place] + other + cursor[place + 1 :]
        refused(client.get("/events", params={"tag": tag, "cursor": forged}), 400, "invalid_cursor")
    for forged in (cursor + "=", cursor + "A", cursor[:-1], cursor.swapcase(), " " + cursor):
        refused(client.get("/events", params={"tag": tag, "cursor": forged}), 400, "invalid_cursor")


@proves(CURSOR)
@ONCE
def test_a_cursor_belongs_to_its_list_its_caller_and_its_filters_but_to_no_limit(service: Service) -> None:
    tag, ids = tagged(service, 4)
    reader, other = service.user(), service.user()
    cursor = expect(reader.client.get("/events", params={"tag": tag, "limit": 1}), 200)["next_cursor"]

    rest = expect(reader.client.get("/events", params={"tag": tag, "limit": 50, "cursor": cursor}), 200)
    assert [event["id"] for event in rest["events"]] == ids[1:]
    for query in ({}, {"tag": tag, "sort": "volume"}, {"tag": tag, "status": "closed"}, {"tag": tag, "q": "Event"}):
        refused(reader.client.get("/events", params={**query, "cursor": cursor}), 400, "invalid_cursor")
    for client in (service.client(), other.client):
        refused(client.get("/events", params={"tag": tag, "cursor": cursor}), 400, "invalid_cursor")
    refused(reader.client.get("/market/positions", params={"cursor": cursor}), 400, "invalid_cursor")


@proves(PAGES)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 100])
def test_a_traversal_shows_every_row_once_newest_first(service: Service, limit: int) -> None:
    tag, ids = tagged(service, 6)

    rows = walk(service.client(), "/events", "events", tag=tag, limit=limit)
    assert [row["id"] for row in rows] == ids


@proves(
    "decisions: A full traversal under concurrent writes shows every row that matched from its start to its end "
    "exactly once",
)
def test_a_traversal_under_writes_shows_every_row_that_stayed_exactly_once(service: Service) -> None:
    tag, ids = tagged(service, 7)
    client = service.client()
    seen: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(client.get("/events", params={"tag": tag, "limit": 2, **cursor}), 200)
        seen += [event["id"] for event in page["events"]]
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
        service.event(tags=[tag])
        expect(service.creator.client.post(f"/events/{page['events'][0]['id']}/cancel"), 200)

    assert [event_id for event_id in seen if event_id in ids] == ids
    assert len(set(seen)) == len(seen)


@proves("decisions: A full traversal under concurrent writes shows every row that matched from its start to its end")
def test_a_traversal_by_deadline_shows_every_row_once(service: Service) -> None:
    tag = uuid.uuid4().hex
    days = [3, 1, None, 2, 1, None, 5]
    times = [None if day is None else f"2099-05-0{day}T00:00:00Z" for day in days]
    ids = [service.event(tags=[tag], pools=[pool(finish_at=time)])["id"] for time in times]
    rows = walk(service.client(), "/events", "events", tag=tag, sort="closing", limit=2)

    by_day = [days[ids.index(row["id"])] for row in rows]
    assert by_day == [1, 1, 2, 3, 5, None, None]
    assert sorted(row["id"] for row in rows) == sorted(ids)


@pytest.fixture(scope="module")
def trader(service: Service) -> Person:
    """Someone with nine open and nine closed positions."""
    person = service.user(balance_kopecks=1_000_000)
    for number in range(9):
        for side in ("YES", "NO"):
            market = service.event()["pools"][0]["markets"][0]["id"]
            order = {"market_id": market, "token_type": side, "amount_kopecks": 100 + number}
            expect(person.client.post("/market/bets", json=order), 201)
            if side == "NO":
                sale = {"market_id": market, "token_type": side}
                expect(person.client.post("/market/positions/sell", json=sale), 201)
    return person


@proves(
    PAGES,
    "interface: 200: object with positions (array of Closed position with details), next_cursor (string; null when no "
    "more results), has_more (bool).",
    "interface: Query: cursor (string, optional, the next_cursor of a previous response), limit (int, optional, "
    "maximum positions per page).",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("path", ["/market/positions", "/market/positions/completed"])
@pytest.mark.parametrize("limit", [2, 3, 9, 10])
def test_a_traversal_of_positions_shows_each_once(service: Service, trader: Person, path: str, limit: int) -> None:
    rows = walk(trader.client, path, "positions", limit=limit)

    ids = [row["id"] for row in rows]
    assert len(set(ids)) == len(ids) == 9
    assert ids == sorted(ids, reverse=True)


@proves(CURSOR)
@ONCE
def test_a_cursor_of_open_positions_is_none_of_completed_ones_nor_of_another_user(
    service: Service, trader: Person
) -> None:
    cursor = expect(trader.client.get("/market/positions?limit=2"), 200)["next_cursor"]

    refused(trader.client.get(f"/market/positions/completed?cursor={cursor}"), 400, "invalid_cursor")
    refused(service.user().client.get(f"/market/positions?cursor={cursor}"), 400, "invalid_cursor")


@proves("decisions: A full traversal under concurrent writes shows every row that matched from its start to its end")
def test_a_traversal_of_open_positions_goes_on_while_some_close_and_others_open(service: Service) -> None:
    person = service.user(balance_kopecks=100_000)
    markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(8)]

    def bet(market: int) -> None:
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
        expect(person.client.post("/market/bets", json=order), 201)

    for market in markets[:6]:
        bet(market)
    first = expect(person.client.get("/market/positions?limit=2"), 200)
    bet(markets[6])
    bet(markets[0])
    sold = first["positions"][0]["market_id"]
    expect(person.client.post("/market/positions/sell", json={"market_id": sold, "token_type": "YES"}), 201)
    rest = walk(person.client, "/market/positions", "positions", limit=2, cursor=first["next_cursor"])

    shown = [row["market_id"] for row in first["positions"] + rest]
    assert [market for market in shown if market in markets[:6]] == markets[:6][::-1]
