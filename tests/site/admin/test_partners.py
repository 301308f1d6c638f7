"""Administration of partners over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until


def new_name() -> str:
    return f"Acme.{secrets.token_hex(6)}"


def test_a_partner_is_made_with_a_key_that_is_shown_once(service: Service) -> None:
    name = new_name()

    made = expect(service.admin.post("/admin/partners", json={"name": name}), 201)

    assert made.keys() == {"partner", "key_id", "key"}
    assert made["partner"] == name
    balance = expect(service.client(partner_key=made["key"]).get("/partner/balance"), 200)
    assert balance == {
        "partner": name,
        "float_balance_kopecks": 0,
        "users_balance_kopecks": 0,
        "held_kopecks": 0,
        "total_kopecks": 0,
    }
    listed = service.admin.get(f"/admin/partners/{name}/keys")
    assert [key["id"] for key in expect(listed, 200)["keys"]] == [made["key_id"]]
    assert made["key"] not in listed.text
    assert made["key"] not in service.admin.get("/admin/log").text


def test_a_partners_name_is_taken_in_any_case(service: Service) -> None:
    name = new_name()
    expect(service.admin.post("/admin/partners", json={"name": name}), 201)

    refused(service.admin.post("/admin/partners", json={"name": name}), 409, "name_taken")
    refused(service.admin.post("/admin/partners", json={"name": name.upper()}), 409, "name_taken")


@ONCE
@pytest.mark.parametrize("name", ["", "a b", "Ё", "x" * 65, "a\n", "a/b", 1, None])
def test_a_partners_name_has_letters_digits_dots_dashes_and_underscores(service: Service, name: object) -> None:
    refused(service.admin.post("/admin/partners", json={"name": name}), 400, "bad_request")


@proves("decisions: 409 `too_many_keys` over two; DELETE …/keys/{id} → 200 `{}`")
def test_keys_are_rotated_without_a_gap(service: Service) -> None:
    partner = service.partner()
    keys = f"/admin/partners/{partner.name}/keys"
    first_id = expect(service.admin.get(keys), 200)["keys"][0]["id"]

    second = expect(service.admin.post(keys), 201)

    assert second.keys() == {"id", "key"}
    refused(service.admin.post(keys), 409, "too_many_keys")
    switched = service.client(partner_key=second["key"])
    for client in (partner.client, switched):
        expect(client.get("/partner/balance"), 200)
    assert expect(service.admin.delete(f"{keys}/{first_id}"), 200) == {}
    refused(partner.client.get("/partner/balance"), 401, "INVALID_PARTNER_KEY")
    expect(switched.get("/partner/balance"), 200)
    assert [key["id"] for key in expect(service.admin.get(keys), 200)["keys"]] == [second["id"]]
    refused(service.admin.delete(f"{keys}/{first_id}"), 404, "key_not_found")
    expect(service.admin.post(keys), 201)


def test_keys_tell_when_they_were_used(service: Service) -> None:
    partner = service.partner()
    keys = f"/admin/partners/{partner.name}/keys"
    (unused,) = expect(service.admin.get(keys), 200)["keys"]
    assert unused.keys() == {"id", "created_at", "last_used_at"}
    assert unused["last_used_at"] is None

    expect(partner.client.get("/partner/balance"), 200)
    wait_until(lambda: expect(service.admin.get(keys), 200)["keys"][0]["last_used_at"])
    (used,) = expect(service.admin.get(keys), 200)["keys"]
    assert used["last_used_at"] >= used["created_at"]


def test_unknown_partners_and_keys_are_not_found(service: Service) -> None:
    mine, other = service.partner(), service.partner()
    others_key = expect(service.admin.get(f"/admin/partners/{other.name}/keys"), 200)["keys"][0]["id"]

    for name in ("unknown", "%00", "%FF", "a%2Fb", "x" * 200):
        paths = f"/admin/partners/{name}"
        refused(service.admin.get(f"{paths}/keys"), 404, "partner_not_found")
        refused(service.admin.post(f"{paths}/keys"), 404, "partner_not_found")
        refused(service.admin.delete(f"{paths}/keys/1"), 404, "partner_not_found")
        for move in ("deposit", "payout"):
            refused(service.admin.post(f"{paths}/{move}", json={"amount_kopecks": 1}), 404, "partner_not_found")
    refused(service.admin.delete(f"/admin/partners/{mine.name}/keys/{others_key}"), 404, "key_not_found")
    refused(service.admin.delete(f"/admin/partners/{mine.name}/keys/0"), 400, "invalid_key_id")


def test_money_goes_in_and_out_of_a_float(service: Service) -> None:
    partner = service.partner()
    path = f"/admin/partners/{partner.name}"

    assert expect(service.admin.post(f"{path}/deposit", json={"amount_kopecks": 500}), 201) == {
        "partner": partner.name,
        "amount_kopecks": 500,
        "float_balance_kopecks": 500,
    }
    assert expect(service.admin.post(f"{path}/payout", json={"amount_kopecks": 200}), 201) == {
        "partner": partner.name,
        "amount_kopecks": 200,
        "float_balance_kopecks": 300,
    }
    over = refused(service.admin.post(f"{path}/payout", json={"amount_kopecks": 301}), 409, "insufficient_funds")
    assert over["details"] == {"required": 301, "available": 300}
    most = {"amount_kopecks": 9 * 10**15}
    refused(service.admin.post(f"{path}/deposit", json=most), 409, "balance_limit")
    for amount in (0, -1, 9 * 10**15 + 1, 1.0, "1", True):
        refused(service.admin.post(f"{path}/deposit", json={"amount_kopecks": amount}), 400, "bad_request")


def test_a_deposit_under_one_key_is_made_once(service: Service) -> None:
    partner = service.partner()

    def deposit(amount_kopecks: int, move: str = "deposit") -> httpx.Response:
        body, headers = {"amount_kopecks": amount_kopecks}, {"Idempotency-Key": f"to {partner.name}".replace(" ", "-")}
        return service.admin.post(f"/admin/partners/{partner.name}/{move}", json=body, headers=headers)

    first, again = deposit(5), deposit(5)

    assert expect(first, 201) == expect(again, 201)
    assert again.headers["idempotency-replayed"] == "true"
    refused(deposit(6), 422, "idempotency_key_reused")
    refused(deposit(5, "payout"), 422, "idempotency_key_reused")
    assert expect(partner.client.get("/partner/balance"), 200)["float_balance_kopecks"] == 5


def test_partners_are_listed_newest_first_with_their_money(service: Service) -> None:
    older, newer = service.partner(700), service.partner(1_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"external_user_id": "u", "market_id": market, "side": "yes"}
    expect(newer.client.post("/partner/bets", json={**order, "stake_kopecks": 600}), 201)
    payout_kopecks = expect(newer.client.post("/partner/positions/sell", json=order), 201)["payout_kopecks"]

    first = expect(service.admin.get("/admin/partners", params={"limit": 1}), 200)
    second = expect(service.admin.get("/admin/partners", params={"limit": 1, "cursor": first["next_cursor"]}), 200)

    (row,) = first["partners"]
    assert row.pop("created_at").endswith("Z")
    assert row == {
        "partner": newer.name,
        "float_balance_kopecks": 400,
        "users_balance_kopecks": payout_kopecks,
    }
    assert second["partners"][0]["partner"] == older.name
    assert second["partners"][0]["float_balance_kopecks"] == 700


@ONCE
def test_only_admins_see_and_run_partners(service: Service) -> None:
    partner = service.partner()
    path = f"/admin/partners/{partner.name}"
    requests: list[tuple[str, str, Any]] = [
        ("GET", "/admin/partners", {}),
        ("POST", "/admin/partners", {"json": {"name": new_name()}}),
        ("GET", f"{path}/keys", {}),
        ("POST", f"{path}/keys", {}),
        ("DELETE", f"{path}/keys/1", {}),
        ("POST", f"{path}/deposit", {"json": {"amount_kopecks": 1}}),
        ("POST", f"{path}/payout", {"json": {"amount_kopecks": 1}}),
    ]
    everything_else = service.user(creator=True, operator=True, stats_viewer=True).client
    for method, target, rest in requests:
        refused(service.client().request(method, target, **rest), 401, "unauthorized")
        refused(everything_else.request(method, target, **rest), 403, "forbidden")
        refused(partner.client.request(method, target, **rest), 401, "unauthorized")
