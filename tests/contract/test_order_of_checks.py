"""Decisions, "Order of checks": each test has two things wrong and shows which is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

pytestmark = ONCE

ORDER = (
    "decisions: route (404, 405); credentials 401; `cross_site`; role 403; path ids 400; body 413, 415, broken JSON "
    "400; idempotency key (form, replay, 422); fields 400; rows 404; owner 403; state 409."
)
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
FOREIGN = {"Sec-Fetch-Site": "cross-site"}


@proves(ORDER)
def test_the_route_comes_before_credentials(service: Service) -> None:
    stranger = service.client(token="nonsense")

    refused(stranger.post("/nothing", content="{", headers=JSON), 404, "not_found")
    refused(stranger.delete("/market/bets"), 405, "method_not_allowed")


@proves(ORDER)
def test_credentials_come_before_cross_site(service: Service) -> None:
    client = service.client(headers={"Cookie": "access_token=nonsense", **FOREIGN})

    refused(client.patch("/users/me", json={}), 401, "unauthorized")


@proves(ORDER)
@pytest.mark.parametrize("cookie", ["", "refresh_token=", "refresh_token=nonsense", "refresh_token=1.0.1.AAAA"])
def test_a_refresh_token_is_a_credential_too(service: Service, cookie: str) -> None:
    client = service.client(headers={"Cookie": cookie, **FOREIGN} if cookie else FOREIGN)

    refused(client.post("/auth/refresh"), 401, "unauthorized")


@proves(ORDER)
def test_credentials_come_before_path_ids_and_bodies(service: Service) -> None:
    refused(service.client().post("/pools/abc/pause"), 401, "unauthorized")
    refused(service.client().post("/market/bets", content="{", headers=TEXT), 401, "unauthorized")
    refused(service.client().post("/events/create-full", content="x" * 70_000, headers=TEXT), 401, "unauthorized")


@proves(ORDER)
def test_cross_site_comes_before_the_role(service: Service) -> None:
    client = service.client(headers={"Cookie": f"access_token={service.user().token}", **FOREIGN})

    refused(client.post("/admin/partners", json={"name": "x"}), 403, "cross_site")


@proves(ORDER)
def test_the_role_comes_before_path_ids_and_bodies(service: Service) -> None:
    client = service.user().client

    refused(client.post("/admin/users/abc/credit", content="{", headers=TEXT), 403, "forbidden")
    answer = client.post("/events/create-full", content="x" * 70_000, headers=TEXT)
    assert (answer.status_code, answer.json()) == (403, {"error": "forbidden"})


@proves(ORDER)
def test_path_ids_come_before_the_body(service: Service) -> None:
    big = "x" * 70_000

    refused(service.creator.client.post("/pools/abc/resolve", content=big, headers=TEXT), 400, "invalid_pool_id")
    refused(service.admin.post("/admin/users/0/credit", content="{", headers=JSON), 400, "invalid_user_id")


@proves(ORDER)
def test_the_size_comes_before_the_media_type_and_that_before_the_syntax(service: Service) -> None:
    client = service.user().client

    refused(client.post("/market/bets", content="{" * 70_000, headers=TEXT), 413, "payload_too_large")
    refused(client.post("/market/bets", content="{", headers=TEXT), 415, "unsupported_media_type")


@proves(ORDER)
def test_broken_json_comes_before_the_form_of_the_idempotency_key(service: Service) -> None:
    headers = {**JSON, "Idempotency-Key": "with space"}

    refused(service.user().client.post("/market/bets", content="{", headers=headers), 400, "bad_request")


@proves(ORDER)
def test_the_form_of_the_idempotency_key_comes_before_the_fields(service: Service) -> None:
    headers = {"Idempotency-Key": "with space"}

    refused(service.user().client.post("/market/bets", json={}, headers=headers), 400, "invalid_idempotency_key")


@proves(ORDER)
def test_a_spent_idempotency_key_comes_before_the_fields(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]
    client = service.user(balance_kopecks=1_000).client
    headers = {"Idempotency-Key": "spent"}
    order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 100}
    expect(client.post("/market/bets", json=order, headers=headers), 201)

    for wrong in ({}, {**order, "amount_kopecks": 0}, {**order, "unknown": 1}, {**order, "market_id": 999_999_999}):
        answer = client.post("/market/bets", json=wrong, headers=headers)
        refused(answer, 422, "idempotency_key_reused")
    refused(client.post("/market/bets", json={}, headers={"Idempotency-Key": "fresh"}), 400, "bad_request")


@proves(ORDER)
def test_fields_come_before_rows(service: Service) -> None:
    order = {"market_id": 999_999_999, "token_type": "YES", "amount_kopecks": 0}
    refused(service.user().client.post("/market/bets", json=order), 400, "bad_request")
    refused(service.creator.client.post("/pools/999999999/resolve", json={"won_side": "0"}), 400, "bad_request")
    refused(service.creator.client.post("/pools/999999999/resolve", json={"void": True}), 404, "pool_not_found")
    refused(service.admin.post("/admin/users/999999999/credit", json={"amount_kopecks": 0}), 400, "bad_request")
    for wrong in ({"nickname": "x"}, {"name": ""}):
        refused(service.admin.patch("/admin/users/999999999", json=wrong), 400, "bad_request")


@proves(ORDER, "decisions: a stranger's action on it is 404")
@pytest.mark.parametrize("action", ["pause", "resume", "resolve"])
def test_rows_come_before_owners_and_owners_before_states_of_pools(service: Service, action: str) -> None:
    body: dict[str, Any] = {"json": {"void": True}} if action == "resolve" else {}
    hidden = service.event(publish=False)["pools"][0]
    shown = service.event()["pools"][0]
    resolved = service.event()["pools"][0]
    expect(service.creator.client.post(f"/pools/{resolved['id']}/resolve", json={"won_side": 0}), 200)
    stranger = service.user(creator=True).client

    refused(stranger.post(f"/pools/{hidden['id']}/{action}", **body), 404, "pool_not_found")
    refused(stranger.post(f"/pools/{shown['id']}/{action}", **body), 403, "forbidden")
    refused(stranger.post(f"/pools/{resolved['id']}/{action}", **body), 403, "forbidden")


@proves(ORDER, "decisions: a stranger's action on it is 404")
@pytest.mark.parametrize("action", ["publish", "cancel"])
def test_rows_come_before_owners_and_owners_before_states_of_events(service: Service, action: str) -> None:
    hidden, shown, cancelled = service.event(publish=False), service.event(), service.event()
    expect(service.creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    stranger = service.user(creator=True).client

    refused(stranger.post(f"/events/{hidden['id']}/{action}"), 404, "event_not_found")
    refused(stranger.post(f"/events/{shown['id']}/{action}"), 403, "forbidden")
    refused(stranger.post(f"/events/{cancelled['id']}/{action}"), 403, "forbidden")
    refused(service.creator.client.post(f"/events/{cancelled['id']}/{action}"), 409, "invalid_state")


@proves(ORDER)
def test_partners_credentials_come_before_the_path_and_the_path_before_the_body(service: Service) -> None:
    too_long = "x" * 129

    refused(service.client().post(f"/partner/users/{too_long}/withdraw"), 401, "INVALID_PARTNER_KEY")
    answer = service.partner().client.post(f"/partner/users/{too_long}/withdraw", content="{", headers=TEXT)
    refused(answer, 400, "INVALID_EXTERNAL_USER_ID")


def test_the_role_comes_before_the_body_of_a_broken_creation(service: Service) -> None:
    answer = service.user().client.post("/events/create-full", json={"name": "", "pools": [pool(b=1)]})

    assert (answer.status_code, answer.json()) == (403, {"error": "forbidden"})
