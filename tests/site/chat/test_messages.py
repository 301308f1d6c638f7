"""Writing and reading as a visitor, and calling an operator."""

from __future__ import annotations

import time

import pytest

from tests.site.chat.conversation import answer, begin, close, has_no_session, heard, say, status
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.service import Service, expect, refused


def test_a_message_is_answered_alone_in_an_array(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    say(visitor)
    before_ms = time.time_ns() // 1_000_000
    body = expect(visitor.post("/chat/message", json={"text": "Second"}), 200)
    assert body.keys() == {"messages"}
    (message,) = body["messages"]
    assert message.keys() == {"id", "sender", "text", "created_at"}
    assert (message["sender"], message["text"]) == ("user", "Second")
    assert type(message["created_at"]) is int
    assert abs(message["created_at"] - before_ms) < 60_000


def test_messages_come_oldest_first_and_after_an_id(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    first, second, third = say(visitor), answer(service, session_id), say(visitor)
    assert heard(visitor) == heard(visitor, after=0) == [first, second, third]
    assert heard(visitor, after=first["id"]) == [second, third]
    assert heard(visitor, after=third["id"]) == heard(visitor, after=2**63 - 1) == []


@ONCE
@pytest.mark.parametrize("after", ["-1", "+1", "01", "1.0", "x", "", "%D9%A3", str(2**63)])
def test_after_is_a_whole_number(service: Service, after: str) -> None:
    visitor = service.client()
    refused(visitor.get(f"/chat/messages?after={after}"), 400, "bad_request")
    refused(service.admin.get(f"/admin/chat/sessions/1/messages?after={after}"), 400, "bad_request")


def test_a_text_is_stored_as_written_in_nfc(service: Service) -> None:
    visitor = service.client()
    begin(visitor)
    text = "  e\u0301 <b>&amp;</b>\r\n\u2028\U0001f642 "
    assert say(visitor, text)["text"] == text.replace("e\u0301", "\u00e9")


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("text", ["x" * 5_000, "\U0001f642" * 5_000, "e\u0301" * 5_000])
def test_a_text_may_have_5000_characters(service: Service, text: str) -> None:
    visitor = service.client()
    begin(visitor)
    assert len(say(visitor, text)["text"]) == 5_000


@ONCE
@pytest.mark.parametrize(
    "body",
    [{}, {"text": ""}, {"text": " \t\n\u3000"}, {"text": "x" * 5_001}, {"text": None}, {"text": 1}, {"message": "x"}],
)
def test_a_bad_text_is_refused_with_or_without_a_session(service: Service, body: dict[str, object]) -> None:
    visitor, other = service.client(), service.client()
    begin(visitor)
    for client in (visitor, other):
        refused(client.post("/chat/message", json=body), 400, "bad_request")
    assert heard(visitor) == []


def test_without_a_session_there_is_nothing(service: Service) -> None:
    assert has_no_session(service.client())
    assert has_no_session(service.user().client)


def test_calling_an_operator_changes_the_status_once(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    assert status(visitor) == "open"
    called = expect(visitor.post("/chat/session/call-operator"), 200)
    assert called.keys() == {"success", "message"}
    assert called["success"] is True
    assert status(visitor) == "waiting"
    (notice,) = heard(visitor)
    assert notice["sender"] == "system"
    again = expect(visitor.post("/chat/session/call-operator"), 200)
    assert again["success"] is True
    assert heard(visitor) == [notice]
    answered = answer(service, session_id)
    assert status(visitor) == "answered"
    assert expect(visitor.post("/chat/session/call-operator"), 200)["success"] is True
    assert heard(visitor) == [notice, answered]
    assert status(visitor) == "answered"


def test_a_visitors_message_changes_no_status(service: Service) -> None:
    visitor = service.client()
    session_id = begin(visitor)
    say(visitor)
    assert status(visitor) == "open"
    expect(visitor.post("/chat/session/call-operator"), 200)
    say(visitor)
    assert status(visitor) == "waiting"
    answer(service, session_id)
    say(visitor)
    assert status(visitor) == "answered"


def test_an_operator_may_answer_without_being_called(service: Service) -> None:
    visitor = service.client()
    answer(service, begin(visitor))
    assert status(visitor) == "answered"


def test_a_closed_session_is_no_active_one(service: Service) -> None:
    visitor = service.client()
    close(service, begin(visitor))
    assert has_no_session(visitor)


@ONCE
def test_a_body_is_not_needed_where_there_is_none(service: Service) -> None:
    visitor = service.client(headers={"Content-Type": "application/json"})
    expect(visitor.post("/chat/session", content=b"{"), 201)
    expect(visitor.post("/chat/session/call-operator", content=b"nonsense"), 200)


@ONCE
@pytest.mark.parametrize("path", ["/chat/session", "/chat/message", "/chat/session/call-operator"])
def test_what_rides_on_the_chat_cookie_must_come_from_this_site(service: Service, path: str) -> None:
    visitor = service.client()
    begin(visitor)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    refused(visitor.post(path, json={"text": "x"}, headers=foreign), 403, "cross_site")
    refused(visitor.post(path, json={"text": "x"}, headers={"Origin": "https://evil.example"}), 403, "cross_site")
    assert heard(visitor) == []
    assert status(visitor) == "open"


@ONCE
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/chat/session"),
        ("POST", "/chat/message"),
        ("POST", "/chat/session/call-operator"),
        ("GET", "/chat/messages"),
        ("GET", "/chat/stream"),
    ],
)
def test_a_bad_token_is_refused_even_with_a_good_cookie(service: Service, method: str, path: str) -> None:
    visitor = service.client()
    begin(visitor)
    refused(visitor.request(method, path, headers={"Authorization": "Bearer nonsense"}), 401, "unauthorized")
