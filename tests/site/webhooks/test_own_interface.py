"""A partner's own webhook over HTTP: setting it with its key, trying it, and having lines posted once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.site.webhooks.signatures import is_signed
from tests.support.partner_orders import a_market, bet
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused
from tests.support.webhook import Webhook

OWN = "/partner/webhook"
LINE = (
    "decisions: GET, PUT, DELETE /partner/webhook; POST /partner/webhook/test; POST /partner/webhook/resend "
    "`{after_id}` | as the admin's for it (codes in UPPER_SNAKE), but to https with a public name, or the address it "
    'has already, alone; DELETE as PUT `""`: 200 `{}`, twice too;'
)
RESEND = (
    "decisions: resend: every line after that one of its own (0: all; unknown: 404 `TRANSACTION_NOT_FOUND`) is posted "
    "again, in order, with the `webhook-id` it had → 200 `{count}`; 409 `INVALID_STATE` while an earlier one is under "
    "way;"
)
LOGGED = "decisions: each change in the log (`who`: `partner:NAME`)"


def set_by_admin(service: Service, partner: PartnerAccount, url: str) -> str:
    issued = expect(service.admin.put(f"/admin/partners/{partner.name}/webhook", json={"url": url}), 200)
    return str(issued["secret"])


def waited_for(partner: PartnerAccount, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Return the state once something holds of it: it follows the request to the sink."""
    while True:
        state: dict[str, Any] = expect(partner.client.get(OWN), 200)
        if holds(state):
            return state


def logged(service: Service, partner: PartnerAccount) -> list[tuple[str, str, dict[str, Any]]]:
    query: dict[str, str | int] = {"target": f"partner:{partner.name}", "limit": 100}
    entries = expect(service.admin.get("/admin/log", params=query), 200)["entries"]
    ours = [one for one in entries if one["action"].startswith("partner.webhook")]
    return [(one["who"], one["action"], one["details"]) for one in ours]


@proves(LINE, LOGGED)
def test_a_partner_sets_its_own_webhook(sqlite_service: Service, sink: Webhook) -> None:
    service = sqlite_service
    partner, other = service.partner(1_000), service.partner()
    for method, rest, body in (("GET", "", None), ("POST", "/test", None), ("POST", "/resend", {"after_id": 0})):
        refused(partner.client.request(method, OWN + rest, json=body), 404, "WEBHOOK_NOT_FOUND")
        refused(service.client().request(method, OWN + rest, json=body), 401, "INVALID_PARTNER_KEY")
    public = "https://example.org/hook"
    issued = expect(partner.client.put(OWN, json={"url": public}), 200)
    assert (issued.keys(), issued["url"]) == ({"url", "secret"}, public)
    assert expect(partner.client.put(OWN, json={"url": public}), 200)["secret"] != issued["secret"]
    state = expect(partner.client.get(OWN), 200)
    assert state == expect(service.admin.get(f"/admin/partners/{partner.name}/webhook"), 200)
    assert (state["url"], state["waiting"], state["failing_since"]) == (public, 0, None)
    refused(other.client.get(OWN), 404, "WEBHOOK_NOT_FOUND")

    for _ in range(2):
        assert expect(partner.client.delete(OWN), 200) == {}
    refused(partner.client.get(OWN), 404, "WEBHOOK_NOT_FOUND")
    assert expect(partner.client.put(OWN, json={"url": ""}), 200) == {"url": "", "secret": ""}
    ours, host = f"partner:{partner.name}", {"host": "example.org"}
    entries = [(ours, "partner.webhook", details) for details in ({"host": ""}, {"host": ""}, host, host)]
    assert logged(service, partner) == entries

    # An operator may have set an address inside, which the partner may keep.
    secret = set_by_admin(service, partner, sink.address)
    own_secret = expect(partner.client.put(OWN, json={"url": sink.address}), 200)["secret"]
    assert expect(partner.client.post(OWN + "/test"), 200) == {"delivered": True, "reason": ""}
    assert all(is_signed(sink.requests[0], each) for each in (secret, own_secret))


@proves(LINE)
def test_a_partner_reaches_public_names_alone(sqlite_service: Service, sink: Webhook) -> None:
    service = sqlite_service
    partner, other = service.partner(), service.partner()
    set_by_admin(service, other, sink.address)
    # Spelled in the settings: for admins.
    assert "localhost" not in service.app.settings.webhook_hosts
    inside = next(iter(service.app.settings.webhook_hosts))
    assert sink.address.startswith(f"http://{inside}:")
    inner = ["localhost", "intranet.", "foo.localhost", "printer.local.", "metadata.google.internal"]
    hosts = [inside, "[::1]", "127.1", *inner]
    wrong = [sink.address, "http://example.org/hook", *(f"https://{host}/hook" for host in hosts)]
    for has_one in (False, True):
        for url in (*wrong, f"{sink.address}/other" if has_one else ""):
            if url:
                body = refused(partner.client.put(OWN, json={"url": url}), 400, "BAD_REQUEST")
                assert "url" in body["details"]["fields"], url
        if not has_one:
            refused(partner.client.get(OWN), 404, "WEBHOOK_NOT_FOUND")
            set_by_admin(service, partner, sink.address)
            wrong.remove(sink.address)
    set_by_admin(service, partner, "https://localhost:9/hook")
    # It has another one now.
    refused(partner.client.put(OWN, json={"url": sink.address}), 400, "BAD_REQUEST")
    tried = expect(partner.client.post(OWN + "/test"), 200)
    assert tried["delivered"] is False
    assert "not public" in tried["reason"]
    # The addresses of names of our network are no business of theirs.
    assert "127.0.0.1" not in tried["reason"]
    assert "::1" not in tried["reason"]


@proves(RESEND, LOGGED)
def test_lines_are_posted_again(service: Service, sink: Webhook) -> None:
    partner, other = service.partner(10_000), service.partner(100)
    market = a_market(service)
    before = expect(bet(partner, "ann", market, 500), 201)["bet_id"]
    set_by_admin(service, partner, sink.address)
    for user in ("ann", "bob"):
        expect(bet(partner, user, market, 500), 201)
    sink.wait_for(2)
    lines = expect(partner.client.get("/partner/transactions"), 200)["transactions"][::-1]
    assert [line["bet_id"] for line in lines[:2]] == [None, before]
    posted = {call.body["data"]["id"]: call.headers["webhook-id"] for call in sink.requests}

    def resend(after_id: int, client: PartnerAccount = partner) -> Any:
        return client.client.post(OWN + "/resend", json={"after_id": after_id})

    for after_id, expected in ((lines[2]["id"], lines[3:]), (0, lines), (lines[-1]["id"], [])):
        waited_for(partner, lambda state: not state["waiting"])
        arrived = len(sink.requests)
        assert expect(resend(after_id), 200) == {"count": len(expected)}
        sink.wait_for(arrived + len(expected))
        again = sink.requests[arrived:]
        assert [call.body["data"] for call in again] == expected
        with_ids = {call.body["data"]["id"]: call.headers["webhook-id"] for call in again}
        assert posted | with_ids == with_ids | posted
        posted |= with_ids
    assert len(set(posted.values())) == len(lines)

    (foreign,) = expect(other.client.get("/partner/transactions"), 200)["transactions"]
    for unknown in (foreign["id"], 2**63 - 1):
        refused(resend(unknown), 404, "TRANSACTION_NOT_FOUND")
    for wrong in ({}, {"after_id": -1}, {"after_id": "1"}, {"after_id": 2**63}, {"after_id": 0, "to": 1}):
        refused(partner.client.post(OWN + "/resend", json=wrong), 400, "BAD_REQUEST")
    refused(resend(0, other), 404, "WEBHOOK_NOT_FOUND")

    # While it cannot be delivered, it is under way.
    waited_for(partner, lambda state: not state["waiting"])
    sink.status = 500
    assert expect(resend(0), 200) == {"count": len(lines)}
    refused(resend(0), 409, "INVALID_STATE")
    assert expect(partner.client.get(OWN), 200)["waiting"] == len(lines)
    ours = f"partner:{partner.name}"
    assert logged(service, partner)[0] == (ours, "partner.webhook_resend", {"after_id": 0, "count": len(lines)})
    expect(partner.client.delete(OWN), 200)
