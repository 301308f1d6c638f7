"""Decisions, "Prices, rates, feed, administration": users, credits, partners and keys, the log, the statistics."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.sign_in import OWN_VIEW

CREDIT = (
    "decisions: POST /admin/users/{id}/credit `{amount_kopecks, note}` → 201 `{user_id, amount_kopecks, "
    "balance_kopecks}`: not 0; negative takes back, over the balance 409 `insufficient_funds`."
)
PARTNERS = (
    "decisions: POST /admin/partners `{name (1–64 of A–Z a–z 0–9 . _ -)}` → 201 `{partner, key_id, key}`, 409 "
    "`name_taken`"
)
KEYS = (
    "decisions: GET /admin/partners/{name}/keys → `{keys: [{id, created_at, last_used_at}]}`; POST …/keys → 201 `{id, "
    "key}`, 409 `too_many_keys` over two; DELETE …/keys/{id} → 200 `{}`"
)
MONEY = (
    "decisions: POST /admin/partners/{name}/deposit and …/payout (float in and out) `{amount_kopecks}` → 201 "
    "`{partner, amount_kopecks, float_balance_kopecks}`, 409 `insufficient_funds`"
)
LOG = (
    "decisions: Every admin action is logged for good: GET /admin/log, a page of `{id, who, action, target, details, "
    "created_at}`; people in it are ids (`user:17`), which clients show by name"
)


@proves(
    "decisions: StatsViewer: GET /admin/stats",
    "interface: | StatsViewer | user must have the is_stats_viewer role (admin endpoints) |",
)
@ONCE
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/admin/users"),
        ("PATCH", "/admin/users/7"),
        ("POST", "/admin/users/7/credit"),
        ("POST", "/admin/users/7/reset-link"),
        ("GET", "/admin/partners"),
        ("POST", "/admin/partners"),
        ("GET", "/admin/partners/acme/keys"),
        ("POST", "/admin/partners/acme/keys"),
        ("DELETE", "/admin/partners/acme/keys/7"),
        ("POST", "/admin/partners/acme/deposit"),
        ("POST", "/admin/partners/acme/payout"),
        ("GET", "/admin/log"),
        ("GET", "/admin/stats"),
    ],
)
def test_administration_is_for_those_with_the_role(service: Service, method: str, path: str) -> None:
    refused(service.client().request(method, path), 401, "unauthorized")
    others = service.user(creator=True, stats_viewer=path != "/admin/stats", operator=True)
    refused(others.client.request(method, path), 403, "forbidden")


@proves("decisions: Admin: GET /admin/users (a page of User)", "decisions: newest first unless said")
def test_admins_see_users_newest_first(service: Service) -> None:
    older, newer = service.user(), service.user()
    users = expect(service.admin.get("/admin/users?limit=2"), 200)["users"]

    assert [user["id"] for user in users] == [newer.id, older.id]
    assert users[0] == expect(newer.client.get("/users/me"), 200) | {"is_active": True}


@proves("decisions: PATCH /admin/users/{id} (the four roles, `is_active`) → 200 User, with `is_active` for admins")
def test_admins_give_and_take_the_four_roles(service: Service) -> None:
    person = service.user()
    roles = ("is_creator", "is_admin", "is_stats_viewer", "is_operator")
    for role in roles:
        shown = expect(service.admin.patch(f"/admin/users/{person.id}", json={role: True}), 200)
        assert shown.keys() == OWN_VIEW | {"is_active"}
        assert shown[role] is True
    shown = expect(service.admin.patch(f"/admin/users/{person.id}", json=dict.fromkeys(roles, False)), 200)
    assert not any(shown[role] for role in roles)
    refused(service.admin.patch("/admin/users/999999999", json={}), 404, "user_not_found")
    for bad in (
        {"is_creator": 1},
        {"is_creator": "true"},
        {"is_active": 1},
        {"is_owner": True},
        {"name": ""},
        {"balance_kopecks": 5},
    ):
        refused(service.admin.patch(f"/admin/users/{person.id}", json=bad), 400, "bad_request")


@proves(CREDIT, "decisions: notes 0–500")
def test_admins_credit_and_take_back(service: Service) -> None:
    person = service.user()
    path = f"/admin/users/{person.id}/credit"
    note = "Ж" * 500

    credited = expect(service.admin.post(path, json={"amount_kopecks": 700, "note": note}), 201)
    assert credited == {"user_id": person.id, "amount_kopecks": 700, "balance_kopecks": 700}
    taken = expect(service.admin.post(path, json={"amount_kopecks": -200, "note": ""}), 201)
    assert taken == {"user_id": person.id, "amount_kopecks": -200, "balance_kopecks": 500}
    refused(service.admin.post(path, json={"amount_kopecks": -501, "note": ""}), 409, "insufficient_funds")
    for bad in ({"amount_kopecks": 0}, {"amount_kopecks": "5"}, {"amount_kopecks": 5, "note": "x" * 501}, {"note": ""}):
        refused(service.admin.post(path, json={"note": ""} | bad), 400, "bad_request")
    missing = {"amount_kopecks": 5, "note": ""}
    refused(service.admin.post("/admin/users/999999999/credit", json=missing), 404, "user_not_found")
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 500


@proves(PARTNERS, "decisions: Key: shown once when issued (`foreknow partner add NAME`, or POST /admin/partners)")
def test_admins_make_partners(service: Service) -> None:
    name = f"Acme.{uuid.uuid4().hex[:8]}_-"
    made = expect(service.admin.post("/admin/partners", json={"name": name}), 201)

    assert made.keys() == {"partner", "key_id", "key"}
    assert made["partner"] == name
    expect(service.client(partner_key=made["key"]).get("/partner/balance"), 200)
    refused(service.admin.post("/admin/partners", json={"name": name}), 409, "name_taken")
    for bad in ("", " ", "a b", "x" * 65, "Ж", "a/b", "a\n", 7, None):
        refused(service.admin.post("/admin/partners", json={"name": bad}), 400, "bad_request")
    longest = uuid.uuid4().hex * 2
    assert expect(service.admin.post("/admin/partners", json={"name": longest}), 201)["partner"] == longest


@proves(
    "decisions: GET /admin/partners: a page of `{partner, float_balance_kopecks, users_balance_kopecks, created_at}`",
)
def test_admins_see_partners(service: Service) -> None:
    partner = service.partner(float_kopecks=1_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"external_user_id": "a", "market_id": market, "side": "yes", "stake_kopecks": 400}
    expect(partner.client.post("/partner/bets", json=order), 201)
    sale = {"external_user_id": "a", "market_id": market, "side": "yes"}
    earned = expect(partner.client.post("/partner/positions/sell", json=sale), 201)["payout_kopecks"]
    (shown,) = expect(service.admin.get("/admin/partners?limit=1"), 200)["partners"]

    balances = {"float_balance_kopecks": 600, "users_balance_kopecks": earned}
    assert shown == {"partner": partner.name, **balances, "created_at": shown["created_at"]}


@proves(KEYS, "decisions: stored hashed, revocable at once, two live keys allowed for rotation")
def test_admins_issue_list_and_revoke_keys(service: Service) -> None:
    partner = service.partner()
    path = f"/admin/partners/{partner.name}/keys"
    (first,) = expect(service.admin.get(path), 200)["keys"]
    assert first.keys() == {"id", "created_at", "last_used_at"}

    second = expect(service.admin.post(path), 201)
    assert second.keys() == {"id", "key"}
    assert second["key"] != partner.key
    refused(service.admin.post(path), 409, "too_many_keys")
    listed = expect(service.admin.get(path), 200)
    assert {key["id"] for key in listed["keys"]} == {first["id"], second["id"]}
    assert partner.key not in str(listed)
    assert expect(service.admin.delete(f"{path}/{first['id']}"), 200) == {}
    refused(service.admin.delete(f"{path}/{first['id']}"), 404, "key_not_found")
    refused(service.admin.delete(f"{path}/999999999"), 404, "key_not_found")
    assert [key["id"] for key in expect(service.admin.get(path), 200)["keys"]] == [second["id"]]
    expect(service.admin.post(path), 201)
    other = service.partner()
    refused(service.admin.delete(f"/admin/partners/{other.name}/keys/{second['id']}"), 404, "key_not_found")


@proves(MONEY, "decisions: 404 `partner_not_found`, `key_not_found`, `session_not_found`")
def test_admins_move_float_in_and_out(service: Service) -> None:
    partner = service.partner()
    path = f"/admin/partners/{partner.name}"

    assert expect(service.admin.post(f"{path}/deposit", json={"amount_kopecks": 900}), 201) == {
        "partner": partner.name,
        "amount_kopecks": 900,
        "float_balance_kopecks": 900,
    }
    assert expect(service.admin.post(f"{path}/payout", json={"amount_kopecks": 300}), 201) == {
        "partner": partner.name,
        "amount_kopecks": 300,
        "float_balance_kopecks": 600,
    }
    refused(service.admin.post(f"{path}/payout", json={"amount_kopecks": 601}), 409, "insufficient_funds")
    refused(service.admin.post(f"{path}/deposit", json={"amount_kopecks": 9 * 10**15}), 409, "balance_limit")
    for kind in ("deposit", "payout"):
        for bad in (0, -1, "5", 1.5, 9 * 10**15 + 1, None):
            refused(service.admin.post(f"{path}/{kind}", json={"amount_kopecks": bad}), 400, "bad_request")
        missing = service.admin.post(f"/admin/partners/unknown/{kind}", json={"amount_kopecks": 1})
        refused(missing, 404, "partner_not_found")
    refused(service.admin.get("/admin/partners/unknown/keys"), 404, "partner_not_found")
    refused(service.admin.post("/admin/partners/unknown/keys"), 404, "partner_not_found")
    refused(service.admin.delete("/admin/partners/unknown/keys/7"), 404, "partner_not_found")


@proves(LOG)
def test_every_admin_action_is_logged(service: Service) -> None:
    admin = service.user(admin=True)
    person = service.user()
    name = f"logged-{uuid.uuid4().hex[:8]}"
    path = f"/admin/partners/{name}"
    expect(admin.client.patch(f"/admin/users/{person.id}", json={"is_creator": True}), 200)
    expect(admin.client.post(f"/admin/users/{person.id}/credit", json={"amount_kopecks": 321, "note": "gift"}), 201)
    made = expect(admin.client.post("/admin/partners", json={"name": name}), 201)
    issued = expect(admin.client.post(f"{path}/keys"), 201)
    expect(admin.client.delete(f"{path}/keys/{issued['id']}"), 200)
    expect(admin.client.post(f"{path}/deposit", json={"amount_kopecks": 500}), 201)
    expect(admin.client.post(f"{path}/payout", json={"amount_kopecks": 200}), 201)
    refused(admin.client.post(f"{path}/payout", json={"amount_kopecks": 999}), 409, "insufficient_funds")
    entries = expect(service.admin.get("/admin/log?limit=7"), 200)["entries"]

    assert all(entry.keys() == {"id", "who", "action", "target", "details", "created_at"} for entry in entries)
    assert {entry["who"] for entry in entries} == {f"user:{admin.id}"}
    assert [entry["id"] for entry in entries] == sorted((entry["id"] for entry in entries), reverse=True)
    assert len({entry["action"] for entry in entries}) == 7
    payout, deposit, *_, credit, roles = entries
    assert (payout["details"]["amount_kopecks"], deposit["details"]["amount_kopecks"]) == (200, 500)
    assert (credit["details"]["amount_kopecks"], credit["details"]["note"]) == (321, "gift")
    assert roles["details"]["is_creator"] is True
    assert name in payout["target"]
    for secret in (made["key"], issued["key"], admin.token, admin.password):
        assert secret not in str(entries)


@proves(LOG)
def test_an_idempotent_replay_is_logged_once(service: Service) -> None:
    person = service.user()
    before = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]["id"]
    body = {"amount_kopecks": 5, "note": "once"}
    for _ in range(3):
        headers = {"Idempotency-Key": f"logged-{person.id}"}
        expect(service.admin.post(f"/admin/users/{person.id}/credit", json=body, headers=headers), 201)

    entries = expect(service.admin.get("/admin/log?limit=10"), 200)["entries"]
    assert len([entry for entry in entries if entry["id"] > before]) == 1


def figures(client: httpx.Client) -> dict[str, Any]:
    stats: dict[str, Any] = expect(client.get("/admin/stats"), 200)
    return stats


@proves(
    "decisions: StatsViewer: GET /admin/stats → `{total: {users, active_traders, volume_kopecks, fees_kopecks, "
    "open_interest_kopecks, house_result_kopecks}, days: [{date, …the same}]}`",
    "decisions: `house_result`: fees plus, for every settled pool, what came back from escrow less what the house paid "
    "in",
    "decisions: `open_interest`: shares held in unsettled pools",
    "decisions: Escrow left after settlement returns to the house.",
    "decisions: `active_traders`: users and sub-accounts that traded; `users`: neither sub-accounts nor deleted ones",
)
def test_the_statistics_count_what_happened(start_service: Callable[..., Service]) -> None:
    service = start_service(begins_midweek=True)
    viewer = service.user(stats_viewer=True)
    trader, _idle = service.user(balance_kopecks=10_000), service.user()
    partner = service.partner(float_kopecks=10_000)
    event = service.event(pools=[{"margin": 0.1, "metadata": {"lmsr_b_kopecks": 1_000}}, {"name": "Other"}])
    settled, unsettled = ((each["id"], each["markets"][0]["id"]) for each in event["pools"])

    def bet(market: int, side: str, stake: int) -> int:
        order = {"market_id": market, "token_type": side, "amount_kopecks": stake}
        return int(expect(trader.client.post("/market/bets", json=order), 201)["shares"])

    first = bet(settled[1], "YES", 1_000)
    open_shares = bet(unsettled[1], "NO", 500)
    order = {"external_user_id": "a", "market_id": unsettled[1], "side": "yes", "stake_kopecks": 250}
    open_shares += expect(partner.client.post("/partner/bets", json=order), 201)["shares"]
    sale = {"market_id": settled[1], "token_type": "YES", "shares": 300}
    sold = expect(trader.client.post("/market/positions/sell", json=sale), 201)["payout_kopecks"]
    expect(service.creator.client.post(f"/pools/{settled[0]}/resolve", json={"won_side": 0}), 200)
    stats = figures(viewer.client)

    assert stats.keys() == {"total", "days"}
    # The admin, the creator, the viewer and the two: the sub-account is no user, but it traded.
    assert stats["total"] == {
        "users": 5,
        "active_traders": 2,
        "volume_kopecks": 1_000 + 500 + 250 + sold,
        "fees_kopecks": 100,
        "open_interest_kopecks": open_shares,
        "house_result_kopecks": 1_000 - sold - (first - 300),
        "grants_kopecks": 0,
    }
    today = stats["days"][0]
    assert today == {"date": iso(service.clock())[:10], **stats["total"]}
    expect(service.admin.post(f"/admin/users/{trader.id}/delete"), 200)
    after = figures(viewer.client)
    assert (after["total"]["users"], after["days"][0]["users"]) == (4, 4)
    assert after["total"]["active_traders"] == 2


@proves("decisions: the last active admin stays one (409 `invalid_state`)")
@ONCE
def test_the_last_active_admin_stays_one(start_service: Callable[..., Service]) -> None:
    service = start_service()
    own, other = expect(service.admin.get("/users/me"), 200)["id"], service.user(admin=True)
    path = f"/admin/users/{own}"

    expect(service.admin.patch(f"/admin/users/{other.id}", json={"is_active": False}), 200)
    for change in ({"is_admin": False}, {"is_active": False}, {"is_admin": False, "is_operator": True}):
        refused(service.admin.patch(path, json=change), 409, "invalid_state")
    assert expect(service.admin.patch(path, json={"is_admin": True, "is_operator": True}), 200)["is_operator"] is True
    expect(service.admin.patch(f"/admin/users/{other.id}", json={"is_active": True}), 200)
    assert expect(service.admin.patch(path, json={"is_admin": False}), 200)["is_admin"] is False


@proves("decisions: `days`: UTC days, newest first (open interest at the day's end).")
def test_the_days_of_the_statistics_are_newest_first(fresh_service: Service) -> None:
    service = fresh_service
    day_ms = 24 * 60 * 60 * 1_000
    market = service.event(pools=[{"margin": 0.1}])["pools"][0]["markets"][0]["id"]
    trader = service.user(balance_kopecks=10_000, stats_viewer=True)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    first = expect(trader.client.post("/market/bets", json=order), 201)["shares"]
    service.clock.advance(day_ms)
    client = service.client(token=service.sign_in(trader.email, trader.password))
    second = expect(client.post("/market/bets", json=order), 201)["shares"]
    stats = figures(client)

    assert [day["date"] for day in stats["days"]] == sorted({day["date"] for day in stats["days"]}, reverse=True)
    traded = [day for day in stats["days"] if day["volume_kopecks"]]
    assert [day["open_interest_kopecks"] for day in traded] == [first + second, first]
    assert [day["fees_kopecks"] for day in traded] == [100, 100]
    assert stats["total"]["fees_kopecks"] == 200
    assert stats["total"]["volume_kopecks"] == 2_000
