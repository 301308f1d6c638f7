"""Decisions, "Other pages": pages of other sites use the API where the operator allows them."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, refused

pytestmark = ONCE

BOTS, OTHER = "https://bots.example", "http://localhost:5173"
SETTING = "decisions: `FOREKNOW_CORS_ORIGINS` (none; origins by commas, or `*`): preflights 204"
EVERY = "decisions: `Access-Control-Allow-Origin` on every answer of the API, 4xx too, `Vary: Origin`"
NAMES = (
    "decisions: `Authorization`, `Content-Type`, `Idempotency-Key`, `If-None-Match`, the partners' key are allowed, "
    "`ETag`, `Retry-After`, `Idempotency-Replayed` exposed; never credentials."
)
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, content-type"}
JSON = "application/json"
ALLOWED = "access-control-allow-origin"


@proves(SETTING, NAMES)
@pytest.mark.parametrize(("origins", "allowed"), [(f"{BOTS}, {OTHER}", OTHER), ("*", "*")])
def test_a_preflight_says_what_pages_may_send(
    start_service: Callable[..., Service], origins: str, allowed: str
) -> None:
    service = start_service(cors_origins=origins)
    answer = service.client(headers={"Origin": OTHER}).options("/market/bets", headers=PREFLIGHT)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers[ALLOWED] == allowed
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} <= set(answer.headers["access-control-allow-methods"].split(", "))
    names = set(answer.headers["access-control-allow-headers"].lower().split(", "))
    assert {"authorization", "content-type", "idempotency-key", "if-none-match", "x-partner-key"} <= names
    assert "origin" in answer.headers["vary"].lower()
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["x-request-id"]


@proves(SETTING)
def test_pages_of_sites_that_are_not_named_may_not(start_service: Callable[..., Service]) -> None:
    service = start_service(cors_origins=BOTS)
    for origin in (OTHER, "null", BOTS + ".evil", "https://bots.example:444"):
        stranger = service.client(headers={"Origin": origin})
        assert ALLOWED not in stranger.options("/market/bets", headers=PREFLIGHT).headers
        assert ALLOWED not in stranger.get("/events").headers
        assert stranger.get("/events").headers["vary"].endswith("Origin")


@proves(SETTING)
def test_none_may_where_nothing_is_set(service: Service) -> None:
    page = service.client(headers={"Origin": BOTS})
    refused(page.options("/market/bets", headers=PREFLIGHT), 405, "method_not_allowed")
    assert ALLOWED not in page.get("/events").headers


@proves(EVERY, NAMES, "decisions: Cookies stay as they are.")
def test_every_answer_says_whose_pages_may_read_it(start_service: Callable[..., Service]) -> None:
    service = start_service(cors_origins=BOTS, rate_limits="on", limit_sign_in="1/m")
    person = service.user(balance_kopecks=1_000)
    event = service.event()
    page = service.client(token=person.token, headers={"Origin": BOTS})
    visitor = service.client(headers={"Origin": BOTS})
    listed = visitor.get("/events")
    bet = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
    key = {"Idempotency-Key": "once"}
    answers = {
        200: [listed, page.head("/events"), page.get("/users/me")],
        304: [visitor.get("/events", headers={"If-None-Match": listed.headers["etag"]})],
        201: [page.post("/market/bets", json=bet, headers=key)],
        400: [page.get("/events?status=no"), page.post("/market/bets", content=b"{", headers={"Content-Type": JSON})],
        401: [visitor.get("/users/me")],
        404: [page.get("/nothing"), page.get("/events/999999")],
        405: [page.put("/events"), page.options("/events")],
        413: [page.post("/market/bets", content=b" " * 70_000, headers={"Content-Type": JSON})],
        415: [page.post("/market/bets", content=b"{}")],
        429: [page.post("/auth/sign-in", json={"login": "x", "password": "x"}) for _ in range(3)][2:],
        431: [page.get("/events", headers={"X-Long": "x" * 70_000})],
    }
    for status, found in answers.items():
        for answer in found:
            assert answer.status_code == status, answer.text
            assert answer.headers[ALLOWED] == BOTS, status
            assert "Origin" in answer.headers["vary"]
            assert {"ETag", "Retry-After", "Idempotency-Replayed"} <= set(
                answer.headers["access-control-expose-headers"].split(", ")
            )
            assert "access-control-allow-credentials" not in answer.headers
    assert page.post("/market/bets", json=bet, headers=key).headers["idempotency-replayed"] == "true"
    # What caches keep for one page is not for another.
    assert service.client().get("/events").headers["vary"].endswith("Origin")
    riding = service.client(headers={"Origin": BOTS, "Cookie": f"access_token={person.token}"})
    refused(riding.patch("/users/me", json={"name": "Stolen"}), 403, "cross_site")


@proves(EVERY)
@pytest.mark.parametrize("origins", [BOTS, "*"])
def test_so_do_errors_before_the_request_is_known(start_service: Callable[..., Service], origins: str) -> None:
    service = start_service(cors_origins=origins, rate_limits="on", connections_per_address=1)
    head = f"GET /api/v1/events HTTP/1.1\r\nOrigin: {BOTS}\r\n".encode()
    with socket.create_connection(("127.0.0.1", service.server.port)) as held:
        # Two Host fields.
        held.sendall(head + b"Host: a\r\nHost: b\r\n\r\n")
        assert allowed_by(held) == (400, origins)
    with contextlib.ExitStack() as opened:
        connections = [
            opened.enter_context(socket.create_connection(("127.0.0.1", service.server.port))) for _ in range(2)
        ]
        connections[1].sendall(head + b"Host: a\r\n\r\n")
        assert allowed_by(connections[1]) == (429, origins)


def allowed_by(connection: socket.socket) -> tuple[int, str]:
    """Return an answer's status, and whose pages may read it."""
    lines = connection.recv(65_536).decode().split("\r\n\r\n")[0].split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers.get(ALLOWED, "")
