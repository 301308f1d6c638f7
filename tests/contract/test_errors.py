"""Decisions, "Ground rules": error bodies, statuses, codes, auth levels. Interface, sections 7 and 9."""

from __future__ import annotations

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

pytestmark = ONCE


@proves(
    'decisions: `{"error": "<code>", "message": "<one sentence a person can act on>", "details": {…}}`',
    "decisions: `not_found` (no such route, or row without a code of its own)",
)
@pytest.mark.parametrize("path", ["/nothing", "/pools", "/pools/1/nothing", "/users", "/market", "/admin/nothing"])
def test_an_unknown_route_is_not_found(service: Service, path: str) -> None:
    body = refused(service.client().get(path), 404, "not_found")

    assert body.keys() == {"error", "message"}
    assert body["message"].endswith(".")


@proves("interface: The version is carried in the path prefix /api/v1 on every endpoint.")
@pytest.mark.parametrize("prefix", ["", "/api", "/v1", "/api/v2"])
def test_the_interface_stands_under_its_prefix_only(service: Service, prefix: str) -> None:
    refused(httpx.get(f"{service.url}{prefix}/health", verify=NO_TLS), 404, "not_found")


@proves("decisions: 405 with `Allow`")
@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/health", {"GET", "HEAD"}),
        ("DELETE", "/users/me", {"GET", "HEAD", "PATCH"}),
        ("GET", "/auth/sign-in", {"POST"}),
        ("GET", "/auth/logout", {"DELETE"}),
        ("GET", "/market/bets", {"POST"}),
        ("PUT", "/events/7", {"GET", "HEAD", "PATCH"}),
        ("PATCH", "/pools/7/pause", {"POST"}),
    ],
)
def test_a_method_that_an_address_does_not_answer(service: Service, method: str, path: str, allowed: set[str]) -> None:
    answer = service.client().request(method, path)

    refused(answer, 405, "method_not_allowed")
    assert set(answer.headers["Allow"].split(", ")) == allowed


@proves("decisions: a trailing slash is 404")
@pytest.mark.parametrize("path", ["/health/", "/events/", "/pools/batch/", "/pools/7/", "/auth/sign-in/", "//health"])
def test_a_trailing_slash_is_another_address(service: Service, path: str) -> None:
    refused(httpx.get(service.api_url + path, verify=NO_TLS), 404, "not_found")


@proves("decisions: HEAD answers as GET")
@pytest.mark.parametrize(
    "path", ["/ready", "/events", "/pools/batch?ids=999999999", "/pools/0", "/users/me", "/nothing"]
)
def test_head_answers_as_get_without_the_body(service: Service, path: str) -> None:
    client = service.client()
    get, head = client.get(path), client.head(path)

    assert head.status_code == get.status_code
    assert head.content == b""
    for name in ("content-length", "content-type"):
        assert head.headers[name] == get.headers[name]


@proves("decisions: a plain GET of the WebSocket is 400")
def test_a_plain_get_of_the_websocket_is_a_bad_request(service: Service) -> None:
    refused(service.client().get("/ws/trades"), 400, "bad_request")
    answer = service.client().post("/ws/trades")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, HEAD"


@proves("decisions: None: credentials are not looked at, good or bad.")
@pytest.mark.parametrize("headers", [{"Authorization": "Bearer nonsense"}, {"Cookie": "access_token=nonsense"}])
def test_public_endpoints_do_not_look_at_credentials(service: Service, headers: dict[str, str]) -> None:
    client = service.client(headers=headers)

    expect(client.get("/health"), 200)
    expect(client.get("/pools/batch?ids=999999999"), 200)
    refused(client.get("/pools/999999999/charts"), 404, "pool_not_found")
    refused(client.get("/market/orderbook/999999999"), 404, "market_not_found")


@proves("decisions: Optional: a bad or expired token is 401.", "decisions: another scheme than Bearer is a bad token")
@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Bearer"},
        {"Authorization": "nonsense"},
        {"Authorization": "Basic dXNlcjpwYXNzd29yZA=="},
        {"Authorization": ""},
        {"Cookie": "access_token=nonsense"},
        {"Cookie": "access_token=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."},
    ],
)
@pytest.mark.parametrize("path", ["/events", "/events/999999999", "/pools/999999999", "/market/quote", "/users/me"])
def test_a_bad_token_is_refused_even_where_none_is_needed(service: Service, path: str, headers: dict[str, str]) -> None:
    refused(service.client(headers=headers).get(path), 401, "unauthorized")


@proves("decisions: Where a header and a cookie are both sent, the header alone counts.")
def test_where_a_header_and_a_cookie_are_sent_the_header_counts(service: Service) -> None:
    one, other = service.user(), service.user()
    bad_cookie = service.client(token=one.token, headers={"Cookie": "access_token=nonsense"})
    bad_header = service.client(token="nonsense", headers={"Cookie": f"access_token={one.token}"})
    both = service.client(token=one.token, headers={"Cookie": f"access_token={other.token}"})

    assert expect(bad_cookie.get("/users/me"), 200)["id"] == one.id
    refused(bad_header.get("/users/me"), 401, "unauthorized")
    assert expect(both.get("/users/me"), 200)["id"] == one.id


@proves("interface: missing token on /me")
@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/users/me", "unauthorized"),
        ("GET", "/users/me/pnl/chart", "unauthorized"),
        ("GET", "/market/positions", "unauthorized"),
        ("GET", "/market/positions/completed", "UNAUTHORIZED"),
        ("POST", "/market/bets", "unauthorized"),
        ("POST", "/market/positions/sell", "unauthorized"),
        ("POST", "/events/create-full", "unauthorized"),
        ("POST", "/events/7/publish", "unauthorized"),
        ("POST", "/events/7/cancel", "unauthorized"),
        ("POST", "/pools/7/pause", "unauthorized"),
        ("POST", "/pools/7/resume", "unauthorized"),
        ("POST", "/pools/7/resolve", "unauthorized"),
        ("DELETE", "/auth/logout", "unauthorized"),
        ("PATCH", "/users/me", "unauthorized"),
        ("GET", "/admin/users", "unauthorized"),
        ("POST", "/admin/users/7/credit", "unauthorized"),
        ("GET", "/admin/log", "unauthorized"),
        ("GET", "/partner/balance", "INVALID_PARTNER_KEY"),
        ("GET", "/partner/users/a", "INVALID_PARTNER_KEY"),
        ("POST", "/partner/bets", "INVALID_PARTNER_KEY"),
        ("GET", "/partner/transactions", "INVALID_PARTNER_KEY"),
    ],
)
def test_without_credentials_what_needs_them_is_401(service: Service, method: str, path: str, code: str) -> None:
    refused(service.client().request(method, path), 401, code)


@proves(
    "interface: The completed-positions endpoint uses the upper-case code UNAUTHORIZED; other endpoints use lower-case "
    "unauthorized.",
    "decisions: like INSUFFICIENT_FLOAT) and `UNAUTHORIZED` of completed positions.",
)
def test_completed_positions_say_unauthorized_in_upper_case_for_a_bad_token_too(service: Service) -> None:
    refused(service.client(token="nonsense").get("/market/positions/completed"), 401, "UNAUTHORIZED")
    refused(service.client(token="nonsense").get("/market/positions"), 401, "unauthorized")


@proves(
    "decisions: The 403 and 404 of event creation and image deletion carry `error` alone",
    "interface: - 403: body with error (string) when the caller lacks the Creator role.",
)
def test_creation_without_the_role_answers_with_the_error_alone(service: Service) -> None:
    answer = service.user().client.post("/events/create-full", json={"name": "Mine", "pools": [pool()]})

    assert answer.status_code == 403
    assert answer.json() == {"error": "forbidden"}


@proves(
    "decisions: Codes: the user codes in UPPER_SNAKE.",
    "decisions: Lower snake everywhere, except partner endpoints (UPPER_SNAKE, like INSUFFICIENT_FLOAT)",
)
def test_partner_endpoints_write_every_code_in_upper_case(service: Service) -> None:
    client = service.partner().client

    refused(client.post("/partner/bets", content="{", headers={"Content-Type": "application/json"}), 400, "BAD_REQUEST")
    refused(
        client.post("/partner/bets", content="{}", headers={"Content-Type": "text/plain"}),
        415,
        "UNSUPPORTED_MEDIA_TYPE",
    )
    refused(client.post("/partner/bets", json={"pad": "x" * 70_000}), 413, "PAYLOAD_TOO_LARGE")
    refused(client.get("/partner/transactions?limit=0"), 400, "INVALID_LIMIT")
    refused(client.get("/partner/transactions?cursor=x"), 400, "INVALID_CURSOR")
    refused(client.delete("/partner/balance"), 405, "METHOD_NOT_ALLOWED")
    order = {"external_user_id": "a", "market_id": 999_999_999, "side": "yes", "stake_kopecks": 100}
    refused(client.post("/partner/bets", json=order), 404, "MARKET_NOT_FOUND")
    bad_key = {"Idempotency-Key": "with space"}
    refused(client.post("/partner/bets", json=order, headers=bad_key), 400, "INVALID_IDEMPOTENCY_KEY")


@proves('decisions: `{"fields": {"pools[0].margin": "must be between 0 and 0.5"}}`')
def test_a_wrong_field_is_named_in_the_details(service: Service) -> None:
    body = {"name": "Named", "pools": [pool(margin=0.51)]}
    error = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")

    assert list(error["details"]["fields"]) == ["pools[0].margin"]


@proves('decisions: `details` only where it helps (`{"required": 500, "available": 120}`')
def test_a_shortage_says_what_is_required_and_what_is_available(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]
    person = service.user(balance_kopecks=120)
    order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 500}
    error = refused(person.client.post("/market/bets", json=order), 409, "insufficient_funds")

    assert error["details"] == {"required": 500, "available": 120}
