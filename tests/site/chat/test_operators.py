"""The operators' side: who may, lists, answers, closing, notifications and the log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.chat.conversation import answer, begin, close, heard, say, sign_in, status
from tests.support.kinds import ONCE
from tests.support.service import Service, expect, refused

PATHS = [
    ("GET", "/admin/chat/sessions"),
    ("GET", "/admin/chat/sessions/{}/messages"),
    ("POST", "/admin/chat/sessions/{}/messages"),
    ("POST", "/admin/chat/sessions/{}/close"),
]
LISTED = {
    "session_id",
    "status",
    "user",
    "created_at",
    "last_message_at",
    "last_message",
    "waiting_since",
}


def listed(service: Service, session_id: int, **query: Any) -> dict[str, Any] | None:
    """Return a session as the operators' list shows it, if it is on its newest hundred."""
    sessions = expect(service.admin.get("/admin/chat/sessions", params={"limit": 100, **query}), 200)["sessions"]
    return next((one for one in sessions if one["session_id"] == session_id), None)


@ONCE
@pytest.mark.parametrize(("method", "path"), PATHS)
def test_only_operators_and_admins_may(service: Service, method: str, path: str) -> None:
    address = path.format(begin(service.client()))
    body = {"text": "x"}
    refused(service.client().request(method, address, json=body), 401, "unauthorized")
    for person in (service.user(), service.user(creator=True, stats_viewer=True)):
        refused(person.client.request(method, address, json=body), 403, "forbidden")
    for person in (service.user(operator=True), service.user(admin=True)):
        assert person.client.request(method, address, json=body).status_code in {200, 201, 409}


@ONCE
@pytest.mark.parametrize(("method", "path"), PATHS[1:])
def test_a_session_that_is_not_there(service: Service, method: str, path: str) -> None:
    body = {"text": "x"}
    for session_id in ("0", "x", "01", str(2**63)):
        refused(service.admin.request(method, path.format(session_id), json=body), 400, "invalid_session_id")
    refused(service.admin.request(method, path.format(2**63 - 1), json=body), 404, "session_not_found")


def test_a_session_is_listed_with_whose_it_is(service: Service) -> None:
    visitor, person = service.client(), service.user(name="Ann", nickname="")
    session_id = begin(visitor)
    row = listed(service, session_id)
    assert row is not None
    assert row.keys() == LISTED
    assert (row["status"], row["user"], row["last_message_at"]) == ("open", None, None)
    assert row["created_at"].endswith("Z")
    say(visitor)
    sign_in(visitor, person)
    row = listed(service, session_id)
    assert row is not None
    assert row["last_message_at"].endswith("Z")
    assert row["user"] == {
        "id": person.id,
        "name": "Ann",
        "nickname": "",
        "profile_hidden": False,
        "avatar_url": "",
    }


@ONCE
def test_operators_see_hidden_profiles_as_they_are(service: Service) -> None:
    person = service.user(name="Ann")
    expect(person.client.patch("/users/me", json={"profile_hidden": True}), 200)
    row = listed(service, begin(person.client))
    assert row is not None
    assert row["user"]["name"] == "Ann"
    assert row["user"]["nickname"] == person.nickname
    assert row["user"]["profile_hidden"] is True


def test_the_list_can_be_narrowed_to_a_status(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    statuses = ("open", "waiting", "answered", "closed")

    def under() -> list[str]:
        return [one for one in statuses if listed(service, session_id, status=one)]

    assert under() == ["open"]
    expect(visitor.post("/chat/session/call-operator"), 200)
    assert under() == ["waiting"]
    answer(service, session_id)
    assert under() == ["answered"]
    close(service, session_id)
    assert under() == ["closed"]
    refused(service.admin.get("/admin/chat/sessions?status=new"), 400, "bad_request")


def test_pages_show_every_session_once_newest_first(service: Service) -> None:
    ids = [begin(service.client()) for _ in range(5)]
    for session_id in ids:
        close(service, session_id)
    operator = service.user(operator=True).client
    found: list[int] = []
    cursor = None
    while not set(ids) <= set(found):
        query: dict[str, Any] = {"status": "closed", "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = expect(operator.get("/admin/chat/sessions", params=query), 200)
        found += [one["session_id"] for one in page["sessions"]]
        cursor = page["next_cursor"]
        # What comes meanwhile has no place in a traversal that has begun.
        close(service, begin(service.client()))
    assert found[:5] == ids[::-1]
    assert len(found) == len(set(found))
    for other in ({}, {"status": "open"}):
        refused(operator.get("/admin/chat/sessions", params={"cursor": cursor, **other}), 400, "invalid_cursor")
    refused(
        service.admin.get("/admin/chat/sessions", params={"cursor": cursor, "status": "closed"}), 400, "invalid_cursor"
    )


def test_an_operator_reads_and_answers(service: Service) -> None:
    visitor, operator = service.client(), service.user(operator=True)
    session_id = begin(visitor)
    question = say(visitor)
    address = f"/admin/chat/sessions/{session_id}/messages"
    assert expect(operator.client.get(address), 200) == {"messages": [question], "status": "open"}
    made = expect(operator.client.post(address, json={"text": "e\u0301"}), 201)
    assert made.keys() == {"id", "sender", "text", "created_at"}
    assert (made["sender"], made["text"]) == ("operator", "\u00e9")
    assert expect(operator.client.get(address), 200) == {"messages": [question, made], "status": "answered"}
    assert expect(operator.client.get(address, params={"after": question["id"]}), 200)["messages"] == [made]
    assert heard(visitor) == [question, made]
    for body in ({}, {"text": " "}, {"text": "x" * 5_001}):
        refused(operator.client.post(address, json=body), 400, "bad_request")


def test_a_closed_session_is_read_but_not_written(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    question = say(visitor)
    close(service, session_id)
    close(service, session_id)
    address = f"/admin/chat/sessions/{session_id}/messages"
    refused(service.admin.post(address, json={"text": "Too late."}), 409, "invalid_state")
    assert expect(service.admin.get(address), 200) == {"messages": [question], "status": "closed"}


def test_a_signed_in_visitor_is_notified_of_an_answer(service: Service) -> None:
    person, operator = service.user(), service.user(operator=True)
    session_id = begin(person.client)
    expect(person.client.post("/chat/session/call-operator"), 200)
    expect(operator.client.post(f"/admin/chat/sessions/{session_id}/messages", json={"text": "Hello."}), 201)
    (notice,) = expect(person.client.get("/notifications"), 200)["notifications"]
    assert (notice["type"], notice["event_id"], notice["read"]) == ("operator_answer", None, False)
    assert expect(operator.client.get("/notifications"), 200)["notifications"] == []
    anonymous = service.client()
    answer(service, begin(anonymous))
    assert status(anonymous) == "answered"


def test_what_operators_do_is_logged(service: Service) -> None:
    person, operator = service.user(), service.user(operator=True)
    session_id = begin(person.client)
    address = f"/admin/chat/sessions/{session_id}"
    message = expect(operator.client.post(f"{address}/messages", json={"text": "My private words."}), 201)
    for _ in range(2):
        expect(operator.client.post(f"{address}/close"), 200)
    entries = expect(service.admin.get("/admin/log", params={"limit": 100}), 200)["entries"]
    mine = [(one["action"], one["target"], one["details"]) for one in entries if one["who"] == f"user:{operator.id}"]
    target = f"chat_session:{session_id}"
    assert mine == [
        ("chat.close", target, {"user_id": person.id}),
        ("chat.answer", target, {"user_id": person.id, "message_id": message["id"]}),
    ]


def test_an_operator_whose_role_is_taken_may_no_more(service: Service) -> None:
    operator = service.user(operator=True)
    expect(operator.client.get("/admin/chat/sessions"), 200)
    expect(service.admin.patch(f"/admin/users/{operator.id}", json={"is_operator": False}), 200)
    refused(operator.client.get("/admin/chat/sessions"), 403, "forbidden")
