"""Decisions, "Statuses" and "Codes"; interface, section 7, "Status usage": each status once, with its code."""

from __future__ import annotations

import json
import socket

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

pytestmark = ONCE

JSON = {"Content-Type": "application/json"}


@proves(
    "interface: - Status usage: 400 invalid or missing input, 401 missing or invalid authentication, 403 insufficient "
    "permissions, 404 resource not found",
    "decisions: 400 invalid input, 401, 403, 404, 405 with `Allow`",
    "decisions: 413, 415, 422 only for an idempotency key reused",
    "decisions: A refusal is never a 2xx.",
    "decisions: `bad_request` (any broken body or query without a code of its own), `unauthorized`, `forbidden`, "
    "`not_found` (no such route, or row without a code of its own), `method_not_allowed`, `payload_too_large`, "
    "`unsupported_media_type`",
)
def test_each_status_has_its_meaning_and_its_code(service: Service) -> None:
    person, visitor = service.user(balance_kopecks=1_000).client, service.client()
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    key = {"Idempotency-Key": "statuses"}
    expect(person.post("/market/bets", json=order, headers=key), 201)

    refused(person.post("/market/bets", json={}), 400, "bad_request")
    refused(person.post("/market/bets", content="{", headers=JSON), 400, "bad_request")
    refused(visitor.get("/market/quote?market_id=x"), 400, "bad_request")
    refused(visitor.post("/market/bets", json=order), 401, "unauthorized")
    refused(service.client(token="nonsense").post("/market/bets", json=order), 401, "unauthorized")
    refused(person.get("/admin/users"), 403, "forbidden")
    refused(visitor.get("/nothing"), 404, "not_found")
    refused(visitor.get("/assets/nothing/price"), 404, "not_found")
    assert refused(visitor.get("/market/bets"), 405, "method_not_allowed").keys() == {"error", "message"}
    assert visitor.get("/market/bets").headers["Allow"] == "POST"
    refused(person.post("/market/bets", content="{" * 70_000, headers=JSON), 413, "payload_too_large")
    refused(
        person.post("/market/bets", content="{}", headers={"Content-Type": "text/xml"}), 415, "unsupported_media_type"
    )
    other = order | {"amount_kopecks": 101}
    refused(person.post("/market/bets", json=other, headers=key), 422, "idempotency_key_reused")


@proves("decisions: 409 refused by the current state (funds, paused, slippage, taken)")
def test_what_the_present_state_refuses_is_409(service: Service) -> None:
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    person, other = service.user(balance_kopecks=1_000), service.user()
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}

    refused(other.client.post("/market/bets", json=order), 409, "insufficient_funds")
    refused(person.client.post("/market/bets", json=order | {"min_shares": 10**9}), 409, "slippage")
    refused(person.client.patch("/users/me", json={"nickname": other.nickname}), 409, "nickname_taken")
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    refused(service.creator.client.post(f"/events/{event['id']}/cancel"), 409, "invalid_state")
    paused = service.event()["pools"][0]
    expect(service.creator.client.post(f"/pools/{paused['id']}/pause"), 200)
    order["market_id"] = paused["markets"][0]["id"]
    refused(person.client.post("/market/bets", json=order), 409, "market_paused")


@proves("decisions: `bad_request` (any broken body or query without a code of its own)")
@pytest.mark.parametrize(
    "sent",
    [b"FOO /api/v1/health HTTP/1.1", b"get /api/v1/health HTTP/1.1", b"GET /api/v1/health FTP/1.1", b"\x16\x03\x01"],
    ids=str,
)
def test_what_is_no_http_is_refused_in_the_same_words(service: Service, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", service.server.port), timeout=30) as connection:
        connection.sendall(sent + b"\r\nHost: x\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"content-type: application/json" in head
    assert json.loads(body).keys() == {"error", "message"}
    assert json.loads(body)["error"] == "bad_request"


@proves("interface: Bodies are JSON unless stated otherwise.")
def test_bodies_are_json(service: Service) -> None:
    for path in ("/health", "/events", "/pools/batch?ids=999999999", "/nothing", "/users/me", "/pools/0"):
        answer = service.client().get(path)
        assert answer.headers["Content-Type"] == "application/json", path
        answer.json()
