"""Bodies that are made to break what reads them, and bodies that never arrive."""

from __future__ import annotations

import json
import socket

import pytest

from foreknow.web.decoding import DEPTH_MAX
from tests.site.comments.conversation import comment
from tests.support.kinds import ON_SQLITE, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import wait_until

JSON = {"Content-Type": "application/json"}
NESTED = "decisions: lone surrogates, NUL in text, deep nesting: all 400"


def nested(depth: int, innermost: str, *, opening: str = '{"a":', closing: str = "}") -> str:
    return opening * depth + innermost + closing * depth


@proves(NESTED, "decisions: never 500")
@ONCE
@pytest.mark.parametrize("depth", [DEPTH_MAX + 1, 200, 330, 950, 5_000])
@pytest.mark.parametrize("innermost", [r'"\u0000"', r'"\ud800"', '"a"', "{}", "", '"\\'])
@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]"), ('["[]\\"]",', "]")])
def test_whatever_is_nested_deeply_is_refused(
    service: Service, *, depth: int, innermost: str, opening: str, closing: str
) -> None:
    body = nested(depth, innermost, opening=opening, closing=closing)
    refused(service.client().post("/auth/sign-in", content=body, headers=JSON), 400, "bad_request")


@proves(NESTED)
def test_brackets_in_text_and_side_by_side_nest_nothing(service: Service) -> None:
    metadata = {"text": '[{"\\' * 100, "many": [[]] * 100, "deep": json.loads(nested(DEPTH_MAX - 4, "1"))}
    pool = {"name": "Will it?", "metadata": metadata}
    answer = service.creator.client.post("/events/create-full", json={"name": "x", "pools": [pool]})
    assert expect(answer, 201)["pools"][0]["metadata"] == metadata


@proves(NESTED)
@ONCE
def test_a_bracket_too_many_is_refused(service: Service) -> None:
    metadata = {"deep": json.loads(nested(DEPTH_MAX - 3, "1"))}
    pool = {"name": "Will it?", "metadata": metadata}
    answer = service.creator.client.post("/events/create-full", json={"name": "x", "pools": [pool]})
    refused(answer, 400, "bad_request")


def half_a_request(service: Service, person: Person, *, arrives: bytes, announced: int) -> None:
    """Send the head of a request and as much of its body, and hang up."""
    head = (
        f"POST /api/v1/notifications/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {announced}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.server.port)) as connection:
        connection.sendall(head.encode() + arrives)


def unread(person: Person) -> int:
    return int(expect(person.client.get("/notifications/unread/count"), 200)["count"])


@pytest.mark.parametrize("arrives", [b"", b"{"])
@ON_SQLITE
def test_a_body_that_never_arrived_does_nothing(fresh_service: Service, arrives: bytes) -> None:
    service = fresh_service
    person, event = service.user(), service.event()
    comment(service.user(), event, parent=comment(person, event))
    assert unread(person) == 1
    before = answers(service)
    half_a_request(service, person, arrives=arrives, announced=10)
    # The server has done with the request once its answer, which the client does not read, is counted.
    wait_until(lambda: answers(service) > before)
    assert unread(person) == 1
    assert expect(person.client.post("/notifications/read"), 200) == {"count": 1}


def answers(service: Service) -> int:
    metrics = service.app.ingress.request_log.routes.get(("POST", "/notifications/read"))
    return sum(metrics.statuses.values()) if metrics is not None else 0
