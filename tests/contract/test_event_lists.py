"""Decisions, "GET /events" and "GET /events/{id}": filters and orders."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

QUERY = "decisions: GET /events | `?status=&tag=&q=&sort=new|volume|closing&limit=&cursor=` → a page of events"
SEARCH = "decisions: `q`: a part of name or name_ru without regard to case"
COMPARED = (
    "decisions: Comparisons without regard to case mean every script, Cyrillic too; searches (`q`) take ё and е for "
    "one."
)


def ids(service: Service, **query: str) -> list[int]:
    page = expect(service.client().get("/events", params={"limit": "100", **query}), 200)
    return [event["id"] for event in page["events"]]


@proves(QUERY, "decisions: without `status`: active")
def test_events_are_listed_by_status(service: Service) -> None:
    tag = uuid.uuid4().hex
    creator = service.creator.client
    active, resolved, cancelled = (service.event(tags=[tag]) for _ in range(3))
    expect(creator.post(f"/pools/{resolved['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(creator.post(f"/events/{cancelled['id']}/cancel"), 200)

    assert ids(service, tag=tag) == ids(service, tag=tag, status="active") == [active["id"]]
    assert ids(service, tag=tag, status="resolved") == [resolved["id"]]
    assert ids(service, tag=tag, status="cancelled") == [cancelled["id"]]
    assert ids(service, tag=tag, status="closed") == ids(service, tag=tag, status="new") == []


@proves(QUERY)
@ONCE
def test_a_listed_event_is_the_event(service: Service) -> None:
    tag = uuid.uuid4().hex
    event = service.event(tags=[tag], pools=[pool(["A", "B"]), pool()])
    (listed,) = expect(service.client().get("/events", params={"tag": tag}), 200)["events"]

    assert listed == event == expect(service.client().get(f"/events/{event['id']}"), 200)


@proves(QUERY)
@ONCE
@pytest.mark.parametrize(
    "query", ["status=Active", "status=", "status=open", "sort=", "sort=old", "sort=NEW", "status=all"]
)
def test_an_unknown_status_or_order_is_refused(service: Service, query: str) -> None:
    refused(service.client().get(f"/events?{query}"), 400, "bad_request")


@proves("decisions: `tag`: exactly that")
def test_a_tag_is_found_exactly(service: Service) -> None:
    mark = uuid.uuid4().hex
    tag = f"Спорт {mark} 100%_&="
    event = service.event(tags=["other", tag, tag])

    assert ids(service, tag=tag) == [event["id"]]
    for other in (tag.upper(), tag.lower(), tag[:-1], tag + " ", mark, ""):
        assert event["id"] not in ids(service, tag=other)


@proves(SEARCH, COMPARED)
@pytest.mark.parametrize(
    ("name", "name_ru", "found", "lost"),
    [
        ("Will {} win?", "", ["will {}", "WIN?", "{}", "l {} w"], ["{} loses", "will  {}"]),
        ("X", "Кубок Ёлки {}", ["кубок ёлки {}", "КУБОК", "ЁЛКИ {}", "лки", "кубок елки {}"], ["кубок олки {}"]),
        ("Елки {}", "", ["ёлки {}", "Е\u0308ЛКИ {}"], ["э"]),
        ("100%_sure\\ {}", "", ["100%", "%_s", "_SURE\\", "0%_"], ["1%sure", "100_", "%%"]),
        ("Straße {}", "", ["STRASSE {}", "straße {}"], []),
        ("caf\u00e9 {}", "", ["CAFE\u0301 {}", "caf\u00c9 {}"], ["cafe {}"]),
        ("'; DROP TABLE events; -- {}", "", ["drop table events; -- {}", "'"], []),
    ],
)
def test_a_search_finds_any_part_in_any_case(
    service: Service, name: str, name_ru: str, found: list[str], lost: list[str]
) -> None:
    mark = uuid.uuid4().hex
    event = service.event(name=name.format(mark), name_ru=name_ru.format(mark), tags=[mark])
    for q in found:
        assert ids(service, q=q.format(mark), tag=mark) == [event["id"]], q
    for q in lost:
        assert ids(service, q=q.format(mark), tag=mark) == [], q


@proves(SEARCH)
def test_a_search_does_not_join_the_two_names(service: Service) -> None:
    mark = uuid.uuid4().hex
    service.event(name=f"{mark}alpha", name_ru="beta", tags=[mark])

    for q in ("alphabeta", "alpha beta", "alpha\nbeta", "alpha\x1fbeta"):
        assert ids(service, q=q, tag=mark) == []


@proves(QUERY, "decisions: (`sort=volume` apart: its ranks move).")
def test_the_most_traded_come_first_by_volume(service: Service) -> None:
    tag = uuid.uuid4().hex
    person = service.user(balance_kopecks=10_000)
    events = [service.event(tags=[tag]) for _ in range(3)]
    for event, stake in zip(events, (500, 900, 700), strict=True):
        order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": stake}
        expect(person.client.post("/market/bets", json=order), 201)

    by_volume = [events[1]["id"], events[2]["id"], events[0]["id"]]
    assert ids(service, tag=tag, sort="volume") == by_volume
    one_by_one: list[int] = []
    query = {"tag": tag, "sort": "volume", "limit": "1"}
    while "cursor" not in query or query["cursor"]:
        page = expect(service.client().get("/events", params=query), 200)
        one_by_one += [event["id"] for event in page["events"]]
        query["cursor"] = page["next_cursor"]
    # Where no rank moves meanwhile, a traversal by volume shows each once too.
    assert one_by_one == by_volume
    assert ids(service, tag=tag, sort="new") == ids(service, tag=tag) == [event["id"] for event in events[::-1]]


@proves("decisions: `closing`: soonest of the pools' latest `finish_at` first, events without one last")
def test_the_soonest_to_close_come_first(service: Service) -> None:
    tag = uuid.uuid4().hex

    def made(*days: int | None) -> int:
        times = [None if day is None else f"2099-05-{day:02}T00:00:00Z" for day in days]
        return int(service.event(tags=[tag], pools=[pool(finish_at=time) for time in times])["id"])

    never, late, soon, middle = made(None), made(1, 20), made(5), made(9, 3)

    assert ids(service, tag=tag, sort="closing") == [soon, middle, late, never]


@proves("decisions: GET /events/{id} | Event; 404 `event_not_found`")
@ONCE
def test_an_unknown_event_is_not_found(service: Service) -> None:
    body: dict[str, Any] = refused(service.client().get("/events/999999999"), 404, "event_not_found")

    assert body["message"]
