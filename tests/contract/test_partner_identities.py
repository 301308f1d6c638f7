"""Decisions, "Partner": how partners name their users, what they see of each other's, and the keys they call with."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.partner_orders import a_market, balances, bet, sell, state
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

INSTEAD = (
    "interface: Partner endpoints authenticate with the header X-Partner-Key: <PARTNER_KEY> instead of a user token."
)
KEY = "decisions: a bad, missing or revoked key: 401 `INVALID_PARTNER_KEY`."
IDS = [
    "a",
    "x" * 128,
    "Ж" * 128,
    "🙂" * 128,
    "a/b/c",
    "a b",
    "%2F",
    "ünï",
    "e\u0301",
    "\u00e9",
    ".",
    "..",
    "a?b#c",
    "+",
    "\u00a0",
]


@proves(
    "decisions: `external_user_id`: 1–128 characters after decoding, percent-encoded `/` allowed, no control "
    "characters: else 400 `INVALID_EXTERNAL_USER_ID`.",
    "interface: | external_user_id | string | partner's own user identifier, echoed from the path |",
    "decisions: Normalised to NFC, else stored as written (`external_user_id` is never touched)",
    "interface: - Path: external_user_id, string, required; URL-encoded partner-side user identifier.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("user", IDS, ids=range(len(IDS)))
def test_any_text_without_control_characters_names_a_user(service: Service, user: str) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    # Dots alone would vanish from a path before it is sent; percent-encoded twice-safe they stay.
    encoded = quote(user, safe="").replace(".", "%2E")
    placed = expect(bet(partner, user, market, 100), 201)

    shown = expect(partner.client.get(f"/partner/users/{encoded}"), 200)
    assert (shown["external_user_id"], shown["exists"], shown["user_id"]) == (user, True, placed["user_id"])
    others = [expect(bet(partner, other, market, 1), 201)["user_id"] for other in IDS[:3] if other != user]
    assert placed["user_id"] not in others


@proves("decisions: Normalised to NFC, else stored as written (`external_user_id` is never touched)")
def test_two_spellings_of_one_letter_are_two_users(service: Service) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    users = ["e\u0301", "\u00e9", "E\u0301", " \u00e9"]

    assert len({expect(bet(partner, user, market, 100), 201)["user_id"] for user in users}) == 4


@proves("decisions: percent-encoded `/` allowed, no control characters: else 400 `INVALID_EXTERNAL_USER_ID`.")
@ONCE
@pytest.mark.parametrize("user", ["", "x" * 129, "a\nb", "a\x00", "\x7f", "\x85", "\t"], ids=range(7))
def test_a_bad_external_user_id_is_refused(service: Service, user: str) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    encoded = quote(user, safe="")
    code = "BAD_REQUEST" if "\x00" in user else "INVALID_EXTERNAL_USER_ID"

    refused(bet(partner, user, market, 100), 400, code)
    refused(sell(partner, user, market), 400, code)
    if user:
        refused(partner.client.get(f"/partner/users/{encoded}"), 400, "INVALID_EXTERNAL_USER_ID")
        withdrawal = partner.client.post(f"/partner/users/{encoded}/withdraw", json={"amount_kopecks": 1})
        refused(withdrawal, 400, "INVALID_EXTERNAL_USER_ID")
    for broken in ("%FF", "%ED%A0%80", "%C3", "%zz", "a%", "%2"):
        refused(partner.client.get(f"/partner/users/{broken}"), 400, "INVALID_EXTERNAL_USER_ID")


@proves("decisions: A partner sees only its own sub-accounts")
def test_partners_share_nothing(service: Service) -> None:
    market = a_market(service)
    one, other = service.partner(float_kopecks=1_000), service.partner(float_kopecks=1_000)
    first = expect(bet(one, "same", market, 100), 201)

    assert state(other, "same")["exists"] is False
    second = expect(bet(other, "same", market, 200), 201)
    assert first["user_id"] != second["user_id"]
    assert balances(one) == (900, 0)
    assert balances(other) == (800, 0)
    assert {
        row["external_user_id"] for row in expect(other.client.get("/partner/transactions"), 200)["transactions"]
    } == {
        *(None, "same"),
    }
    refused(sell(other, "same", market, shares=first["shares"] + second["shares"]), 409, "INSUFFICIENT_SHARES")


@proves("decisions: user and admin endpoints know none (404 `user_not_found`)")
def test_sub_accounts_are_no_users(service: Service) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    user_id = expect(bet(partner, "a", market, 100), 201)["user_id"]

    for client in (service.client(), service.admin):
        refused(client.get(f"/users/{user_id}/pnl/chart"), 404, "user_not_found")
    refused(service.admin.patch(f"/admin/users/{user_id}", json={"is_admin": True}), 404, "user_not_found")
    credit = {"amount_kopecks": 100, "note": ""}
    refused(service.admin.post(f"/admin/users/{user_id}/credit", json=credit), 404, "user_not_found")
    shown = expect(service.admin.get("/admin/users?limit=100"), 200)["users"]
    assert user_id not in {user["id"] for user in shown}


@proves(
    KEY, "decisions: shown once when issued", "decisions: stored hashed, revocable at once, two live keys allowed for"
)
def test_a_revoked_key_is_refused_at_once(service: Service) -> None:
    partner = service.partner(float_kopecks=1_000)
    path = f"/admin/partners/{partner.name}/keys"
    (first,) = expect(service.admin.get(path), 200)["keys"]
    second = expect(service.admin.post(path), 201)
    other = service.client(partner_key=second["key"])
    expect(other.get("/partner/balance"), 200)
    expect(service.admin.delete(f"{path}/{first['id']}"), 200)

    refused(partner.client.get("/partner/balance"), 401, "INVALID_PARTNER_KEY")
    refused(bet(partner, "a", a_market(service), 100), 401, "INVALID_PARTNER_KEY")
    expect(other.get("/partner/balance"), 200)


@proves(KEY)
@ONCE
@pytest.mark.parametrize("key", ["", "nonsense", "\xff\xfe", "x" * 5_000])
def test_a_bad_key_is_refused(service: Service, key: str) -> None:
    answer = service.client().get("/partner/balance", headers={b"X-Partner-Key": key.encode("latin-1")})

    refused(answer, 401, "INVALID_PARTNER_KEY")
    refused(service.user().client.get("/partner/balance"), 401, "INVALID_PARTNER_KEY")


@proves(INSTEAD)
@ONCE
def test_a_key_of_a_partner_opens_no_users_endpoint(service: Service) -> None:
    partner = service.partner()

    refused(partner.client.get("/users/me"), 401, "unauthorized")
    refused(partner.client.get("/market/positions"), 401, "unauthorized")
