"""Partners' webhooks over HTTP: what is delivered, and how an admin sets, tries and watches them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from foreknow.kernel.backoff import BackOff
from foreknow.site.webhooks import sender
from foreknow_client.messages import ResolvedPoolMessage, TransactionMessage, WebhookMessage
from tests.site.webhooks.signatures import is_signed
from tests.support.partner_orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused
from tests.support.webhook import Call, Webhook


def path(partner: PartnerAccount, rest: str = "") -> str:
    return f"/admin/partners/{partner.name}/webhook{rest}"


def put(service: Service, partner: PartnerAccount, url: str) -> str:
    """Set a webhook; return its secret."""
    issued = expect(service.admin.put(path(partner), json={"url": url}), 200)
    assert issued.keys() == {"url", "secret"}
    assert issued["url"] == url
    return str(issued["secret"])


def about(sink: Webhook, pool_id: int) -> list[Call]:
    """What came for a partner and of one pool: other tests' pools are resolved for every partner."""
    return [call for call in sink.requests if call.body["data"].get("pool_id", pool_id) == pool_id]


def settled_event(service: Service, partner: PartnerAccount) -> dict[str, Any]:
    """Let a user of a partner bet and sell, and resolve the event; return it."""
    event = service.event()
    pool = event["pools"][0]
    market = pool["markets"][0]["id"]
    expect(bet(partner, "ann", market, 2_000), 201)
    expect(bet(partner, "bob", market, 700, side="no"), 201)
    expect(sell(partner, "ann", market, shares=100), 201)
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)
    return event


@proves(
    "partners: PUT /admin/partners/{name}/webhook `{url}` → `{url, secret}` (secret shown once);",
    "partners: `partner.transaction` for each line of the statement, its `data` the line as GET /partner/transactions "
    "shows it, and `pool.resolved` for each published pool whose result is final, its `data` `{pool_id, event_id, "
    "market_ids (in the order of outcomes), won_side, payouts (null for a void), resolved_at}`, before the lines that "
    "pay its positions.",
    "partners: Messages follow the Standard Webhooks specification: JSON `{type, timestamp, data}` by POST with the "
    "headers `webhook-id` (the same at each attempt), `webhook-timestamp` and `webhook-signature`.",
    "partners: They begin with what comes after the first PUT, in order for a partner.",
    "partners: PUT again gives a new secret; the one before it signs, too, for 24 h.",
)
def test_each_line_and_each_result_is_posted_in_order_and_signed(service: Service, sink: Webhook) -> None:
    partner = service.partner(10_000)
    secret = put(service, partner, sink.address)
    assert secret.startswith("whsec_")

    event = settled_event(service, partner)
    pool = event["pools"][0]
    sink.wait_for(6)
    calls = about(sink, pool["id"])
    # As a partner's program in Python reads them.
    read = [msgspec.json.decode(call.raw, type=WebhookMessage) for call in calls]
    assert [type(message) for message in read] == [
        *[TransactionMessage] * 3,
        ResolvedPoolMessage,
        *[TransactionMessage] * 2,
    ]
    lines = expect(partner.client.get("/partner/transactions"), 200)["transactions"][::-1][1:]
    assert [line["type"] for line in lines] == ["bet", "bet", "sale", "settlement", "settlement"]
    assert [call.body["type"] for call in calls] == [
        *["partner.transaction"] * 3,
        "pool.resolved",
        *["partner.transaction"] * 2,
    ]
    assert [call.body["data"] for call in calls if call.body["type"] == "partner.transaction"] == lines
    assert [call.body["timestamp"] for call in calls if "bet_id" in call.body["data"]] == [
        line["created_at"] for line in lines
    ]
    resolved = calls[3].body
    assert resolved["data"] == {
        "pool_id": pool["id"],
        "event_id": event["id"],
        "market_ids": [market["id"] for market in pool["markets"]],
        "won_side": 0,
        "payouts": [1.0, 0.0],
        "resolved_at": resolved["timestamp"],
    }
    assert len({call.headers["webhook-id"] for call in calls}) == len(calls)
    assert all(is_signed(call, secret) and call.headers["content-type"] == "application/json" for call in calls)

    # What is under way while a webhook is set may come twice.
    waited_for(service, partner, lambda state: not state["waiting"])
    new_secret = put(service, partner, sink.address)
    assert new_secret != secret
    arrived = len(sink.requests)
    expect(service.admin.post(f"/admin/partners/{partner.name}/deposit", json={"amount_kopecks": 5}), 201)
    sink.wait_for(arrived + 1)
    deposit = sink.requests[-1]
    assert deposit.body["data"]["type"] == "deposit"
    assert is_signed(deposit, secret)
    assert is_signed(deposit, new_secret)
    assert not is_signed(deposit, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")


@proves(
    "partners: GET there → `{url, created_at, last_delivery_at, failing_since, reason, next_attempt_at, waiting}`",
    "partners: POST …/webhook/test posts a message of the type `webhook.test` at once → `{delivered, reason}`.",
    'partners: `""` removes it with what waits.',
    "partners: Without a webhook both are 404 `webhook_not_found`.",
)
def test_an_admin_sees_how_a_webhook_goes(service: Service, sink: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "BACK_OFF", BackOff(first_ms=3_600_000, most_ms=3_600_000))
    partner = service.partner(1_000)
    for answer in (service.admin.get(path(partner)), service.admin.post(path(partner, "/test"))):
        refused(answer, 404, "webhook_not_found")
    secret = put(service, partner, sink.address)
    state = expect(service.admin.get(path(partner)), 200)
    created_at = state.pop("created_at")
    assert created_at.endswith("Z")
    idle = {
        "url": sink.address,
        "last_delivery_at": None,
        "failing_since": None,
        "reason": "",
        "next_attempt_at": None,
        "waiting": 0,
    }
    assert state == idle

    sink.status = 302
    failed = expect(service.admin.post(path(partner, "/test")), 200)
    assert failed == {"delivered": False, "reason": "status 302"}
    sink.status = 204
    assert expect(service.admin.post(path(partner, "/test")), 200) == {"delivered": True, "reason": ""}
    assert [call.body["type"] for call in sink.requests] == ["webhook.test"] * 2
    assert all(is_signed(call, secret) for call in sink.requests)

    sink.status = 500
    expect(service.admin.post(f"/admin/partners/{partner.name}/payout", json={"amount_kopecks": 1}), 201)
    sink.wait_for(3)
    failing = waited_for(service, partner, lambda state: state["failing_since"])
    assert failing["reason"] == "status 500"
    assert failing["waiting"] >= 1
    assert failing["next_attempt_at"] > failing["failing_since"] > created_at
    # Setting it again is a new attempt at once, with what waited.
    sink.status = 200
    put(service, partner, sink.address)
    sink.wait_for(4)
    delivered = waited_for(service, partner, lambda state: state["last_delivery_at"])
    assert (delivered["failing_since"], delivered["next_attempt_at"], delivered["reason"]) == (None, None, "")
    assert delivered["created_at"] == created_at
    assert sink.requests[3].headers["webhook-id"] == sink.requests[2].headers["webhook-id"]

    assert put(service, partner, "") == ""
    expect(service.admin.post(f"/admin/partners/{partner.name}/payout", json={"amount_kopecks": 1}), 201)
    refused(service.admin.get(path(partner)), 404, "webhook_not_found")
    assert put(service, partner, "") == ""
    logged = expect(service.admin.get("/admin/log", params={"target": f"partner:{partner.name}", "limit": 100}), 200)
    hosts = [entry["details"]["host"] for entry in logged["entries"] if entry["action"] == "partner.webhook"]
    assert hosts == ["", "", f"127.0.0.1:{sink.port}", f"127.0.0.1:{sink.port}"]


def waited_for(service: Service, partner: PartnerAccount, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return the state once something holds of it: it follows the request to the sink."""
    while True:
        state: dict[str, Any] = expect(service.admin.get(path(partner)), 200)
        if holds(state):
            return state


@proves(
    "partners: The address is https with a name, which must resolve to public addresses at each attempt and is "
    "connected as checked; http, an IP address or an internal name only as `FOREKNOW_WEBHOOK_INTERNAL_HOSTS` spells "
    "it; redirects are not followed. Any other: 400 `bad_request`.",
)
def test_messages_are_posted_to_public_addresses_alone(sqlite_service: Service) -> None:
    service = sqlite_service
    partner = service.partner()
    for url in (
        "http://example.org/hook",
        "https://93.184.216.34/hook",
        "https://[::1]/hook",
        "https://127.1/hook",
        "https://0x7f000001/hook",
        "https://user:word@example.org/hook",
        "https://example.org/hook#part",
        "https://example.org:0/hook",
        "https://-example-/hook",
        "ftp://example.org/hook",
        "//example.org/hook",
        "https://пример.рф/hook",
        "https://example.org/" + "x" * 2048,
    ):
        body = refused(service.admin.put(path(partner), json={"url": url}), 400, "bad_request")
        assert "url" in body["details"]["fields"], url
    for body in ({}, {"url": None}, {"url": 1}, {"url": "https://example.org", "secret": "mine"}):
        refused(service.admin.put(path(partner), json=body), 400, "bad_request")
    refused(service.admin.get(path(partner)), 404, "webhook_not_found")

    put(service, partner, "https://localhost:9/hook")
    tried = expect(service.admin.post(path(partner, "/test")), 200)
    assert tried["delivered"] is False
    assert "not public" in tried["reason"]

    for method, rest in (("PUT", ""), ("GET", ""), ("POST", "/test")):
        refused(
            service.admin.request(method, f"/admin/partners/stranger/webhook{rest}", json={"url": ""}),
            404,
            "partner_not_found",
        )
        refused(service.creator.client.request(method, path(partner, rest), json={"url": ""}), 403, "forbidden")
        refused(service.client().request(method, path(partner, rest), json={"url": ""}), 401, "unauthorized")
