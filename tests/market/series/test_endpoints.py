"""GET, POST and PATCH of series over HTTP, and what events and lists show of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.books import audit_database
from tests.support.kinds import ONCE
from tests.support.limit_orders import get_order, money, orders_of, rest
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused
from tests.support.waiting import wait_until

MINUTE = 60_000


@pytest.fixture(scope="module")
def running(module_database_url: str) -> Iterator[Service]:
    """A service of this file's own: series go on for ever."""
    made = Service(module_database_url)
    yield made
    made.stop()
    audit_database(module_database_url)


@pytest.fixture
def passing_service(running: Service) -> Service:
    """The same; tests let its instances pass."""
    running.sign_out_shared()
    return running


def recurring(service: Service, *, finish_in_ms: int = MINUTE, **fields: Any) -> dict[str, Any]:
    """Publish an event that recurs each minute."""
    body: dict[str, Any] = {
        "name": "Round {number}",
        "loop_interval_minutes": 1,
        "pools": [pool(["a", "b"], b=1_000, finish_at=iso(service.clock() + finish_in_ms))],
    }
    return service.event(**(body | fields))


def series(service: Service, event: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = expect(service.client().get(f"/series/{event['series']['id']}"), 200)
    return answer


def pass_instances(service: Service, event: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Let instances pass, and return all there are, oldest first."""
    for _ in range(count):
        _pass_instance(service, event)
    return listed(service, event)[::-1]


def _pass_instance(service: Service, event: dict[str, Any]) -> None:
    newest = series(service, event)["current_event_id"]
    service.clock.advance(MINUTE)
    wait_until(lambda: series(service, event)["current_event_id"] != newest)


def listed(service: Service, event: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    query = {"series": event["series"]["id"], "limit": 100} | params
    found: list[dict[str, Any]] = expect(service.client().get("/events", params=query), 200)["events"]
    return found


@proves(
    "lifecycle: Publishing an event with `loop_interval_minutes` > 0 begins a series; it is instance 0.",
)
def test_a_published_event_that_recurs_begins_a_series(service: Service) -> None:
    new = recurring(service, finish_in_ms=3 * MINUTE, publish=False, external_event_url="https://example.org/x")
    assert (new["name"], new["series"]) == ("Round {number}", None)
    event = expect(service.creator.client.post(f"/events/{new['id']}/publish"), 200)
    shown = {name: event[name] for name in ("main_pool_index", "loop_interval_minutes", "external_event_url")}
    assert shown == {
        "main_pool_index": 0,
        "loop_interval_minutes": 1,
        "external_event_url": "https://example.org/x",
    }
    series_id = event["series"]["id"]
    assert event["series"] == {"id": series_id, "index": 0, "previous_event_id": None, "next_event_id": None}
    answer = series(service, event)
    assert answer.pop("created_at")[-1] == "Z"
    assert answer == {
        "id": series_id,
        "status": "running",
        "waiting": None,
        "loop_interval_minutes": 1,
        "first_event_id": event["id"],
        "current_event_id": event["id"],
        "next_index": 1,
        "next_opens_at": event["pools"][0]["finish_at"],
    }


@ONCE
def test_an_event_that_happens_once_begins_none(service: Service) -> None:
    event = service.event(loop_interval_minutes=0)
    assert (event["series"], event["loop_interval_minutes"]) == (None, 0)


@proves(
    "lifecycle: Event gets `main_pool_index, loop_interval_minutes, external_event_url` and `series`: null or"
    " `{id, index, previous_event_id, next_event_id}` (where they exist)."
)
def test_a_running_service_opens_instances_by_itself(passing_service: Service) -> None:
    service = passing_service
    event = recurring(service)
    made = pass_instances(service, event, 3)
    assert [one["series"]["index"] for one in made] == [0, 1, 2, 3]
    assert [one["name"] for one in made] == ["Round 1", "Round 2", "Round 3", "Round 4"]
    assert [one["series"]["next_event_id"] for one in made] == [one["id"] for one in made[1:]] + [None]
    assert [one["series"]["previous_event_id"] for one in made] == [None] + [one["id"] for one in made[:-1]]
    # The newest can be bet on, the older ones are past their end.
    trader = service.user(balance_kopecks=1_000)
    for one, status in ((made[-1], 201), (made[-2], 409)):
        body = {"market_id": one["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
        expect(trader.client.post("/market/bets", json=body), status)


@proves("orders: Nothing passes to the next instance of a series.")
def test_limit_orders_end_with_their_instance(passing_service: Service) -> None:
    service = passing_service
    event = recurring(service)
    person = service.user(balance_kopecks=1_000)
    order = rest(person, event["pools"][0]["markets"][0]["id"], "YES", "buy", shares=1_000, price=30)

    _, following = pass_instances(service, event, 1)

    ended = get_order(person, order["id"])
    assert (ended["status"], ended["reason"]) == ("cancelled", "closed")
    wait_until(lambda: money(person) == (1_000, 0))
    assert orders_of(person, pool_id=following["pools"][0]["id"]) == []


@proves(
    "lifecycle: GET /events | `?series=ID` (without `status`: any); `?current=true` leaves out all but the "
    "newest of each series"
)
def test_lists_of_a_series_and_without_its_older_instances(fresh_service: Service) -> None:
    service = fresh_service
    once = service.event(tags=["x"])
    event = recurring(service, tags=["x"])
    made = pass_instances(service, event, 3)
    expect(service.creator.client.post(f"/pools/{made[0]['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(service.creator.client.post(f"/events/{made[1]['id']}/cancel"), 200)
    ids = [one["id"] for one in made]

    def found(**params: Any) -> list[int]:
        return [one["id"] for one in expect(service.client().get("/events", params=params), 200)["events"]]

    series_id = event["series"]["id"]
    # Of any status, newest first.
    assert found(series=series_id) == ids[::-1]
    assert [one["status"] for one in listed(service, event)] == ["active", "closed", "cancelled", "resolved"]
    for status, expected in (
        ("active", ids[3:]),
        ("closed", [ids[2]]),
        ("cancelled", [ids[1]]),
        ("resolved", [ids[0]]),
    ):
        assert found(series=series_id, status=status) == expected
    assert found(series=series_id, status="new") == []
    assert found(series=series_id, current="true") == ids[3:]
    assert found(series=series_id, current="true", status="resolved") == []
    assert found(series=series_id, sort="closing") == ids
    assert found(series=series_id, q="Round 3") == [ids[2]]
    assert found(series=series_id, tag="x") == ids[::-1]
    assert found(series=series_id, tag="y") == []
    assert found(series=series_id + 1) == []
    assert found(current="true") == [ids[3], once["id"]]
    assert found(current="false") == [ids[3], once["id"]]
    assert found(current="true", tag="x", sort="volume") == [ids[3], once["id"]]
    assert found(current="true", status="closed") == []
    assert found(current="false", status="closed") == [ids[2]]
    assert found(current="true", status="resolved") == []


def test_pages_of_a_series_show_every_instance_once(passing_service: Service) -> None:
    service = passing_service
    event = recurring(service)
    made = pass_instances(service, event, 4)
    expect(service.creator.client.post(f"/pools/{made[1]['pools'][0]['id']}/resolve", json={"void": True}), 200)
    ids = [one["id"] for one in made]
    assert pages_of_series(service, event, "closing") == ids
    for sort in ("new", "volume"):
        assert pages_of_series(service, event, sort) == ids[::-1], sort


def pages_of_series(service: Service, event: dict[str, Any], sort: str) -> list[int]:
    """Return the ids of all pages; a cursor is good for no other list."""
    client = service.client()
    params: dict[str, Any] = {"series": event["series"]["id"], "sort": sort, "limit": 2}
    found: list[int] = []
    while True:
        page = expect(client.get("/events", params=params), 200)
        found += [one["id"] for one in page["events"]]
        if not page["has_more"]:
            return found
        params["cursor"] = page["next_cursor"]
        for other in ({"series": event["series"]["id"] + 1}, {"current": "true"}, {"status": "active"}):
            refused(client.get("/events", params=params | other), 400, "invalid_cursor")


@ONCE
@pytest.mark.parametrize(
    "query", ["series=0", "series=x", "series=01", f"series={2**63}", "current=yes", "current=", "series=1&series=2"]
)
def test_malformed_filters_are_refused(service: Service, query: str) -> None:
    refused(service.client().get(f"/events?{query}"), 400, "bad_request")


@proves(
    "lifecycle: POST /series/{id}/stop, …/resume (its creator, admin) | 200 the series;",
    "lifecycle: PATCH /series/{id} (the same)",
)
@ONCE
def test_who_may_stop_resume_and_change_a_series(service: Service) -> None:
    event = recurring(service, finish_in_ms=3_600_000)
    path = f"/series/{event['series']['id']}"
    stranger = service.user(creator=True)
    requests: list[tuple[str, str, dict[str, Any] | None]] = [
        ("POST", f"{path}/stop", None),
        ("POST", f"{path}/resume", None),
        ("PATCH", path, {"tags": ["x"]}),
    ]
    for method, where, body in requests:
        refused(service.client().request(method, where, json=body), 401, "unauthorized")
        refused(stranger.client.request(method, where, json=body), 403, "forbidden")
        for client in (service.creator.client, service.admin):
            assert expect(client.request(method, where, json=body), 200)["id"] == event["series"]["id"]
    # Everybody may read it, and no bad token.
    expect(service.client().get(path), 200)
    refused(service.client(token="x").get(path), 401, "unauthorized")


def test_what_an_admin_does_to_a_series_of_another_is_logged(service: Service) -> None:
    event = recurring(service, finish_in_ms=3_600_000)
    path = f"/series/{event['series']['id']}"
    expect(service.admin.post(f"{path}/stop"), 200)
    expect(service.admin.post(f"{path}/stop"), 200)
    expect(service.admin.post(f"{path}/resume"), 200)
    expect(service.admin.patch(path, json={"tags": ["x"], "has_draw": True}), 200)
    expect(service.creator.client.post(f"{path}/stop"), 200)
    log = expect(service.admin.get("/admin/log"), 200)["entries"]
    entries = [(one["action"], one["details"]) for one in log if one["target"] == f"series:{event['series']['id']}"]
    assert entries[::-1] == [
        ("series.stop", {}),
        ("series.resume", {}),
        ("series.edit", {"fields": ["has_draw", "tags"]}),
    ]


@ONCE
def test_the_order_of_checks(service: Service) -> None:
    event = recurring(service, finish_in_ms=3_600_000)
    path, none = f"/series/{event['series']['id']}", f"/series/{2**62}"
    creator, stranger = service.creator.client, service.user().client
    for bad in ("/series/0", "/series/x", "/series/01"):
        refused(service.client().get(bad), 400, "invalid_series_id")
        refused(creator.post(f"{bad}/stop"), 400, "invalid_series_id")
    refused(service.client().patch("/series/x", json={}), 401, "unauthorized")
    refused(creator.patch("/series/x", content=b"{"), 400, "invalid_series_id")
    refused(service.client().get(none), 404, "series_not_found")
    refused(creator.post(f"{none}/resume"), 404, "series_not_found")
    # Fields before rows, rows before owners.
    refused(creator.patch(none, json={"name": " "}), 400, "bad_request")
    refused(creator.patch(none, json={"name": "New"}), 404, "series_not_found")
    refused(stranger.patch(path, json={"pools": []}), 400, "bad_request")
    refused(stranger.patch(path, json={}), 403, "forbidden")
    refused(service.client().put(path), 405, "method_not_allowed")


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"loop_interval_minutes": 0}, "loop_interval_minutes"),
        ({"loop_interval_minutes": 1.0}, "loop_interval_minutes"),
        ({"name": ""}, "name"),
        ({"unknown": 1}, "unknown"),
        ({"pools": []}, "pools"),
        ({"pools": [{"margin": 0.6}]}, "pools[0].margin"),
        ({"tags": ["x"] * 51}, "tags"),
        ({"image_url": "ftp://example.org"}, "image_url"),
        ({"name": "{nothing}"}, "name"),
    ],
)
@proves(
    "lifecycle: `loop_interval_minutes` ≥ 1;",
)
def test_changes_are_checked_like_a_creation(service: Service, body: dict[str, Any], field: str) -> None:
    event = recurring(service, finish_in_ms=3_600_000)
    answer = service.creator.client.patch(f"/series/{event['series']['id']}", json=body)
    assert list(refused(answer, 400, "bad_request")["details"]["fields"]) == [field]


def test_a_changed_series_shows_its_new_interval_at_once(service: Service) -> None:
    event = recurring(service, finish_in_ms=3_600_000)
    path = f"/series/{event['series']['id']}"
    answer = expect(service.creator.client.patch(path, json={"loop_interval_minutes": 5}), 200)
    assert (answer["loop_interval_minutes"], answer) == (5, series(service, event))
    # The event stays what it was.
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["loop_interval_minutes"] == 1


@proves(
    "lifecycle: GET /series/{id} (optional) | `{id, status: running|stopped|ended, waiting: null or one of those, "
    "loop_interval_minutes, first_event_id, current_event_id (newest), next_index, next_opens_at (null unless "
    "running), created_at}`",
    "lifecycle: POST /series/{id}/stop, …/resume (its creator, admin) | 200 the series; twice is 200; the newest "
    "instance goes on",
)
def test_a_series_shows_what_it_waits_for_until_it_is_stopped(passing_service: Service) -> None:
    service = passing_service
    event = recurring(service)
    path = f"/series/{event['series']['id']}"
    running = series(service, event)
    account = f"/admin/users/{service.creator.id}"
    expect(service.admin.patch(account, json={"is_creator": False}), 200)
    service.clock.advance(MINUTE)
    wait_until(lambda: series(service, event)["waiting"] == "creator_role")
    # It is open to every caller, signed in or not.
    assert expect(service.user().client.get(path), 200) == series(service, event)
    expect(service.admin.patch(account, json={"is_creator": True}), 200)
    wait_until(lambda: series(service, event)["current_event_id"] != event["id"])
    opened = series(service, event)
    newest = opened["current_event_id"]
    finish_at = expect(service.client().get(f"/events/{newest}"), 200)["pools"][0]["finish_at"]
    assert opened == running | {"current_event_id": newest, "next_index": 2, "next_opens_at": finish_at}

    stopped = opened | {"status": "stopped", "next_opens_at": None}
    for method, expected in (("stop", stopped), ("stop", stopped), ("resume", opened), ("resume", opened)):
        assert expect(service.creator.client.post(f"{path}/{method}"), 200) == expected
        assert series(service, event) == expected
        assert expect(service.client().get(f"/events/{newest}"), 200)["status"] == "active"


@proves(
    "lifecycle: It has `ended` where the next would pass the year 9999.",
    "lifecycle: 409 `invalid_state` once ended",
)
def test_a_series_that_has_ended_is_changed_no_more(service: Service) -> None:
    last = recurring(service, pools=[pool(finish_at="9999-12-31T23:59:59.999Z")])
    assert (series(service, last)["status"], series(service, last)["next_opens_at"]) == ("ended", None)
    for change in ({"name": "New"}, {"loop_interval_minutes": 2}):
        path = f"/series/{last['series']['id']}"
        refused(service.creator.client.patch(path, json=change), 409, "invalid_state")


@proves("lifecycle: `pools` replaces all, its times being those of `next_index` → 200;")
def test_new_pools_of_a_series_count_from_its_next_instance(passing_service: Service) -> None:
    service = passing_service
    event = recurring(service)
    path = f"/series/{event['series']['id']}"
    finishes = [iso(service.clock() + minutes * MINUTE) for minutes in (3, 4)]
    body = {"pools": [pool(name=f"Until {finish_at}", finish_at=finish_at) for finish_at in finishes]}
    assert expect(service.creator.client.patch(path, json=body), 200)["next_index"] == 1
    before, after = pass_instances(service, event, 1)
    assert before["pools"][0]["finish_at"] == event["pools"][0]["finish_at"]
    assert after["series"]["index"] == 1
    assert [(one["name"], one["finish_at"]) for one in after["pools"]] == [(f"Until {at}", at) for at in finishes]
