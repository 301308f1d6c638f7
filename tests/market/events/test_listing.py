"""GET /events: filters, sort orders and pages."""

from __future__ import annotations

import itertools
import secrets
from typing import Any

import httpx
import pytest

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.terms import Terms
from foreknow.market.events import listing
from foreknow.market.events import service as service_of_events
from foreknow.market.events.drafts import event_draft
from foreknow.market.events.schemas import CreateEventBody, PoolBody
from foreknow.market.events.search import find_candidates
from foreknow.market.events.store import EventStatus
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from tests.support.kinds import ONCE
from tests.support.plans import plan
from tests.support.rows import insert_user
from tests.support.service import Service, expect, pool, refused


@pytest.fixture
def tag() -> str:
    """A tag that no other test uses."""
    return f"tag-{secrets.token_hex(6)}"


def pages(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    """Read all pages of a list."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(client.get("/events", params=params | cursor), 200)
        assert page["has_more"] == (page["next_cursor"] is not None)
        assert len(page["events"]) <= int(params.get("limit", 20))
        found += page["events"]
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


def ids(events: list[dict[str, Any]]) -> list[int]:
    return [event["id"] for event in events]


def test_events_are_listed_as_they_are_shown_alone_newest_first(service: Service, tag: str) -> None:
    made = [service.event(tags=[tag, "other"]) for _ in range(3)]
    assert pages(service.client(), tag=tag) == made[::-1]
    assert pages(service.client(), tag=tag, sort="new", status="active") == made[::-1]


@pytest.mark.parametrize("sort", ["new", "volume", "closing"])
def test_a_traversal_shows_every_event_once_in_order(service: Service, tag: str, sort: str) -> None:
    deadlines = ["2033-01-01T00:00:00Z", None, "2032-01-01T00:00:00Z", "2032-01-01T00:00:00Z", None, None, None]
    made = [service.event(tags=[tag], pools=[pool(finish_at=deadline)]) for deadline in deadlines]
    trader = service.user(balance_kopecks=1_000)
    for event, stake in ((made[1], 300), (made[4], 700)):
        market_id = event["pools"][0]["markets"][0]["id"]
        body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": stake}
        expect(trader.client.post("/market/bets", json=body), 201)
    expected = {
        "new": [6, 5, 4, 3, 2, 1, 0],
        "volume": [4, 1, 6, 5, 3, 2, 0],
        "closing": [2, 3, 0, 6, 5, 4, 1],
    }[sort]
    for limit in (1, 2, 3, 7, 100):
        found = pages(service.client(), tag=tag, sort=sort, limit=limit)
        assert ids(found) == [made[index]["id"] for index in expected]


def test_a_traversal_is_whole_while_events_are_written(service: Service, tag: str) -> None:
    made = [service.event(tags=[tag])["id"] for _ in range(4)]
    client = service.client()
    first = expect(client.get("/events", params={"tag": tag, "limit": 2}), 200)
    service.event(tags=[tag])
    second = expect(client.get("/events", params={"tag": tag, "limit": 2, "cursor": first["next_cursor"]}), 200)
    assert ids(first["events"] + second["events"]) == made[::-1]
    assert (second["next_cursor"], second["has_more"]) == (None, False)


def test_a_tag_is_matched_exactly(service: Service, tag: str) -> None:
    event = service.event(tags=[tag, tag, "Café"])
    assert ids(pages(service.client(), tag=tag)) == [event["id"]]
    assert event["tags"] == [tag, tag, "Café"]
    for other in (tag[:-1], tag.upper(), tag + " ", ""):
        assert pages(service.client(), tag=other) == []
    # Text is compared in NFC, as stored.
    assert event["id"] in ids(pages(service.client(), tag="Cafe\u0301", limit=100))


@pytest.mark.parametrize("few", [0, 2, 3])
async def test_a_tag_of_many_events_is_listed_like_one_of_few(
    db: Database, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """With more events of a tag than `few`, another query runs; both must return the same."""
    monkeypatch.setattr(listing, "ID_LOOKUP_MAX", few)

    def make(tx: WriteTx) -> list[int]:
        creator_id = insert_user(tx)
        return [
            service_of_events.create(
                tx,
                event_draft(CreateEventBody(name="Event", pools=[PoolBody()], tags=tags)),
                creator_id=creator_id,
                terms=Terms(),
                at_ms=0,
            )
            for tags in (["cup"], ["cup", "final"], ["final"], ["cup"])
        ]

    first, second, _, fourth = await db.write(make)
    admin = UserCaller(0, 0, False, True, False, False)
    wanted = listing.EventFilter(status=EventStatus.NEW, tag="cup", part_of_name=None, sort="new", visitor=admin)
    page = await db.read(lambda tx: listing.list_events(tx, wanted, Cursors(b""), limit=10, cursor=None, now_ms=0))
    assert [row.id for row in page.rows] == [fourth, second, first]


@pytest.mark.parametrize("few", [0, 2, 100])
async def test_a_part_of_many_names_is_found_like_one_of_few(
    db: Database, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Parts longer than the index's suffixes, of one letter, at the end of a name, and only in the Russian name."""
    monkeypatch.setattr(listing, "ID_LOOKUP_MAX", few)
    names = [("A very long name of an old cup", ""), ("A very long name of a cup", "Кубок"), ("Cup", "кубОК ъ")]

    def make(tx: WriteTx) -> list[int]:
        creator_id = insert_user(tx)
        bodies = [CreateEventBody(name=name, name_ru=name_ru, pools=[PoolBody()]) for name, name_ru in names]
        return [
            service_of_events.create(tx, event_draft(body), creator_id=creator_id, at_ms=0, terms=Terms())
            for body in bodies
        ]

    first, second, third = await db.write(make)
    admin = UserCaller(0, 0, False, True, False, False)

    async def found(part: str) -> list[int]:
        wanted = listing.EventFilter(status=EventStatus.NEW, tag=None, part_of_name=part, sort="new", visitor=admin)
        page = await db.read(lambda tx: listing.list_events(tx, wanted, Cursors(b""), limit=10, cursor=None, now_ms=0))
        return [row.id for row in page.rows]

    assert await found("cup") == [third, second, first]
    assert await found("VERY LONG NAME OF A") == [second, first]
    assert await found("very long name of an old c") == [first]
    assert await found("very long name of a c") == [second]
    assert await found("Кубок") == [third, second]
    assert await found("Ъ") == [third]
    assert await found("cupк") == await found("cup\uffffк") == await found("x") == []


async def test_a_rare_part_of_a_name_is_looked_up_and_not_searched_for(new_db: Database) -> None:
    """A scan of all names would take longer with every event."""

    def plans(tx: ReadTx) -> str:
        return plan(tx, lambda: find_candidates(tx, "cup", limit=listing.ID_LOOKUP_MAX))

    assert "pk_event_names_from" in (shown := await new_db.read(plans)) or "PRIMARY KEY" in shown


def test_names_are_searched_without_regard_to_case_in_every_script(service: Service, tag: str) -> None:
    event = service.event(name=f"Große {tag} 100%_Café", name_ru="Финал КУБКА")
    for part in (tag.upper(), f"GROSSE {tag}", f"{tag} 100%_", f"{tag} 100%_cafe\u0301"):
        assert ids(pages(service.client(), q=part)) == [event["id"]]
    assert event["id"] in ids(pages(service.client(), q="финал кубка", limit=100))
    for part in (f"{tag}%100", f"{tag} 100_", f"{tag}\\", f"caféф{tag}", tag * 2000):
        assert pages(service.client(), q=part) == []
    assert len(pages(service.client(), q="", tag=tag)) == 0
    assert event["id"] in ids(expect(service.client().get("/events", params={"q": "", "limit": 100}), 200)["events"])


def test_each_status_has_its_list(service: Service, tag: str) -> None:
    creator = service.user(creator=True)
    new, active, resolved, cancelled, never = (
        service.event(creator, tags=[tag], publish=published) for published in (False, True, True, True, False)
    )
    expect(creator.client.post(f"/pools/{resolved['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    for event in (cancelled, never):
        expect(creator.client.post(f"/events/{event['id']}/cancel"), 200)

    def listed(client: httpx.Client, status: str) -> list[int]:
        found = pages(client, tag=tag, status=status)
        assert {event["status"] for event in found} <= {status}
        assert all(event["is_active"] == (status == "active") for event in found)
        return ids(found)

    for client in (service.client(), service.user().client, creator.client, service.admin):
        assert listed(client, "active") == [active["id"]]
        assert listed(client, "resolved") == [resolved["id"]]
        assert listed(client, "closed") == []
    for client in (creator.client, service.admin):
        assert listed(client, "new") == [new["id"]]
        assert listed(client, "cancelled") == [never["id"], cancelled["id"]]
    for client in (service.client(), service.user(creator=True).client):
        assert listed(client, "new") == []
        assert listed(client, "cancelled") == [cancelled["id"]]


@ONCE
def test_a_cursor_is_bound_to_filters_and_caller_but_not_to_the_limit(service: Service, tag: str) -> None:
    for _ in range(3):
        service.event(tags=[tag], name=f"Event {tag}")
    caller = service.user().client
    anonymous = service.client()
    base: dict[str, Any] = {"tag": tag, "limit": 1}
    cursor = expect(caller.get("/events", params=base), 200)["next_cursor"]
    assert len(expect(caller.get("/events", params={"tag": tag, "limit": 2, "cursor": cursor}), 200)["events"]) == 2
    wrong: list[tuple[httpx.Client, dict[str, Any]]] = [
        (anonymous, base),
        (service.user().client, base),
        (caller, base | {"sort": "volume"}),
        (caller, base | {"status": "closed"}),
        (caller, base | {"q": tag}),
        (caller, {"limit": 1}),
        (caller, base | {"tag": tag + "x"}),
    ]
    for client, params in wrong:
        refused(client.get("/events", params=params | {"cursor": cursor}), 400, "invalid_cursor")
    for broken in ("", "x", cursor[:-1], cursor + "A", cursor[::-1], "é"):
        refused(caller.get("/events", params=base | {"cursor": broken}), 400, "invalid_cursor")
    # Passing a default is no other filter.
    same = base | {"sort": "new", "status": "active", "cursor": cursor}
    expect(caller.get("/events", params=same), 200)


@ONCE
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "invalid_limit"),
        ("limit=101", "invalid_limit"),
        ("limit=x", "invalid_limit"),
        ("limit=", "invalid_limit"),
        ("limit=1.0", "invalid_limit"),
        ("status=open", "bad_request"),
        ("status=", "bad_request"),
        ("sort=old", "bad_request"),
        ("tag=a&tag=b", "bad_request"),
        ("q=%00", "bad_request"),
        ("q=%ff", "bad_request"),
    ],
)
def test_a_broken_query_is_refused(service: Service, query: str, code: str) -> None:
    refused(service.client().get(f"/events?{query}"), 400, code)


@ONCE
def test_unknown_parameters_are_ignored(service: Service, tag: str) -> None:
    event = service.event(tags=[tag])
    assert ids(pages(service.client(), tag=tag, colour="blue")) == [event["id"]]


def test_orders_hold_over_many_ties(service: Service, tag: str) -> None:
    """Deadlines in every combination of early, late and none, read one by one in both finite orders."""
    deadlines = list(itertools.product(["2032-01-01T00:00:00Z", "2034-01-01T00:00:00Z", None], repeat=2))
    made = [service.event(tags=[tag], pools=[pool(finish_at=one), pool(finish_at=two)]) for one, two in deadlines]

    def key(index: int) -> tuple[bool, str, int]:
        given = [deadline for deadline in deadlines[index] if deadline is not None]
        return not given, max(given, default=""), index

    expected = [made[index]["id"] for index in sorted(range(len(made)), key=key)]
    assert ids(pages(service.client(), tag=tag, sort="closing", limit=1)) == expected
