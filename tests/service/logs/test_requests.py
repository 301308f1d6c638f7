"""Every request has an id, and one line in the log where that is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.service.logs.conftest import Caught
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.service import Service, expect

pytestmark = ON_SQLITE

StartService = Callable[..., Service]


def request_lines(caught: Caught) -> list[dict[str, Any]]:
    lines = map(json.loads, caught.text.splitlines())
    return [line for line in lines if line["logger"] == "foreknow.requests"]


@pytest.mark.parametrize("given", ["0191c0de-7a11-4bad-8f00-5f3a5f3a5f3a", "a", "A-1._:/+=@~", "x" * 64])
def test_a_sane_id_comes_back(service: Service, given: str) -> None:
    answer = service.client(headers={"X-Request-ID": given}).get("/health")
    assert answer.headers.get_list("x-request-id") == [given]


@pytest.mark.parametrize("given", ["", "two words", 'quote"', "x" * 65, "ümläut", "semi;colon", "{}"])
def test_any_other_is_replaced(service: Service, given: str) -> None:
    answer = service.client().get("/health", headers=[(b"x-request-id", given.encode("latin-1"))])
    (found,) = answer.headers.get_list("x-request-id")
    assert found != given
    assert 1 <= len(found) <= 64


def test_every_answer_has_an_id_of_its_own(service: Service) -> None:
    client = service.client()
    paths = ["/health", "/nowhere", "/users/me", "/partner/balance", "/events?limit=x", "/events/0", "/ws/trades"]
    answers = [client.get(path) for path in paths]
    answers += [client.delete("/health"), client.post("/auth/sign-in", content=b"{"), client.head("/events")]
    answers += [
        httpx.get(f"{service.url}{path}", verify=NO_TLS) for path in ("/openapi.json", "/docs", "/metrics", "/nowhere")
    ]

    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


def test_an_event_stream_has_one_too(service: Service) -> None:
    client = service.client(headers={"X-Request-ID": "stream-7"})
    expect(client.post("/chat/session"), 201)
    with client.stream("GET", "/chat/stream") as stream:
        assert stream.headers.get_list("x-request-id") == ["stream-7"]


def test_a_request_is_one_line_that_says_who_did_what(start_service: StartService, caught: Caught) -> None:
    service = start_service(log_requests="debug")
    person, partner = service.user(), service.partner()
    person.client.get("/users/me", headers={"X-Request-ID": "mine-1"})
    person.client.get("/events/999999", headers={"X-Request-ID": "mine-2"})
    partner.client.get("/partner/balance", headers={"X-Request-ID": "mine-3"})
    service.client().get("/no/such/place?a=b", headers={"X-Request-ID": "mine-4"})
    found = {line["request_id"]: line for line in request_lines(caught) if line["request_id"].startswith("mine-")}

    shown = ("level", "method", "route", "status", "user_id", "partner")
    assert {key: tuple(line.get(name) for name in shown) for key, line in found.items()} == {
        "mine-1": ("debug", "GET", "/api/v1/users/me", 200, person.id, None),
        "mine-2": ("debug", "GET", "/api/v1/events/{event_id}", 404, person.id, None),
        "mine-3": ("debug", "GET", "/api/v1/partner/balance", 200, None, partner.name),
        "mine-4": ("debug", "ANY", "unknown", 404, None, None),
    }
    assert all(0 < line["took_ms"] < 60_000 for line in found.values())


@pytest.mark.parametrize(
    ("log_requests", "level", "logged"),
    [
        ("info", "info", True),
        ("debug", "debug", True),
        ("debug", "info", False),
        ("info", "warning", False),
        ("off", "debug", False),
    ],
)
def test_requests_are_logged_where_that_is_wanted(
    start_service: StartService, caught: Caught, log_requests: str, level: str, logged: bool
) -> None:
    service = start_service(log_requests=log_requests)
    caught.configure(level=level)
    service.client().get("/health")
    assert bool(request_lines(caught)) is logged
