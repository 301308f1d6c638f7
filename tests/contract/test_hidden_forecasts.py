"""From whom others' forecasts and the crowd are hidden, and until when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import HOUR_MS, iso
from tests.support.forecasts import chart, crowd, grown_up, of_person, said, shown, taken_back
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

PATHS = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())["paths"]
#: Answers that do not end.
STREAMS = {"/admin/chat/stream", "/chat/stream", "/ws/live", "/ws/trades"}
STRICT = (
    'forecasts: **Hidden**: `pools[].metadata.forecasts` `{"hidden": "own"|time}`, strict (400 '
    "`pools[0].metadata.forecasts.…`; a time in an event that recurs: 400), given back as sent."
)
OWN = (
    "forecasts: `own`: crowd, chart, others' forecasts are shown to who has one that stands or stood (a courtesy, no "
    "secret); a time: to nobody before it."
)
SHOWN = "forecasts: From the first verdict or cancellation on, decided too, all is shown. Prices are public as ever."
PAGE = "forecasts: `hidden` (bool; then `forecasts` [], `forecasters`, `crowd` null) |"
NAMED = (
    "forecasts: No answer but those named here carries one, and these are never kept past a moment at which `hidden` "
    "changes."
)
CHART = "forecasts: [] while hidden from the caller |"
COMMENT = (
    "forecasts: null where none, where the author's `show_forecast` (own view, PATCH /users/me; true) is off, or while "
    "hidden from the caller."
)
PROFILE = "forecasts: | GET /users/{id} | + `forecasts` (pools, of what the caller may see),"
LEFT_OUT = "forecasts: what is hidden from the caller is left out |"
#: Of the pool that hides from who has said nothing, and of that which hides until a time: what three people think.
OWN_SAID, UNTIL_SAID = (0.31415926, 0.42715828, 0.51413562), (0.27172071, 0.36262627, 0.48181721)


def hidden_pool(hidden: Any, **fields: Any) -> dict[str, Any]:
    described = pool(**fields)
    described["metadata"]["forecasts"] = {"hidden": hidden}
    return described


@ONCE
@proves(STRICT)
@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("own", ""),
        ([], ""),
        ({}, ".hidden"),
        ({"hidden": None}, ".hidden"),
        ({"hidden": "all"}, ".hidden"),
        ({"hidden": "2030-01-01T00:00:00"}, ".hidden"),
        ({"hidden": 1}, ".hidden"),
        ({"hidden": "own", "also": 1}, ".also"),
    ],
)
def test_what_hides_nothing_is_refused(service: Service, sent: Any, path: str) -> None:
    described = pool()
    described["metadata"]["forecasts"] = sent
    body = {"name": "Event", "pools": [described]}
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == [f"pools[0].metadata.forecasts{path}"]


@proves(STRICT)
def test_what_hides_is_given_back_and_a_series_takes_no_time(service: Service) -> None:
    times: dict[str, Any] = {"finish_at": "2100-01-01T00:00:00Z"}
    until = hidden_pool("2030-01-01T00:00+03:00", **times)
    event = service.event(pools=[until, hidden_pool("own", **times), pool(**times)])
    assert [one["metadata"].get("forecasts") for one in event["pools"]] == [
        {"hidden": "2030-01-01T00:00+03:00"},
        {"hidden": "own"},
        None,
    ]
    body = {"name": "Event", "pools": [until], "loop_interval_minutes": 60}
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == ["pools[0].metadata.forecasts.hidden"]
    recurring = {**body, "pools": [hidden_pool("own", **times)]}
    expect(service.creator.client.post("/events/create-full", json=recurring), 201)


@dataclass(frozen=True)
class Scene:
    """An event of two pools that hide forecasts, with three people who said what they think of both, and commented."""

    event: Mapping[str, Any]
    people: list[Person]
    comment_id: int

    @property
    def own_id(self) -> int:
        found: int = self.event["pools"][0]["id"]
        return found

    @property
    def until_id(self) -> int:
        found: int = self.event["pools"][1]["id"]
        return found


def made_scene(service: Service, *, until_ms: int) -> Scene:
    until = datetime.fromtimestamp(until_ms / 1000).astimezone().isoformat()
    event = service.event(pools=[hidden_pool("own"), hidden_pool(until)], tags=["hidden"])
    people = grown_up(service, 3)
    comments = list[int]()
    for person, own, later in zip(people, OWN_SAID, UNTIL_SAID, strict=True):
        said(person, event["pools"][0]["id"], [own])
        said(person, event["pools"][1]["id"], [later])
        body = {"event_id": event["id"], "content": "Well."}
        comments.append(expect(person.client.post("/comments", json=body), 201)["id"])
    return Scene(event, people, comments[0])


def routes_that_say(client: httpx.Client, scene: Scene, numbers: tuple[float, ...]) -> set[str]:
    """Return which routes tell a caller any of these numbers."""
    fields = {
        "event_id": scene.event["id"],
        "pool_id": scene.own_id,
        "market_id": scene.event["pools"][0]["markets"][0]["id"],
        "comment_id": scene.comment_id,
        "id": scene.people[0].id,
        "user_id": scene.people[0].id,
    }
    query = {"ids": f"{scene.own_id},{scene.until_id}", "event_id": scene.event["id"], "limit": 100}
    found = set[str]()
    for path, methods in PATHS.items():
        route = path.removeprefix("/api/v1")
        # Any digits may be among those of the machine's health.
        if "get" not in methods or route in {*STREAMS, "/health"} or "oauth" in route:
            continue
        given = [fields | {"pool_id": pool_id} for pool_id in (scene.own_id, scene.until_id)][
            : 1 + ("pool_id" in route)
        ]
        for one in given:
            text = client.get(route.format_map(_Anything(one)), params=query).text
            if any(str(number)[2:8] in text for number in numbers):
                found.add(route)
    return found


class _Anything(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return "1"


@proves(OWN, SHOWN, PAGE, NAMED, CHART, COMMENT, LEFT_OUT)
def test_no_route_says_what_is_hidden_from_the_caller(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    until_ms = service.clock() + HOUR_MS
    scene = made_scene(service, until_ms=until_ms)
    ann, all_said = scene.people[0], (*OWN_SAID, *UNTIL_SAID)
    crowd(service, scene.own_id)
    stranger = service.user()
    for client in (service.client(), stranger.client, service.admin, service.creator.client):
        assert routes_that_say(client, scene, all_said) == set()
        for pool_id in (scene.own_id, scene.until_id):
            page = shown(client, pool_id)
            assert (page["forecasts"], page["forecasters"], page["crowd"], page["mine"]) == ([], None, None, None)
            assert page["hidden"] is True
            assert chart(client, pool_id) == chart(client, pool_id, "1h") == []
        assert of_person(client, ann.id) == {"forecasts": [], "next_cursor": None, "has_more": False}
    # Who has said one sees the others' of that pool, and of the other one their own alone.
    of_pool = {"/pools/{pool_id}/forecasts", "/pools/{pool_id}/forecasts/chart"}
    comments, person = {"/events/{event_id}/comments", "/comments/{comment_id}"}, {"/users/{id}/forecasts"}
    assert routes_that_say(ann.client, scene, OWN_SAID[1:]) == of_pool | {"/events/{event_id}/comments"}
    assert routes_that_say(ann.client, scene, UNTIL_SAID[1:]) == set()
    own = {"/users/me/forecasts", "/pools/{pool_id}/forecasts"}
    assert routes_that_say(ann.client, scene, UNTIL_SAID[:1]) == own | person
    # It stood: that is enough.
    said(stranger, scene.own_id, [0.5])
    taken_back(stranger, scene.own_id)
    assert routes_that_say(stranger.client, scene, OWN_SAID) == of_pool | comments | person
    assert [row["pool_id"] for row in of_person(stranger.client, ann.id)["forecasts"]] == [scene.own_id]
    assert shown(stranger.client, scene.own_id)["crowd"] == [pytest.approx(OWN_SAID[1])]

    service.clock.stop_at(until_ms - 1)
    assert shown(service.client(), scene.until_id)["hidden"] is True
    service.clock.stop_at(until_ms)
    assert routes_that_say(service.client(), scene, UNTIL_SAID) == of_pool | person
    assert shown(service.client(), scene.until_id)["forecasters"] == 3


@proves(PROFILE)
def test_a_profile_counts_what_the_caller_may_see(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    until_ms = service.clock() + HOUR_MS
    scene = made_scene(service, until_ms=until_ms)
    ann, bob, _ = scene.people
    stranger = service.user()
    said(ann, service.event()["pools"][0]["id"], [0.5])

    def counted(client: httpx.Client) -> int:
        found: int = expect(client.get(f"/users/{ann.id}"), 200)["forecasts"]
        return found

    for client in (service.client(), stranger.client, service.admin, service.creator.client):
        assert counted(client) == 1
    assert (counted(bob.client), counted(ann.client)) == (2, 3)
    seen = service.client().get(f"/users/{ann.id}")
    service.clock.stop_at(until_ms)
    later = service.client().get(f"/users/{ann.id}", headers={"If-None-Match": seen.headers["ETag"]})
    assert expect(later, 200)["forecasts"] == 2
    service.sign_out_shared()
    expect(service.creator.client.post(f"/pools/{scene.own_id}/resolve", json={"won_side": 0}), 200)
    assert counted(service.client()) == 3


@proves(SHOWN, COMMENT)
@pytest.mark.parametrize("end", ["resolve", "decide", "cancel"])
def test_the_end_shows_all(service: Service, end: str) -> None:
    described = hidden_pool("own", finish_at="2100-01-01T00:00:00Z")
    if end == "decide":
        described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    event = service.event(pools=[described])
    pool_id = event["pools"][0]["id"]
    people = grown_up(service, 3)
    for person in people:
        said(person, pool_id, [0.3])
    comment = expect(people[0].client.post("/comments", json={"event_id": event["id"], "content": "Well."}), 201)
    assert comment["forecast"] == {"pool_id": pool_id, "outcome_index": 0, "probability": 0.3}
    visitor = service.client()

    def seen() -> Any:
        return expect(visitor.get(f"/comments/{comment['id']}"), 200)["comment"]["forecast"]

    assert (shown(visitor, pool_id)["hidden"], seen()) == (True, None)
    creator = service.creator.client
    if end == "cancel":
        expect(creator.post(f"/events/{event['id']}/cancel"), 200)
    else:
        expect(creator.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    assert crowd(service, pool_id) == [0.3]
    page = shown(visitor, pool_id)
    assert (page["hidden"], page["forecasters"], seen()) == (False, 3, comment["forecast"])


@proves("forecasts: **Series**: each instance has its own.")
def test_the_next_instance_of_a_series_begins_without_forecasts(moving_service: Service) -> None:
    service = moving_service
    described = hidden_pool("own", finish_at=iso(service.clock() + HOUR_MS))
    event = service.event(pools=[described], loop_interval_minutes=60)
    ann = service.user()
    said(ann, event["pools"][0]["id"], [0.3])
    service.clock.advance(2 * HOUR_MS)
    service.sign_out_shared()
    query = {"series": event["series"]["id"]}

    def instances() -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = expect(service.client().get("/events", params=query), 200)["events"]
        return listed

    wait_until(lambda: len(instances()) == 2)
    later = instances()[0]["pools"][0]
    assert later["metadata"]["forecasts"] == {"hidden": "own"}
    mine = service.client(service.sign_in(ann.email, ann.password))
    page = shown(mine, later["id"])
    assert (page["mine"], page["hidden"]) == (None, True)
    assert [row["pool_id"] for row in of_person(mine)["forecasts"]] == [event["pools"][0]["id"]]
