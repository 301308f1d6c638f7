"""GET /admin/log."""

from __future__ import annotations

import secrets
from typing import Any

from tests.support.proofs import proves
from tests.support.service import Service, expect


def entries(service: Service, count: int) -> list[dict[str, Any]]:
    page = expect(service.admin.get("/admin/log", params={"limit": count}), 200)
    assert page.keys() == {"entries", "next_cursor", "has_more"}
    found: list[dict[str, Any]] = page["entries"]
    return found


@proves("decisions: Every admin action is logged for good: GET /admin/log")
def test_every_deed_of_an_admin_is_logged(service: Service) -> None:
    person = service.user()
    name = f"Acme.{secrets.token_hex(6)}"
    made = expect(service.admin.post("/admin/partners", json={"name": name}), 201)
    second = expect(service.admin.post(f"/admin/partners/{name}/keys"), 201)
    deeds: list[tuple[str, str, str, Any]] = [
        ("POST", f"/admin/users/{person.id}/credit", "user.credit", {"amount_kopecks": 5, "note": "Ё"}),
        ("PATCH", f"/admin/users/{person.id}", "user.roles", {"is_creator": True, "is_operator": False}),
        ("POST", f"/admin/partners/{name}/deposit", "partner.deposit", {"amount_kopecks": 7}),
        ("POST", f"/admin/partners/{name}/payout", "partner.payout", {"amount_kopecks": 2}),
    ]
    for method, path, _, body in deeds:
        assert service.admin.request(method, path, json=body).is_success
    expect(service.admin.delete(f"/admin/partners/{name}/keys/{second['id']}"), 200)

    found = entries(service, 7)[::-1]
    admin_id = expect(service.admin.get("/users/me"), 200)["id"]

    assert all(entry.keys() == {"id", "who", "action", "target", "details", "created_at"} for entry in found)
    assert {entry["who"] for entry in found} == {f"user:{admin_id}"}
    ids = [entry["id"] for entry in found]
    assert ids == sorted(ids)
    assert [(entry["action"], entry["target"], entry["details"]) for entry in found] == [
        ("partner.add", f"partner:{name}", {"key_id": made["key_id"]}),
        ("partner.issue_key", f"partner:{name}", {"key_id": second["id"]}),
        *(
            (action, f"partner:{name}" if action.startswith("partner") else f"user:{person.id}", body)
            for _, _, action, body in deeds
        ),
        ("partner.revoke_key", f"partner:{name}", {"key_id": second["id"]}),
    ]


def test_an_admins_hand_in_anothers_event_is_logged_and_the_creators_own_is_not(service: Service) -> None:
    helper = service.user(admin=True)
    event = service.event(publish=False)
    pool = event["pools"][0]["id"]
    (newest,) = entries(service, 1)
    expect(helper.client.post(f"/events/{event['id']}/publish"), 200)
    expect(service.creator.client.post(f"/pools/{pool}/pause"), 200)
    for step in ("pause", "resume"):
        expect(helper.client.post(f"/pools/{pool}/{step}"), 200)
    expect(helper.client.post(f"/pools/{pool}/resolve", json={"payouts": [0.5, 0.5]}), 200)
    # Repeating it moves nothing.
    expect(helper.client.post(f"/pools/{pool}/resolve", json={"payouts": [0.5, 0.5]}), 200)
    other = service.event()
    expect(helper.client.post(f"/events/{other['id']}/cancel"), 200)

    found = [entry for entry in entries(service, 6) if entry["id"] > newest["id"]][::-1]

    assert {entry["who"] for entry in found} == {f"user:{helper.id}"}
    assert [(entry["action"], entry["target"], entry["details"]) for entry in found] == [
        ("event.publish", f"event:{event['id']}", {}),
        ("pool.pause", f"pool:{pool}", {}),
        ("pool.resume", f"pool:{pool}", {}),
        ("pool.resolve", f"pool:{pool}", {"payouts": [0.5, 0.5]}),
        ("event.cancel", f"event:{other['id']}", {}),
    ]


def test_what_was_refused_or_replayed_is_no_deed(service: Service) -> None:
    person = service.user()
    body, headers = {"amount_kopecks": 5, "note": ""}, {"Idempotency-Key": secrets.token_hex(8)}
    path = f"/admin/users/{person.id}/credit"
    expect(service.admin.post(path, json=body, headers=headers), 201)
    (newest,) = entries(service, 1)

    expect(service.admin.post(path, json=body, headers=headers), 201)
    expect(service.admin.post(path, json={"amount_kopecks": -6, "note": ""}), 409)

    assert entries(service, 1) == [newest]
