"""Moderation: members report comments, events and people; operators see the reports of one thing as one."""

from __future__ import annotations

import itertools
from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused

FILED = (
    "site: | POST /reports (Required) | `{kind: comment|event|user, id, reason: spam|abuse|rules|other, "
    "text? (≤ 500)}` → 201 `{id}`;"
)
AGAIN = "site: again while open 200, the same;"
BOUND = "site: 404; 429 over 20 a day |"
LISTED = (
    "site: | GET /admin/reports `?open=`; POST …/{id}/close `{note?}` (operator, admin) | page `reports`, those of one "
    "thing as one: `{id, kind, target_id, count, reports: [≤ 20 {user, reason, text, created_at}], closed_at, note}`;"
)
CLOSED = "site: 200 that, twice too; 404 `report_not_found` |"
LOGGED = "site: The log has what operators and admins do, people as ids."
DAY_MS = 24 * 3_600_000


def file(person: Person, kind: str, target_id: int, reason: str = "abuse", **more: Any) -> httpx.Response:
    return person.client.post("/reports", json={"kind": kind, "id": target_id, "reason": reason} | more)


def comment(author: Person, event: dict[str, Any], content: str = "Well.") -> dict[str, Any]:
    made: dict[str, Any] = expect(
        author.client.post("/comments", json={"event_id": event["id"], "content": content}), 201
    )
    return made


def shown(client: httpx.Client, report_id: int, **query: Any) -> dict[str, Any] | None:
    """Return a report as the list shows it; None where it does not."""
    cursor: str | None = None
    while True:
        params = {"limit": 100} | query | ({"cursor": cursor} if cursor else {})
        page = expect(client.get("/admin/reports", params=params), 200)
        for each in page["reports"]:
            if each["id"] == report_id:
                found: dict[str, Any] = each
                return found
        cursor = page["next_cursor"]
        if cursor is None:
            return None


@proves(FILED, AGAIN, LISTED)
def test_the_reports_of_one_thing_are_one(service: Service) -> None:
    event, (ann, bob, cid) = service.event(), (service.user(), service.user(), service.user())
    operator = service.user(operator=True)
    said = comment(cid, event, "You fool.")
    made = expect(file(ann, "comment", said["id"], text="Un e\u0301té de haine"), 201)
    assert made.keys() == {"id"}
    assert expect(file(ann, "comment", said["id"], "spam", text="More."), 200) == made
    assert expect(file(bob, "comment", said["id"], "rules"), 201) == made
    of_event, of_user = expect(file(ann, "event", event["id"]), 201), expect(file(ann, "user", cid.id, "other"), 201)
    assert len({made["id"], of_event["id"], of_user["id"]}) == 3

    found = shown(operator.client, made["id"], open="true")
    assert found is not None
    reports = found.pop("reports")
    assert found == {
        "id": made["id"],
        "kind": "comment",
        "target_id": said["id"],
        "count": 2,
        "closed_at": None,
        "note": "",
    }
    assert [(one["user"]["id"], one["reason"], one["text"]) for one in reports] == [
        (bob.id, "rules", ""),
        (ann.id, "abuse", "Un été de haine"),
    ]
    assert all(one.keys() == {"user", "reason", "text", "created_at"} for one in reports)
    assert shown(service.admin, of_user["id"]) is not None


def test_operators_see_who_reports_also_where_a_profile_is_hidden(service: Service) -> None:
    ann, bob = service.user(), service.user()
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    made = expect(file(ann, "user", bob.id), 201)
    found = shown(service.admin, made["id"])
    assert found is not None
    assert found["reports"][0]["user"]["nickname"] == ann.nickname
    # And people who hide their profile can be reported.
    expect(file(bob, "user", ann.id), 201)


@proves("site: [≤ 20 {user, reason, text, created_at}]")
def test_of_many_reports_the_newest_twenty_are_shown(service: Service) -> None:
    event = service.event()
    people = [service.user() for _ in range(21)]
    ids = {expect(file(person, "event", event["id"]), 201)["id"] for person in people}
    found = shown(service.admin, ids.pop())
    assert not ids
    assert found is not None
    assert found["count"] == 21
    assert [one["user"]["id"] for one in found["reports"]] == [person.id for person in reversed(people)][:20]


@proves(CLOSED, LOGGED)
def test_a_closed_report_stays_closed_and_the_next_one_is_another(service: Service) -> None:
    event, ann, operator = service.event(), service.user(), service.user(operator=True)
    made = expect(file(ann, "event", event["id"], text="My own words."), 201)
    path = f"/admin/reports/{made['id']}/close"
    closed = expect(operator.client.post(path, json={"note": "Nothing in it"}), 200)
    assert closed["closed_at"] is not None
    assert (closed["note"], closed["count"], len(closed["reports"])) == ("Nothing in it", 1, 1)
    assert expect(service.admin.post(path, json={"note": "Later"}), 200) == closed
    assert expect(service.admin.post(path), 200) == closed
    assert shown(operator.client, made["id"], open="true") is None
    assert shown(operator.client, made["id"], open="false") == closed
    assert shown(operator.client, made["id"]) == closed
    later = expect(file(ann, "event", event["id"]), 201)
    assert later != made

    params = {"action": "report.close", "target": f"report:{made['id']}"}
    (entry,) = expect(service.admin.get("/admin/log", params=params), 200)["entries"]
    assert entry["who"] == f"user:{operator.id}"
    assert entry["details"] == {"kind": "event", "target_id": event["id"], "count": 1, "note": "Nothing in it"}


@proves(LISTED, CLOSED)
@ONCE
def test_reports_are_for_operators_and_admins(service: Service) -> None:
    ann, event = service.user(creator=True, stats_viewer=True), service.event()
    made = expect(file(ann, "event", event["id"]), 201)
    path = f"/admin/reports/{made['id']}/close"
    for asked in (ann.client.get("/admin/reports"), ann.client.post(path), ann.client.post(path, content=b"{")):
        refused(asked, 403, "forbidden")
    refused(service.client().get("/admin/reports"), 401, "unauthorized")
    refused(service.client().post("/reports", json={}), 401, "unauthorized")
    refused(service.admin.post("/admin/reports/x/close"), 400, "invalid_report_id")
    refused(service.admin.post(f"/admin/reports/{2**63 - 1}/close"), 404, "report_not_found")
    refused(service.admin.post(path, json={"note": "x" * 501}), 400, "bad_request")
    refused(service.admin.get("/admin/reports", params={"open": "yes"}), 400, "bad_request")
    refused(service.admin.get("/admin/reports", params={"limit": 0}), 400, "invalid_limit")
    expect(service.admin.post(path, json={"note": "x" * 500}), 200)


@proves(FILED, BOUND)
@ONCE
def test_what_is_not_there_or_not_shown_cannot_be_reported(service: Service) -> None:
    ann, creator = service.user(), service.user(creator=True)
    draft = service.event(creator, publish=False)
    said = comment(creator, draft)
    missing = 2**63 - 1
    for kind, target_id, code in (
        ("comment", missing, "comment_not_found"),
        ("event", missing, "event_not_found"),
        ("user", missing, "user_not_found"),
        ("event", draft["id"], "event_not_found"),
        ("comment", said["id"], "comment_not_found"),
    ):
        refused(file(ann, kind, target_id), 404, code)
    expect(file(creator, "comment", said["id"]), 201)


@ONCE
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "event", "id": 1},
        {"kind": "market", "id": 1, "reason": "spam"},
        {"kind": "event", "id": 1, "reason": "boring"},
        {"kind": "event", "id": 0, "reason": "spam"},
        {"kind": "event", "id": 2**63, "reason": "spam"},
        {"kind": "event", "id": "1", "reason": "spam"},
        {"kind": "event", "id": 1, "reason": "spam", "text": "x" * 501},
        {"kind": "event", "id": 1, "reason": "spam", "text": "a\0b"},
        {"kind": "event", "id": 1, "reason": "spam", "more": 1},
    ],
)
@proves(FILED)
def test_a_report_that_is_none_is_refused(service: Service, body: dict[str, Any]) -> None:
    refused(service.user().client.post("/reports", json=body), 400, "bad_request")


@ONCE
def test_sub_accounts_cannot_be_reported(service: Service) -> None:
    partner = service.partner(100_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": "ann", "market_id": market_id, "side": "yes", "stake_kopecks": 1000}
    bet = expect(partner.client.post("/partner/bets", json=body), 201)
    refused(file(service.user(), "user", bet["user_id"]), 404, "user_not_found")


@proves(AGAIN, BOUND)
def test_a_member_files_twenty_reports_a_day(moving_service: Service) -> None:
    service = moving_service
    ann, event = service.user(), service.event()
    said = [comment(service.creator, event, f"No. {number}") for number in range(22)]
    first = expect(file(ann, "comment", said[0]["id"]), 201)
    for each in said[1:20]:
        expect(file(ann, "comment", each["id"]), 201)
    answer = file(ann, "comment", said[20]["id"])
    refused(answer, 429, "rate_limited")
    assert 0 < int(answer.headers["retry-after"]) <= DAY_MS // 1000
    assert expect(file(ann, "comment", said[0]["id"]), 200) == first
    # What operators have dealt with counts too.
    expect(service.admin.post(f"/admin/reports/{first['id']}/close"), 200)
    refused(file(ann, "comment", said[0]["id"]), 429, "rate_limited")
    expect(file(service.user(), "comment", said[20]["id"]), 201)
    service.clock.advance(DAY_MS)
    service.sign_out_shared()
    token = service.sign_in(ann.email, ann.password)
    ann.client.headers["Authorization"] = f"Bearer {token}"
    expect(file(ann, "comment", said[21]["id"]), 201)


@proves(BOUND, AGAIN)
def test_of_many_reports_at_once_no_more_come_in(service: Service) -> None:
    ann, event = service.user(), service.event()
    said = [comment(service.creator, event, f"No. {number}") for number in range(24)]
    shots = [("POST", "/reports", {"json": {"kind": "comment", "id": one["id"], "reason": "spam"}}) for one in said]
    statuses = sorted(answer.status_code for answer in service.together(shots, tokens=[ann.token]))
    assert statuses == [201] * 20 + [429] * 4

    people = [service.user() for _ in range(8)]
    same = [("POST", "/reports", {"json": {"kind": "event", "id": event["id"], "reason": "spam"}})] * 16
    answers = service.together(same, tokens=[person.token for person in people])
    assert sorted(answer.status_code for answer in answers) == [200] * 8 + [201] * 8
    (report_id,) = {answer.json()["id"] for answer in answers}
    found = shown(service.admin, report_id)
    assert found is not None
    assert found["count"] == 8


@proves(LISTED)
def test_pages_of_reports_show_each_once_newest_first(service: Service) -> None:
    ann, event = service.user(), service.event()
    ids = [
        expect(file(ann, "comment", comment(service.creator, event, str(number))["id"]), 201)["id"]
        for number in range(5)
    ]
    seen: list[int] = []
    cursor = ""
    for _ in itertools.count():
        params = {"limit": "2", "open": "true"} | ({"cursor": cursor} if cursor else {})
        page = expect(service.admin.get("/admin/reports", params=params), 200)
        assert page.keys() == {"reports", "next_cursor", "has_more"}
        seen += [one["id"] for one in page["reports"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(set(seen), reverse=True)
    assert set(ids) <= set(seen)
    first = expect(service.admin.get("/admin/reports", params={"limit": 2, "open": "true"}), 200)["next_cursor"]
    refused(service.admin.get("/admin/reports", params={"limit": 2, "cursor": first}), 400, "invalid_cursor")
