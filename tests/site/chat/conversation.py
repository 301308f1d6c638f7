"""What tests of the chat say and hear: visitors, operators, streams."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import msgspec

from foreknow.site.chat.schemas import ChatMessage, StatusEvent, SupportSession
from foreknow.site.chat.tokens import COOKIE
from tests.support.service import Person, Service, expect

#: Longer than news take to arrive in any case, shorter than the time from one heart beat of a stream to the next.
READ_TIMEOUT_S = 14
_numbers = itertools.count(1)


class Event(NamedTuple):
    """One server-sent event."""

    id: str | None
    data: dict[str, Any]


class Events:
    """What a stream sends, as it comes."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.iter_lines()

    def next(self) -> Event | None:
        """Wait for the next event; None at the stream's end."""
        event_id: str | None = None
        data: list[str] = []
        for line in self._lines:
            if not line and data:
                return self._event(event_id, "\n".join(data))
            if line.startswith(":"):
                continue
            name, _, value = line.partition(": ")
            if name == "id":
                event_id = value
            elif name == "data":
                data.append(value)
            else:
                assert not name, line
        assert not data, "the stream broke off inside an event"
        return None

    def _event(self, event_id: str | None, text: str) -> Event:
        """Return an event, which must hold what its type describes and no more."""
        data = json.loads(text)
        kind = SupportSession if "/admin/" in self.answer.url.path else StatusEvent if event_id is None else ChatMessage
        assert msgspec.to_builtins(msgspec.json.decode(text, type=kind)) == data
        return Event(event_id, data)

    def expect_status(self, status: str) -> None:
        """The next event tells this status."""
        assert self.next() == Event(None, {"status": status})

    def expect_message(self, message: dict[str, Any]) -> None:
        """The next event is this message."""
        assert self.next() == Event(str(message["id"]), message)

    def wait_for_comment(self) -> None:
        """Return at the next comment; no event may come before it."""
        for line in self._lines:
            if line.startswith(":"):
                return
            assert not line, line
        raise AssertionError("the stream has ended")


@contextlib.contextmanager
def stream(
    client: httpx.Client, *, last_event_id: int | str | None = None, path: str = "/chat/stream"
) -> Iterator[Events]:
    """Follow a client's chat while the block runs."""
    headers = {} if last_event_id is None else {"Last-Event-ID": str(last_event_id)}
    with client.stream("GET", path, headers=headers, timeout=READ_TIMEOUT_S) as answer:
        if answer.status_code != 200:
            answer.read()
        assert answer.status_code == 200, answer.text
        yield Events(answer)


def begin(client: httpx.Client) -> int:
    """Begin a session; return its id."""
    body = expect(client.post("/chat/session"), 201)
    assert body.keys() == {"session_id", "status", "messages"}
    return int(body["session_id"])


def say(client: httpx.Client, text: str | None = None) -> dict[str, Any]:
    """Write as a visitor; return the message."""
    (message,) = expect(client.post("/chat/message", json={"text": text or f"Question {next(_numbers)}"}), 200)[
        "messages"
    ]
    return dict(message)


def heard(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    """Return the messages a visitor sees."""
    found: list[dict[str, Any]] = expect(client.get("/chat/messages", params=query), 200)["messages"]
    return found


def status(client: httpx.Client) -> str:
    """Return the status a visitor sees."""
    return str(expect(client.get("/chat/messages"), 200)["status"])


def answer(service: Service, session_id: int, text: str = "How can I help?") -> dict[str, Any]:
    """Write as an operator; return the message."""
    made: dict[str, Any] = expect(
        service.admin.post(f"/admin/chat/sessions/{session_id}/messages", json={"text": text}), 201
    )
    return made


def close(service: Service, session_id: int) -> None:
    """Close a session as an operator."""
    assert expect(service.admin.post(f"/admin/chat/sessions/{session_id}/close"), 200) == {}


def cookie_of(client: httpx.Client) -> str:
    """Return the chat cookie in a client's jar."""
    return client.cookies[COOKIE]


def with_cookie(service: Service, value: str, *, token: str | None = None) -> httpx.Client:
    """Return a client that sends this chat cookie, whatever it is answered."""
    return service.client(token=token, headers={"Cookie": f"{COOKIE}={value}"})


def sign_in(client: httpx.Client, person: Person) -> httpx.Response:
    """Sign in with whatever cookies the client has; the jar then has the session's."""
    made = client.post("/auth/sign-in", json={"login": person.email, "password": person.password})
    expect(made, 200)
    return made


def has_no_session(client: httpx.Client) -> bool:
    """Whether every visitors' endpoint says that there is no active session."""
    shots: list[tuple[str, str, Any]] = [
        ("GET", "/chat/messages", None),
        ("POST", "/chat/message", {"text": "Is an operator there?"}),
        ("POST", "/chat/session/call-operator", None),
        # Last: where there is a session, it would not end.
        ("GET", "/chat/stream", None),
    ]
    for method, path, body in shots:
        made = client.request(method, path, json=body)
        if made.status_code != 404:
            expect(made, 200)
            return False
        assert made.json()["error"] == "not_found"
    return True
