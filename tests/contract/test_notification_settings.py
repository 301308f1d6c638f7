"""What people want to be notified of, their time zone and the language of their mails."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.people.notifications.kinds import KINDS
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused

PATH = "/users/me/notification-settings"
MAILED_NOW = {
    "position_settled",
    "resolution_needed",
    "operator_answer",
    "price_alert",
    "settings_changed",
    "verdict_decided",
    "objection_answered",
}


def settings(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = expect(person.client.get(PATH), 200)
    return found


def comment(author: Person, event: dict[str, Any], parent_id: int | None = None) -> Any:
    body = {"event_id": event["id"], "content": "Well.", "parent_id": parent_id}
    return expect(author.client.post("/comments", json=body), 201)


def listed(person: Person) -> list[str]:
    found = expect(person.client.get("/notifications"), 200)["notifications"]
    assert expect(person.client.get("/notifications/unread/count"), 200) == {"count": len(found)}
    return [one["type"] for one in found]


@proves(
    "site: GET, PUT /users/me/notification-settings (Required) |",
    'site: `{<type>: {"app": bool, "email": "off"|"now"|"daily"}}`, all types; PUT changes what it names.',
    "site: Default: app on; mail `now` for `position_settled`, `resolution_needed`, `operator_answer`,",
    "site: else off |",
)
def test_settings_have_all_types_and_a_change_those_that_it_names(service: Service) -> None:
    ann, bob = service.user(), service.user()
    usual = {kind: {"app": kind != "forecast_old", "email": "now" if kind in MAILED_NOW else "off"} for kind in KINDS}
    assert settings(ann) == usual

    change = {"comment_reply": {"email": "daily"}, "event_closed": {"app": False}, "operator_answer": {}}
    changed = usual | {
        "comment_reply": {"app": True, "email": "daily"},
        "event_closed": {"app": False, "email": "off"},
    }
    assert expect(ann.client.put(PATH, json=change), 200) == changed
    assert expect(ann.client.put(PATH, json={}), 200) == changed
    left_out = {"comment_reply": None, "operator_answer": {"app": None, "email": None}}
    assert expect(ann.client.put(PATH, json=left_out), 200) == changed
    assert (settings(ann), settings(bob)) == (changed, usual)
    again = {"comment_reply": {"app": False, "email": "now"}}
    assert expect(ann.client.put(PATH, json=again), 200) == changed | again


@ONCE
@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"": {}},
        {"followed": {"app": True}},
        {"comment_reply": {"app": 1}},
        {"comment_reply": {"email": "weekly"}},
        {"comment_reply": {"push": True}},
        {"comment_reply": {"email": "now"}, "comment_replies": {}},
    ],
)
def test_a_wrong_change_is_refused_as_a_whole(service: Service, wrong: Any) -> None:
    ann = service.user()
    before = settings(ann)

    refused(ann.client.put(PATH, json=wrong), 400, "bad_request")
    assert settings(ann) == before
    refused(service.client().put(PATH, json={}), 401, "unauthorized")
    refused(service.client().get(PATH), 401, "unauthorized")


@proves("site: `app` false: no row.")
def test_what_is_not_wanted_here_is_in_no_list_and_no_count(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    first, second = comment(ann, event), comment(bob, event)
    expect(ann.client.put(PATH, json={"comment_reply": {"app": False}}), 200)

    comment(bob, event, first["id"])
    comment(ann, event, second["id"])
    assert (listed(ann), listed(bob)) == ([], ["comment_reply"])
    expect(ann.client.put(PATH, json={"comment_reply": {"app": True}}), 200)
    assert listed(ann) == []
    comment(bob, event, first["id"])
    assert listed(ann) == ["comment_reply"]


@proves("site: `time_zone` (IANA; UTC); own view + `email_verified, email_refused, email_pending`.")
@ONCE
def test_the_time_zone_is_utc_until_it_is_changed(service: Service) -> None:
    ann = service.user()
    view = expect(ann.client.get("/users/me"), 200)
    assert view["time_zone"] == "UTC"
    assert (view["email_verified"], view["email_refused"], view["email_pending"]) == (False, False, "")

    changed = expect(ann.client.patch("/users/me", json={"time_zone": "America/Argentina/Ushuaia"}), 200)
    assert changed["time_zone"] == "America/Argentina/Ushuaia"
    for wrong in ("", "utc", "Mars/Phobos", "../UTC", "Europe/Berlin ", "x" * 10_000, 3):
        refused(ann.client.patch("/users/me", json={"time_zone": wrong}), 400, "bad_request")
    assert expect(ann.client.get("/users/me"), 200)["time_zone"] == "America/Argentina/Ushuaia"


@proves("site: Own view and PATCH /users/me + `language` (`en`, `ru`; at first by Accept-Language),")
@ONCE
def test_mails_are_at_first_in_the_language_that_the_browser_prefers(service: Service) -> None:
    for header, language in (("ru-RU, ru;q=0.9, en;q=0.8", "ru"), ("en-GB", "en"), ("de", "en"), ("ru;q=0", "en")):
        name = f"{language}.{len(header)}.{service.user().id}@example.org"
        body = {"email": name, "password": "correct horse battery", "name": "Ann"}
        with service.client(headers={"Accept-Language": header}) as client:
            signed_up = expect(client.post("/auth/sign-up", json=body), 201)
            assert signed_up["user"]["language"] == language
            bearer = {"Authorization": f"Bearer {signed_up['access_token']}"}
            changed = expect(client.patch("/users/me", json={"language": "ru"}, headers=bearer), 200)
            assert changed["language"] == "ru"
            kept = expect(client.get("/users/me", headers=bearer | {"Accept-Language": "en"}), 200)
            assert kept["language"] == "ru"
