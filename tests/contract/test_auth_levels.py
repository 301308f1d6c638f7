"""Interface, sections 4 and 5: who may call each endpoint of the table."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool

pytestmark = ONCE

BAD: dict[str, str] = {"Authorization": "Bearer nonsense"}


@pytest.fixture(scope="module")
def ids(service: Service) -> dict[str, Any]:
    event = service.event(pools=[pool(["A", "B"])])
    first = event["pools"][0]
    said = {"event_id": event["id"], "content": "First!"}
    return {
        "user": service.user().id,
        "event": event["id"],
        "pool": first["id"],
        "market": first["markets"][0]["id"],
        "comment": expect(service.creator.client.post("/comments", json=said), 201)["id"],
    }


def get(service: Service, path: str, ids: dict[str, Any], **headers: str) -> httpx.Response:
    return service.client(headers=headers).get(path.format(**ids))


@proves(
    "interface: | GET | /api/v1/pools/batch | None |",
    "interface: | GET | /api/v1/pools/{id}/charts | None |",
    "interface: | GET | /api/v1/markets/{id}/chart | None |",
    "interface: | GET | /api/v1/market/orderbook/{market_id} | None |",
    "interface: | GET | /api/v1/health | None |",
    "interface: | None | public, no authentication |",
    "interface: - Offers public read access to pools, market price history, orderbooks, asset prices, currency rates "
    "and a health check.",
    "interface: - Path: market_id, integer, required.",
)
@pytest.mark.parametrize(
    "path",
    [
        "/pools/batch?ids={pool}",
        "/pools/{pool}/charts",
        "/markets/{market}/chart",
        "/market/orderbook/{market}",
        "/health",
        "/site",
    ],
)
def test_public_endpoints_are_open_to_all(service: Service, ids: dict[str, Any], path: str) -> None:
    expect(get(service, path, ids), 200)
    expect(get(service, path, ids, **BAD), 200)
    expect(get(service, path, ids, Cookie="access_token=nonsense"), 200)


@proves(
    "interface: | GET | /api/v1/users/{id}/pnl/chart | Optional |",
    "interface: | GET | /api/v1/comments/{id}/replies | Optional |",
    "interface: unread notification count, comment replies.",
    "interface: | Optional | works with or without authentication; may return different data |",
)
@pytest.mark.parametrize(
    "path",
    [
        "/users/{user}/pnl/chart",
        "/users/{user}/trades",
        "/events/{event}/trades",
        "/comments/{comment}/replies",
        "/comments/{comment}",
        "/events",
        "/events/{event}",
        "/pools/{pool}",
        "/pools/{pool}/clarifications",
        "/pools/{pool}/objections",
        "/markets/{market}",
    ],
)
def test_optional_endpoints_are_open_but_refuse_bad_tokens(service: Service, ids: dict[str, Any], path: str) -> None:
    token = service.user().token

    expect(get(service, path, ids), 200)
    expect(get(service, path, ids, Authorization=f"Bearer {token}"), 200)
    expect(get(service, path, ids, Cookie=f"access_token={token}"), 200)
    assert get(service, path, ids, **BAD).status_code == 401
    assert get(service, path, ids, Cookie="access_token=nonsense").status_code == 401


@proves(
    "interface: | GET | /api/v1/users/me/pnl/chart | Required |",
    "interface: | GET | /api/v1/market/positions/completed | Required |",
    "interface: | GET | /api/v1/notifications/unread/count | Required |",
    "interface: - No query parameters; Bearer token.",
    "interface: - Offers user-level data: profit-and-loss chart, completed positions, unread notification count",
    "interface: | Required | must be authenticated |",
    "interface: - User authentication uses JWT tokens delivered as HTTP-only cookies.",
    "interface: - Clients without cookies may send the header Authorization: Bearer <ACCESS_TOKEN>.",
    "interface: - Path: id, int64, required; the literal me selects the current user (the /me path).",
)
@pytest.mark.parametrize(
    "path",
    [
        "/users/me/pnl/chart",
        "/market/positions/completed",
        "/market/positions",
        "/notifications/unread/count",
        "/users/me",
    ],
)
def test_others_need_a_token_in_a_header_or_a_cookie(service: Service, ids: dict[str, Any], path: str) -> None:
    token = service.user().token
    assert len(token.split(".")) == 3

    expect(get(service, path, ids, Authorization=f"Bearer {token}"), 200)
    expect(get(service, path, ids, Authorization=f"bearer {token}"), 200)
    expect(get(service, path, ids, Cookie=f"access_token={token}"), 200)
    for headers in ({}, BAD, {"Cookie": "access_token=nonsense"}, {"Cookie": f"refresh_token={token}"}):
        assert get(service, path, ids, **headers).status_code == 401
    forged = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")
    assert get(service, path, ids, Authorization=f"Bearer {forged}").status_code == 401


@proves("interface: | POST | /api/v1/events/create-full | Creator |")
def test_creating_needs_the_role(service: Service) -> None:
    body = {"name": "Mine", "pools": [pool()]}

    assert service.client().post("/events/create-full", json=body).status_code == 401
    assert service.user().client.post("/events/create-full", json=body).status_code == 403
    assert service.creator.client.post("/events/create-full", json=body).status_code == 201


@proves(
    "interface: | GET | /api/v1/partner/users/{external_user_id} | Partner key |",
    "interface: | GET | /api/v1/partner/balance | Partner key |",
    "interface: - Header X-Partner-Key required.",
    "interface: - Header X-Partner-Key required. No parameters.",
)
@pytest.mark.parametrize("path", ["/partner/users/a", "/partner/balance"])
def test_partner_endpoints_need_a_key(service: Service, path: str) -> None:
    key = service.partner().key

    expect(service.client(partner_key=key).get(path), 200)
    for headers in ({}, {"X-Partner-Key": key + "x"}, {"Authorization": f"Bearer {key}"}):
        assert service.client(headers=headers).get(path).status_code == 401
    assert service.user(admin=True).client.get(path).status_code == 401


@proves("interface: | GET (WebSocket) | /api/v1/ws/trades | None |")
def test_the_feed_looks_at_no_credentials(service: Service) -> None:
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        **BAD,
    }
    with service.client(headers=headers).stream("GET", "/ws/trades") as answer:
        assert answer.status_code == 101
