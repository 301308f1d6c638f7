"""The partner's endpoints over HTTP, except orders and quotes."""

from __future__ import annotations

import itertools
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, Shot, expect, refused

ZEROS: dict[str, Any] = {
    "exists": False,
    "user_id": None,
    "balance_kopecks": 0,
    "held_kopecks": 0,
    "open_positions_kopecks": 0,
    "positions": [],
}


def market_id(service: Service, **pool_fields: Any) -> int:
    return int(service.event(**pool_fields)["pools"][0]["markets"][0]["id"])


def bet(partner: PartnerAccount, external_user_id: str, market: int, stake_kopecks: int, side: str = "yes") -> Any:
    body = {"external_user_id": external_user_id, "market_id": market, "side": side, "stake_kopecks": stake_kopecks}
    return expect(partner.client.post("/partner/bets", json=body), 201)


def sell(partner: PartnerAccount, external_user_id: str, market: int, side: str = "yes") -> Any:
    body = {"external_user_id": external_user_id, "market_id": market, "side": side}
    return expect(partner.client.post("/partner/positions/sell", json=body), 201)


def user(partner: PartnerAccount, external_user_id: str) -> Any:
    return expect(partner.client.get(f"/partner/users/{quote(external_user_id, safe='')}"), 200)


def transactions(partner: PartnerAccount, limit: int = 100) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        turned = {} if cursor is None else {"cursor": cursor}
        page = expect(partner.client.get("/partner/transactions", params={"limit": limit, **turned}), 200)
        assert page.keys() == {"transactions", "next_cursor", "has_more"}
        found += page["transactions"]
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
        if cursor is None:
            return found


@proves("decisions: a bad, missing or revoked key: 401 `INVALID_PARTNER_KEY`")
def test_partner_endpoints_want_a_partners_key(service: Service) -> None:
    person = service.user()
    for client in (
        service.client(),
        service.client(partner_key="fkp_" + "0" * 64),
        service.client(partner_key="fkp_"),
        person.client,
    ):
        for path in ("/partner/balance", "/partner/transactions", "/partner/users/u", "/partner/users/a%0Ab"):
            refused(client.get(path), 401, "INVALID_PARTNER_KEY")
            refused(client.get(path, headers=[(b"X-Partner-Key", b"fkp_\xff")]), 401, "INVALID_PARTNER_KEY")
        refused(client.post("/partner/users/u/withdraw", json={}), 401, "INVALID_PARTNER_KEY")


@proves("decisions: `exists: false` answers zeros and an empty list, and `user_id` null.")
def test_a_user_who_never_bet_does_not_exist(service: Service) -> None:
    assert user(service.partner(), "unknown") == {"external_user_id": "unknown", **ZEROS}


@proves(
    "decisions: `external_user_id`: 1–128 characters after decoding, percent-encoded `/` allowed, no control characters"
)
def test_a_users_name_may_hold_anything_but_control_characters(service: Service) -> None:
    partner = service.partner()
    for name in ("a/b", "Ё" * 128, "e\u0301", "50%", "a b", "?", "…"):
        assert user(partner, name)["external_user_id"] == name
    for raw in ("x" * 129, "a%00b", "a%0Ab", "%7F", "%C2%85", "%FF", "a%80"):
        refused(partner.client.get(f"/partner/users/{raw}"), 400, "INVALID_EXTERNAL_USER_ID")
        withdrawal = partner.client.post(f"/partner/users/{raw}/withdraw", content="no JSON")
        refused(withdrawal, 400, "INVALID_EXTERNAL_USER_ID")


def test_a_users_state_tells_balance_and_positions(service: Service) -> None:
    partner, market = service.partner(10_000), market_id(service)
    first = bet(partner, "u/1", market, 3_000)
    other = bet(partner, "u/1", market, 500, "no")

    state = user(partner, "u/1")

    assert state.keys() == {"external_user_id", *ZEROS}
    assert (state["external_user_id"], state["exists"], state["user_id"]) == ("u/1", True, first["user_id"])
    assert state["balance_kopecks"] == 0
    price = other["probability_after"]
    assert state["positions"] == [
        {
            "market_id": market,
            "side": side,
            "shares": receipt["shares"],
            "reserved_shares": 0,
            "avg_price_bps": receipt["avg_price_bps"],
            "value_kopecks": int(receipt["shares"] * probability),
            "decided_kopecks": None,
        }
        for side, receipt, probability in (("yes", first, price), ("no", other, 1 - price))
    ]
    assert state["open_positions_kopecks"] == sum(position["value_kopecks"] for position in state["positions"])


@proves(
    "decisions: A partner sees only its own sub-accounts; user and admin endpoints know none (404 `user_not_found`)."
)
def test_a_partner_sees_its_own_users_only(service: Service) -> None:
    partner, other = service.partner(1_000), service.partner(1_000)
    sub_account_id = bet(partner, "u", market_id(service), 1_000)["user_id"]

    assert user(other, "u") == {"external_user_id": "u", **ZEROS}
    refused(other.client.post("/partner/users/u/withdraw", json={"amount_kopecks": 1}), 409, "INSUFFICIENT_BALANCE")
    assert transactions(other)[0]["type"] == "deposit"
    body = {"amount_kopecks": 1, "note": ""}
    refused(service.admin.post(f"/admin/users/{sub_account_id}/credit", json=body), 404, "user_not_found")
    refused(service.admin.patch(f"/admin/users/{sub_account_id}", json={}), 404, "user_not_found")
    page = expect(service.admin.get("/admin/users", params={"limit": 100}), 200)
    assert sub_account_id not in [one["id"] for one in page["users"]]


def test_the_balance_is_the_float_and_what_all_users_hold(service: Service) -> None:
    partner, market = service.partner(10_000), market_id(service)
    bet(partner, "u", market, 3_000)
    sold = sell(partner, "u", market)
    bet(partner, "v", market, 1_000)

    balance = expect(partner.client.get("/partner/balance"), 200)

    assert balance == {
        "partner": partner.name,
        "float_balance_kopecks": 6_000,
        "users_balance_kopecks": sold["payout_kopecks"],
        "held_kopecks": 0,
        "total_kopecks": 6_000 + sold["payout_kopecks"],
    }


def test_a_withdrawal_brings_money_back_to_the_float(service: Service) -> None:
    partner, market = service.partner(10_000), market_id(service)
    bet(partner, "u/1", market, 3_000)
    held = sell(partner, "u/1", market)["payout_kopecks"]

    done = expect(partner.client.post("/partner/users/u%2F1/withdraw", json={"amount_kopecks": 1_000}), 200)

    assert done == {
        "external_user_id": "u/1",
        "amount_kopecks": 1_000,
        "balance_kopecks": held - 1_000,
        "float_balance_kopecks": 8_000,
    }
    body = {"amount_kopecks": held - 999}
    over = refused(partner.client.post("/partner/users/u%2F1/withdraw", json=body), 409, "INSUFFICIENT_BALANCE")
    assert over["details"] == {"required": held - 999, "available": held - 1_000}
    assert user(partner, "u/1")["balance_kopecks"] == held - 1_000


@ONCE
@pytest.mark.parametrize("amount", [0, -1, 1.0, "1", True, None, 9 * 10**15 + 1])
def test_a_withdrawal_wants_an_amount(service: Service, amount: object) -> None:
    answer = service.partner().client.post("/partner/users/u/withdraw", json={"amount_kopecks": amount})
    refused(answer, 400, "BAD_REQUEST")


def test_a_withdrawal_under_one_key_is_made_once(service: Service) -> None:
    partner, market = service.partner(10_000), market_id(service)
    bet(partner, "u", market, 3_000)
    sell(partner, "u", market)
    headers = {"Idempotency-Key": "withdraw-1"}

    def withdraw(amount_kopecks: int) -> Any:
        body = {"amount_kopecks": amount_kopecks}
        return partner.client.post("/partner/users/u/withdraw", json=body, headers=headers)

    # An error stores no key.
    refused(withdraw(10_000), 409, "INSUFFICIENT_BALANCE")
    first, again = withdraw(100), withdraw(100)

    assert expect(first, 200) == expect(again, 200)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    refused(withdraw(101), 422, "IDEMPOTENCY_KEY_REUSED")
    assert [row["type"] for row in transactions(partner)].count("withdrawal") == 1
    # With either of the partner's keys.
    second = expect(service.admin.post(f"/admin/partners/{partner.name}/keys"), 201)["key"]
    rotated = service.client(partner_key=second)
    answer = rotated.post("/partner/users/u/withdraw", json={"amount_kopecks": 100}, headers=headers)
    assert answer.headers["idempotency-replayed"] == "true"


@proves("decisions: from the first row on the changes add up to the balances")
def test_the_transactions_of_a_day_add_up_to_the_balances(service: Service) -> None:
    partner = service.partner(10_000)
    event = service.event()
    pool = event["pools"][0]
    market = pool["markets"][0]["id"]
    won = bet(partner, "winner", market, 2_000)
    lost = bet(partner, "loser", market, 1_000, "no")
    sold = sell(partner, "winner", market)
    partly = bet(partner, "winner", market, 2_500)
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)
    expect(partner.client.post("/partner/users/winner/withdraw", json={"amount_kopecks": 10}), 200)
    expect(service.admin.post(f"/admin/partners/{partner.name}/payout", json={"amount_kopecks": 500}), 201)

    rows = transactions(partner, limit=3)

    assert [(row["type"], row["external_user_id"]) for row in rows if row["type"] != "settlement"] == [
        ("payout", None),
        ("withdrawal", "winner"),
        ("bet", "winner"),
        ("sale", "winner"),
        ("bet", "loser"),
        ("bet", "winner"),
        ("deposit", None),
    ]
    by_type = {row["type"]: row for row in rows}
    assert by_type["sale"].keys() == {
        "id",
        "type",
        "external_user_id",
        "market_id",
        "side",
        "shares",
        "bet_id",
        "sale_id",
        "float_change_kopecks",
        "balance_change_kopecks",
        "order_id",
        "basket_id",
        "created_at",
    }
    assert (by_type["sale"]["sale_id"], by_type["sale"]["bet_id"]) == (sold["sale_id"], None)
    assert by_type["sale"]["balance_change_kopecks"] == sold["payout_kopecks"]
    bets = {row["bet_id"]: row for row in rows if row["type"] == "bet"}
    assert bets.keys() == {won["bet_id"], lost["bet_id"], partly["bet_id"]}
    from_float = 2_500 - sold["payout_kopecks"]
    changes = [bets[partly["bet_id"]][f"{account}_change_kopecks"] for account in ("float", "balance")]
    assert changes == [-from_float, from_float - 2_500]
    settled = {row["external_user_id"]: row for row in rows if row["type"] == "settlement"}
    assert settled["loser"]["balance_change_kopecks"] == 0
    assert settled["winner"]["balance_change_kopecks"] == partly["shares"]
    assert settled["winner"]["market_id"] == market
    assert (settled["winner"]["bet_id"], settled["winner"]["sale_id"]) == (None, None)
    balance = expect(partner.client.get("/partner/balance"), 200)
    assert sum(row["float_change_kopecks"] for row in rows) == balance["float_balance_kopecks"]
    assert sum(row["balance_change_kopecks"] for row in rows) == balance["users_balance_kopecks"]
    held = sum(user(partner, name)["balance_kopecks"] for name in ("winner", "loser"))
    assert held == balance["users_balance_kopecks"]


def test_transactions_come_in_pages_whatever_happens_meanwhile(service: Service) -> None:
    partner = service.partner()

    def deposit(amount_kopecks: int) -> None:
        body = {"amount_kopecks": amount_kopecks}
        expect(service.admin.post(f"/admin/partners/{partner.name}/deposit", json=body), 201)

    for amount_kopecks in range(1, 6):
        deposit(amount_kopecks)
    seen: list[int] = []
    cursor: dict[str, Any] = {}
    for turned in itertools.count(6):
        page = expect(partner.client.get("/partner/transactions", params={"limit": 2, **cursor}), 200)
        seen += [row["float_change_kopecks"] for row in page["transactions"]]
        if not page["has_more"]:
            break
        deposit(turned)
        cursor = {"cursor": page["next_cursor"]}

    assert seen == [5, 4, 3, 2, 1]


def test_a_cursor_is_good_for_its_partner_and_list_only(service: Service) -> None:
    partner, other = service.partner(1), service.partner(1)
    for one in (partner, other):
        expect(service.admin.post(f"/admin/partners/{one.name}/deposit", json={"amount_kopecks": 1}), 201)
    page = expect(partner.client.get("/partner/transactions", params={"limit": 1}), 200)
    cursor = page["next_cursor"]

    assert len(expect(partner.client.get("/partner/transactions", params={"cursor": cursor}), 200)["transactions"]) == 1
    for wrong in (cursor + "A", cursor[:-1], "", "x"):
        refused(partner.client.get("/partner/transactions", params={"cursor": wrong}), 400, "INVALID_CURSOR")
    refused(other.client.get("/partner/transactions", params={"cursor": cursor}), 400, "INVALID_CURSOR")
    refused(service.admin.get("/admin/partners", params={"cursor": cursor}), 400, "invalid_cursor")
    for limit in ("0", "101", "x", "1.0", "-1", "01"):
        refused(partner.client.get("/partner/transactions", params={"limit": limit}), 400, "INVALID_LIMIT")


def test_whatever_happens_at_the_same_moment_adds_up(fresh_service: Service) -> None:
    service = fresh_service
    partner, admin = service.partner(100_000), {"Authorization": service.admin.headers["Authorization"]}
    key = {"X-Partner-Key": partner.key}
    pools = [service.event()["pools"][0] for _ in range(2)]
    markets = [pool["markets"][0]["id"] for pool in pools]
    for name, market in itertools.product("abc", markets):
        bet(partner, name, market, 1_000)
        bet(partner, name, market, 500, "no")
        sell(partner, name, market, "no")
    shots: list[Shot] = []
    for number in range(4):
        for name, market in itertools.product("abc", markets):
            order = {"external_user_id": name, "market_id": market, "side": "yes"}
            shots.append(("POST", "/partner/bets", {"json": {**order, "stake_kopecks": 100 + number}, "headers": key}))
            shots.append(("POST", "/partner/positions/sell", {"json": {**order, "shares": 50}, "headers": key}))
        for name in "abc":
            path = f"/partner/users/{name}/withdraw"
            shots.append(("POST", path, {"json": {"amount_kopecks": 7 + number}, "headers": key}))
        for move in ("deposit", "payout"):
            path = f"/admin/partners/{partner.name}/{move}"
            shots.append(("POST", path, {"json": {"amount_kopecks": 11 + number}, "headers": admin}))
    creator = {"Authorization": service.creator.client.headers["Authorization"]}
    resolve = (f"/pools/{pools[0]['id']}/resolve", {"json": {"won_side": 0}, "headers": creator})
    shots.insert(len(shots) // 2, ("POST", *resolve))

    answers = service.together(shots)

    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    assert sum(answer.status_code != 409 for answer in answers) > len(shots) // 2
    rows = transactions(partner)
    assert len({row["id"] for row in rows}) == len(rows)
    balance = expect(partner.client.get("/partner/balance"), 200)
    assert sum(row["float_change_kopecks"] for row in rows) == balance["float_balance_kopecks"]
    assert sum(row["balance_change_kopecks"] for row in rows) == balance["users_balance_kopecks"]
    assert sum(user(partner, name)["balance_kopecks"] for name in "abc") == balance["users_balance_kopecks"]
