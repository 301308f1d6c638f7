"""PATCH /events/{id}: an event can be edited until it is published."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

CHANGES = {
    "name": "New name",
    "name_ru": "Новое имя",
    "tags": ["a", "b"],
    "versus_names": ["Reds", "Blues"],
    "versus_images": ["https://example.org/reds.png", ""],
    "has_draw": True,
    "image_url": "https://example.org/cover.png",
    "external_event_url": "https://example.org/elsewhere",
    "main_pool_index": 1,
}


def new_event(service: Service, **fields: Any) -> dict[str, Any]:
    return service.event(publish=False, **fields)


@proves(
    "lifecycle: PATCH /events/{id} | while `new`: `name, name_ru, tags, versus_names, versus_images, "
    "has_draw, image_url, external_event_url, main_pool_index` → 200 Event;"
)
def test_a_new_event_takes_every_change(service: Service) -> None:
    event = new_event(service, pools=[pool(), pool()])
    path = f"/events/{event['id']}"
    assert expect(service.creator.client.patch(path, json=CHANGES), 200) == event | CHANGES
    assert expect(service.creator.client.get(path), 200) == event | CHANGES
    # One at a time, and what is left out stays.
    for name in CHANGES:
        assert expect(service.creator.client.patch(path, json={name: event[name]}), 200)[name] == event[name]
    assert expect(service.creator.client.get(path), 200) == event
    published = expect(service.creator.client.post(f"{path}/publish"), 200)
    # Of the pools it shows more from then on.
    assert published | {"pools": event["pools"]} == event | {"status": "active", "is_active": True}


def test_no_change_changes_nothing_whatever_the_state(service: Service) -> None:
    new, active = new_event(service), service.event()
    for event in (new, active):
        for body in ({}, dict.fromkeys(CHANGES)):
            assert expect(service.creator.client.patch(f"/events/{event['id']}", json=body), 200) == event


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("state", ["active", "cancelled", "resolved"])
@proves(
    "lifecycle: → 200 Event; else 409 `invalid_state`",
)
def test_an_event_that_was_published_or_cancelled_is_edited_no_more(service: Service, state: str) -> None:
    event = new_event(service)
    client = service.creator.client
    if state != "cancelled":
        expect(client.post(f"/events/{event['id']}/publish"), 200)
    if state == "cancelled":
        expect(client.post(f"/events/{event['id']}/cancel"), 200)
    if state == "resolved":
        expect(client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    for name, value in CHANGES.items():
        refused(client.patch(f"/events/{event['id']}", json={name: value}), 409, "invalid_state")
    assert expect(client.get(f"/events/{event['id']}"), 200)["name"] == event["name"]


def test_an_edited_event_is_found_by_its_new_name_and_tags_alone(service: Service) -> None:
    old, new = secrets.token_hex(8), secrets.token_hex(8)
    event = new_event(service, name=f"Old {old}", tags=[old, "kept"])
    client = service.creator.client
    expect(client.patch(f"/events/{event['id']}", json={"name": f"New {new}", "tags": [new, "kept"]}), 200)
    expect(client.post(f"/events/{event['id']}/publish"), 200)

    def found(**params: str) -> list[int]:
        return [one["id"] for one in expect(service.client().get("/events", params=params), 200)["events"]]

    assert (found(q=new), found(tag=new)) == ([event["id"]], [event["id"]])
    assert (found(q=old), found(tag=old)) == ([], [])
    assert event["id"] in found(tag="kept")


def test_an_address_sent_for_an_uploaded_image_takes_its_place(service: Service) -> None:
    event = new_event(service)
    client = service.creator.client
    path = f"/events/{event['id']}"
    uploaded = expect(client.put(f"{path}/image", content=image()), 200)["image_url"]
    assert service.client().get(service.url + uploaded).status_code == 200
    sent = {"image_url": "https://example.org/cover.png"}
    assert expect(client.patch(path, json=sent), 200)["image_url"] == sent["image_url"]
    # The object is ours no more, and goes by and by; deleting takes the address away.
    expect(client.delete(f"{path}/image"), 200)
    assert expect(client.get(path), 200)["image_url"] == ""


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name_ru": "x" * 201}, "name_ru"),
        ({"tags": [""]}, "tags[0]"),
        ({"versus_names": ["x" * 201]}, "versus_names[0]"),
        ({"versus_images": ["x"]}, "versus_images[0]"),
        ({"has_draw": 1}, "has_draw"),
        ({"image_url": "x"}, "image_url"),
        ({"external_event_url": "x"}, "external_event_url"),
        ({"main_pool_index": 1}, "main_pool_index"),
        ({"main_pool_index": -1}, "main_pool_index"),
        ({"pools": []}, "pools"),
        ({"loop_interval_minutes": 1}, "loop_interval_minutes"),
    ],
)
def test_changes_are_checked_like_a_creation(service: Service, body: dict[str, Any], field: str) -> None:
    event = new_event(service)
    answer = service.creator.client.patch(f"/events/{event['id']}", json=body)
    assert list(refused(answer, 400, "bad_request")["details"]["fields"]) == [field]
    assert expect(service.creator.client.get(f"/events/{event['id']}"), 200) == event


@ONCE
def test_who_may_edit_an_event_and_what_strangers_see(service: Service) -> None:
    new, active = new_event(service), service.event()
    stranger = service.user(creator=True).client
    refused(service.client().patch(f"/events/{new['id']}", json={}), 401, "unauthorized")
    refused(stranger.patch(f"/events/{new['id']}", json={}), 404, "event_not_found")
    refused(stranger.patch(f"/events/{active['id']}", json={}), 403, "forbidden")
    refused(stranger.patch(f"/events/{2**62}", json={"name": " "}), 400, "bad_request")
    refused(stranger.patch("/events/x", content=b"{"), 400, "invalid_event_id")
    edited = expect(service.admin.patch(f"/events/{new['id']}", json={"name": "By an admin"}), 200)
    assert edited["name"] == "By an admin"
    log = expect(service.admin.get("/admin/log"), 200)["entries"][0]
    assert (log["action"], log["target"], log["details"]) == (
        "event.edit",
        f"event:{new['id']}",
        {"fields": ["name"]},
    )


@ONCE
def test_braces_are_text_where_nothing_recurs_and_placeholders_where_it_does(service: Service) -> None:
    once = new_event(service)
    client = service.creator.client
    written = expect(client.patch(f"/events/{once['id']}", json={"name": "{anything"}), 200)
    assert written["name"] == "{anything"
    assert expect(client.post(f"/events/{once['id']}/publish"), 200)["name"] == "{anything"

    finish_at = iso(service.clock() + 3_600_000)
    recurring = new_event(service, loop_interval_minutes=60, pools=[pool(finish_at=finish_at), pool()])
    path = f"/events/{recurring['id']}"
    for name in ("{anything", "{live_at}", "{low}"):
        refused(client.patch(path, json={"name": name}), 400, "bad_request")
    expect(client.patch(path, json={"name": "No. {number}, {finish_at:time}", "versus_names": ["{number}"]}), 200)
    # The main pool's times are what the event's texts know.
    refused(client.patch(path, json={"main_pool_index": 1}), 400, "bad_request")
    expect(client.patch(path, json={"main_pool_index": 1, "name": "No. {number}"}), 200)
    published = expect(client.post(f"{path}/publish"), 200)
    assert (published["name"], published["versus_names"]) == ("No. 1", ["1"])


def test_a_rule_that_needs_an_event_elsewhere_keeps_its_address(service: Service) -> None:
    finish_at = iso(service.clock() + 3_600_000)
    followed = pool(finish_at=finish_at) | {"metadata": {"resolution": {"kind": "external"}}}
    url = "https://polymarket.com/event/derby"
    event = new_event(service, pools=[followed], external_event_url=url)
    client = service.creator.client
    for other in ("", "https://example.org/derby"):
        refused(client.patch(f"/events/{event['id']}", json={"external_event_url": other}), 400, "bad_request")
    other = "https://manifold.markets/ann/derby"
    answer = expect(client.patch(f"/events/{event['id']}", json={"external_event_url": other}), 200)
    assert answer["external_event_url"] == other


def test_an_edit_comes_wholly_before_the_publication_or_not_at_all(service: Service) -> None:
    for _ in range(5):
        event = new_event(service)
        path = f"/events/{event['id']}"
        shots = [
            ("PATCH", path, {"json": {"name": "Edited", "tags": ["edited"]}}),
            ("POST", f"{path}/publish", {}),
        ]
        edited, published = service.together(shots, tokens=[service.creator.token])
        assert published.status_code == 200
        shown = expect(service.client().get(path), 200)
        assert (edited.status_code, shown["name"], shown["tags"]) in (
            (200, "Edited", ["edited"]),
            (409, event["name"], []),
        )
