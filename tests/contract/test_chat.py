"""The support chat: interface, sections 2, 4 and 5; decisions, "Comments, chat, notifications"."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from foreknow.site.chat.tables import chat_sessions
from tests.site.chat.conversation import (
    answer,
    begin,
    close,
    cookie_of,
    has_no_session,
    heard,
    say,
    sign_in,
    status,
    stream,
    with_cookie,
)
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import let_work
from tests.support.webhook import webhook

MESSAGE = (
    "interface: id (integer), sender (string, for example user), text (string), created_at (integer, Unix "
    "milliseconds)."
)
SESSION = (
    "decisions: POST /chat/session → 201 `{session_id, status, messages}` + HttpOnly cookie `chat_session` (128 random "
    "bits, stored hashed; an unknown cookie is never adopted); where one is active, 200 with that one."
)
BINDING = (
    "decisions: Signing in binds the anonymous session to the user, under a new cookie value, unless the user has an "
    "active one already; a bound session follows its user to any device and needs that user signed in."
)
STATUS = "decisions: Status `open → waiting` (operator called) `→ answered → closed`."
STREAM = (
    "decisions: GET /chat/stream: server-sent events, each one chat message (its id the event's id: after a drop, "
    "`Last-Event-ID` brings what was missed) or `{status}`; without an active session 404."
)
STREAM_ENDS = (
    "decisions: A stream starts with `{status}`, brings past messages only by `Last-Event-ID`, and ends after `closed`."
)
CALL_AGAIN = "decisions: call-operator again while waiting or answered: 200, nothing added, no second alert."
ALERTED = (
    "decisions: The support team is alerted through any channel set in settings (Telegram, Slack, e-mail, webhook)."
)
OPERATORS = (
    "decisions: Operators (is_operator, admin): GET /admin/chat/sessions `?status=`: a page of `{session_id (integer), "
    "status, user (as others see it, unhidden; or null), created_at, last_message_at}`"
)
OPERATORS_READ = (
    "decisions: GET /admin/chat/sessions/{id}/messages → `{messages, status}`; POST there `{text}` → 201 the message, "
    "409 `invalid_state` once closed; POST …/close → 200 `{}`."
)
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LISTED = {
    "session_id",
    "status",
    "user",
    "created_at",
    "last_message_at",
    "last_message",
    "waiting_since",
}


@proves(
    "interface: - Offers an anonymous or authenticated support chat with escalation to a human operator.",
    "interface: Anonymous chat sessions are identified by a session cookie.",
    SESSION,
)
def test_a_session_begins_with_a_cookie_and_is_found_by_it(service: Service) -> None:
    visitor = service.client()
    made = visitor.post("/chat/session")
    body = expect(made, 201)
    assert body.keys() == {"session_id", "status", "messages"}
    assert type(body["session_id"]) is int
    assert (body["status"], body["messages"]) == ("open", [])
    (header,) = made.headers.get_list("set-cookie")
    assert header.startswith("chat_session=")
    assert "; HttpOnly" in header
    assert len(bytes.fromhex(cookie_of(visitor))) == 16
    message = say(visitor)
    assert expect(visitor.post("/chat/session"), 200) == body | {"messages": [message]}
    assert heard(with_cookie(service, cookie_of(visitor))) == [message]
    assert has_no_session(service.client())


@proves(SESSION)
def test_a_cookie_is_stored_hashed_and_an_unknown_one_never_adopted(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    row = service.look(lambda tx: tx.execute(sa.select(chat_sessions).where(chat_sessions.c.id == session_id)).one())
    assert cookie_of(visitor) not in str(row)
    unknown = with_cookie(service, "0123456789abcdef" * 2)
    made = unknown.post("/chat/session")
    assert expect(made, 201)["session_id"] != session_id
    assert "0123456789abcdef" not in made.headers["set-cookie"]
    assert has_no_session(unknown)


@proves(
    "interface: | POST | /api/v1/chat/message | Optional (session cookie) |",
    "interface: - Body: text, string, required.",
    "interface: - 200: object with messages, an array holding the single created chat message.",
    MESSAGE,
    "interface: | Timestamps | ISO 8601 strings, except chat message created_at (Unix milliseconds, integer) |",
    "decisions: Senders: `user`, `operator`, `system`.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("signed_in", [False, True])
def test_a_message_is_answered_alone_in_an_array(service: Service, signed_in: bool) -> None:
    visitor = service.user().client if signed_in else service.client()
    begin(visitor)
    say(visitor, "Before.")
    body = expect(visitor.post("/chat/message", json={"text": "Hello?"}), 200)
    assert body.keys() == {"messages"}
    (message,) = body["messages"]
    assert message.keys() == {"id", "sender", "text", "created_at"}
    assert type(message["id"]) is int
    assert (message["sender"], message["text"]) == ("user", "Hello?")
    assert type(message["created_at"]) is int
    assert abs(message["created_at"] - time.time() * 1000) < 60_000


@proves(
    "interface: - Errors: 400 bad_request (missing or empty message field), 404 not_found (no active chat session), "
    "500 internal_error.",
    "decisions: A chat body is checked before its session.",
)
@ONCE
def test_a_message_without_text_is_400_and_without_a_session_404(service: Service) -> None:
    visitor, stranger = service.client(), service.client()
    begin(visitor)
    for body in ({}, {"text": ""}, {"text": "  \n"}, {"text": 5}, {"text": None}):
        refused(visitor.post("/chat/message", json=body), 400, "bad_request")
        refused(stranger.post("/chat/message", json=body), 400, "bad_request")
    refused(
        stranger.post("/chat/message", content=b"{", headers={"Content-Type": "application/json"}), 400, "bad_request"
    )
    refused(stranger.post("/chat/message", content=b"{}"), 415, "unsupported_media_type")
    refused(stranger.post("/chat/message", json={"text": "Hello?"}), 404, "not_found")
    assert heard(visitor) == []


@proves("decisions: chat text 1–5000")
@ONCE
def test_a_text_has_up_to_5000_code_points(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    address = f"/admin/chat/sessions/{session_id}/messages"
    for length, is_good in ((1, True), (5_000, True), (5_001, False)):
        text = "\U0001f642" * length
        mine, theirs = (
            visitor.post("/chat/message", json={"text": text}),
            service.admin.post(address, json={"text": text}),
        )
        if is_good:
            assert expect(mine, 200)["messages"][0]["text"] == text
            assert expect(theirs, 201)["text"] == text
        else:
            refused(mine, 400, "bad_request")
            refused(theirs, 400, "bad_request")


@proves(
    "interface: | POST | /api/v1/chat/session/call-operator | Optional (session cookie) |",
    "interface: - No body. Escalates the current session to a human operator and notifies the support team.",
    "interface: - 200: object with success (bool) and message (string).",
    "interface: - Errors: 404 not_found (no active chat session), 500 internal_error.",
    STATUS,
    CALL_AGAIN,
    ALERTED,
)
def test_calling_an_operator_alerts_the_team_once(start_service: Callable[..., Service]) -> None:
    with webhook(503) as hook:
        service = start_service(support_alert_urls=SecretStr(hook.url))
        visitor = service.client()
        refused(visitor.post("/chat/session/call-operator"), 404, "not_found")
        session_id = begin(visitor)
        assert status(visitor) == "open"
        called = expect(visitor.post("/chat/session/call-operator"), 200)
        assert called.keys() == {"success", "message"}
        assert called["success"] is True
        assert type(called["message"]) is str
        assert status(visitor) == "waiting"
        before = heard(visitor)
        assert {one["sender"] for one in before} <= {"system"}
        expect(visitor.post("/chat/session/call-operator"), 200)
        assert heard(visitor) == before
        assert status(visitor) == "waiting"
        answered = answer(service, session_id)
        assert status(visitor) == "answered"
        expect(visitor.post("/chat/session/call-operator"), 200)
        say(visitor)
        assert status(visitor) == "answered"
        assert heard(visitor)[: len(before) + 1] == [*before, answered]
        # The first attempt failed; the second one reached the team, and nothing came after it.
        hook.wait_for(2)
        let_work()
        assert [code for code, _ in hook.calls] == [503, 200]
        assert str(session_id) in hook.taken[0]["message"]


@proves(BINDING)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("by", ["sign-in", "sign-up"])
def test_signing_in_binds_the_session_under_a_new_cookie_value(service: Service, by: str) -> None:
    visitor = service.client()
    session_id, message, old = begin(visitor), say(visitor), cookie_of(visitor)
    if by == "sign-in":
        sign_in(visitor, service.user())
    else:
        body = {"email": f"{old}@example.org", "password": "correct horse", "name": "New here"}
        expect(visitor.post("/auth/sign-up", json=body), 201)
    new, token = cookie_of(visitor), visitor.cookies["access_token"]
    assert new != old
    assert heard(visitor) == [message]
    for value in (old, new):
        assert has_no_session(with_cookie(service, value))
        assert has_no_session(with_cookie(service, value, token=service.user().token))
    another_device = service.client(token=token)
    assert expect(another_device.post("/chat/session"), 200) == {
        "session_id": session_id,
        "status": "open",
        "messages": [message],
    }


@proves(BINDING)
def test_an_active_session_of_the_users_own_is_kept(service: Service) -> None:
    person, visitor = service.user(), service.client()
    begin(person.client)
    own = say(person.client)
    begin(visitor)
    anonymous, cookie = say(visitor), cookie_of(visitor)
    sign_in(visitor, person)
    assert heard(visitor) == [own]
    assert cookie_of(visitor) == cookie
    assert heard(with_cookie(service, cookie)) == [anonymous]


@proves("decisions: GET /chat/messages `?after=id` → `{messages, status}`")
def test_messages_after_an_id(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    first, second = say(visitor), answer(service, session_id)
    assert expect(visitor.get("/chat/messages"), 200) == {"messages": [first, second], "status": "answered"}
    assert heard(visitor, after=first["id"]) == [second]
    assert heard(visitor, after=second["id"]) == []
    refused(visitor.get("/chat/messages?after=x"), 400, "bad_request")
    refused(service.client().get("/chat/messages"), 404, "not_found")


@proves(STREAM, STREAM_ENDS)
def test_a_stream_brings_messages_and_statuses_until_the_end(service: Service) -> None:
    visitor = service.client()
    refused(visitor.get("/chat/stream"), 404, "not_found")
    session_id = begin(visitor)
    past = say(visitor)
    with stream(visitor) as events:
        assert events.answer.headers["content-type"].startswith("text/event-stream")
        events.expect_status("open")
        seen = answer(service, session_id)
        events.expect_message(seen)
        events.expect_status("answered")
    missed = say(visitor)
    with stream(visitor, last_event_id=seen["id"]) as events:
        events.expect_status("answered")
        events.expect_message(missed)
        close(service, session_id)
        events.expect_status("closed")
        assert events.next() is None
    assert past["id"] < seen["id"] < missed["id"]
    refused(visitor.get("/chat/stream"), 404, "not_found")


@proves(
    OPERATORS,
    "decisions: Roles are separate: an admin is no creator or stats viewer unless made one, but may do what operators "
    "do.",
)
def test_operators_and_admins_list_the_sessions(service: Service) -> None:
    visitor, person = service.client(), service.user(name="Ann")
    expect(person.client.patch("/users/me", json={"profile_hidden": True}), 200)
    refused(visitor.get("/admin/chat/sessions"), 401, "unauthorized")
    refused(person.client.get("/admin/chat/sessions"), 403, "forbidden")
    anonymous, own = begin(visitor), begin(person.client)
    say(person.client)
    for client in (service.user(operator=True).client, service.user(admin=True).client):
        page = expect(client.get("/admin/chat/sessions?status=open&limit=100"), 200)
        assert page.keys() == {"sessions", "next_cursor", "has_more"}
        ids = [one["session_id"] for one in page["sessions"]]
        assert ids == sorted(ids, reverse=True)
        rows = {one["session_id"]: one for one in page["sessions"]}
        assert {one["status"] for one in rows.values()} == {"open"}
        assert rows[anonymous].keys() == LISTED
        assert rows[anonymous]["user"] is rows[anonymous]["last_message_at"] is None
        assert rows[own]["user"] == {
            "id": person.id,
            "name": "Ann",
            "nickname": person.nickname,
            "profile_hidden": True,
            "avatar_url": "",
        }
        assert ISO.fullmatch(rows[own]["created_at"])
        assert ISO.fullmatch(rows[own]["last_message_at"])


@proves(OPERATORS)
def test_the_list_of_sessions_is_a_page(service: Service) -> None:
    operator = service.user(operator=True).client
    ids = [begin(service.client()) for _ in range(3)]
    first = expect(operator.get("/admin/chat/sessions?limit=2"), 200)
    assert [one["session_id"] for one in first["sessions"]] == ids[:0:-1]
    assert first["has_more"] is True
    query = {"cursor": first["next_cursor"], "limit": 1}
    assert expect(operator.get("/admin/chat/sessions", params=query), 200)["sessions"][0]["session_id"] == ids[0]
    refused(operator.get("/admin/chat/sessions", params=query | {"status": "open"}), 400, "invalid_cursor")
    refused(service.admin.get("/admin/chat/sessions", params=query), 400, "invalid_cursor")
    refused(operator.get("/admin/chat/sessions?limit=101"), 400, "invalid_limit")
    refused(operator.get("/admin/chat/sessions?status=unknown"), 400, "bad_request")


@proves(
    OPERATORS_READ,
    STATUS,
    "decisions: An operator's message makes the session `answered`, and it stays so.",
    "decisions: 404 `partner_not_found`, `key_not_found`, `session_not_found` (400 `invalid_key_id`, "
    "`invalid_session_id`).",
)
def test_an_operator_reads_answers_and_closes(service: Service) -> None:
    visitor, operator = service.client(), service.user(operator=True).client
    session_id = begin(visitor)
    address = f"/admin/chat/sessions/{session_id}"
    question = say(visitor)
    assert expect(operator.get(f"{address}/messages"), 200) == {"messages": [question], "status": "open"}
    made = expect(operator.post(f"{address}/messages", json={"text": "Here I am."}), 201)
    assert made.keys() == {"id", "sender", "text", "created_at"}
    assert (made["sender"], made["text"]) == ("operator", "Here I am.")
    say(visitor)
    assert status(visitor) == "answered"
    assert expect(operator.post(f"{address}/close"), 200) == {}
    refused(operator.post(f"{address}/messages", json={"text": "Too late."}), 409, "invalid_state")
    after = expect(operator.get(f"{address}/messages"), 200)
    assert (after["status"], after["messages"][:2]) == ("closed", [question, made])
    assert has_no_session(visitor)
    for method, rest in (("GET", "/messages"), ("POST", "/messages"), ("POST", "/close")):
        other = f"/admin/chat/sessions/{2**63 - 1}{rest}"
        refused(operator.request(method, other, json={"text": "x"}), 404, "session_not_found")
        refused(
            operator.request(method, f"/admin/chat/sessions/x{rest}", json={"text": "x"}), 400, "invalid_session_id"
        )


@proves("decisions: `operator_answer`")
def test_an_operators_answer_notifies_the_user(service: Service) -> None:
    person = service.user()
    answer(service, begin(person.client))
    (notice,) = expect(person.client.get("/notifications"), 200)["notifications"]
    assert notice["type"] == "operator_answer"
    assert notice["event_id"] is None


@proves("decisions: A state-changing request that rides on a cookie is refused (403 `cross_site`)")
@ONCE
def test_the_chat_cookie_is_one_that_requests_ride_on(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    for path in ("/chat/session", "/chat/message", "/chat/session/call-operator"):
        made: httpx.Response = visitor.post(path, json={"text": "x"}, headers={"Sec-Fetch-Site": "same-site"})
        refused(made, 403, "cross_site")
    expect(visitor.post("/chat/message", json={"text": "x"}, headers={"Sec-Fetch-Site": "same-origin"}), 200)
