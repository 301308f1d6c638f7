"""Decisions, "Partner": orders, money, quotes. Interface, "Partner user state", "Partner balance", their endpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.book import Book, bps
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.partner_orders import a_market, balances, bet, sell, state
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

BET = (
    'decisions: POST /partner/bets | `{external_user_id, market_id, side: "yes"|"no", stake_kopecks, min_shares?, '
    "max_price_bps?}` → 201 `{bet_id, external_user_id, user_id, market_id, side, stake_kopecks, fee_kopecks, shares, "
    "avg_price_bps, probability_before, probability_after, balance_kopecks, float_balance_kopecks, created_at}`"
)
SALE = (
    "decisions: POST /partner/positions/sell | `{external_user_id, market_id, side, shares?, min_payout_kopecks?}` → "
    "201 `{sale_id, external_user_id, user_id, market_id, side, shares, payout_kopecks, avg_price_bps, pnl, "
    "probability_before, probability_after, balance_kopecks, float_balance_kopecks, created_at}`"
)
FUNDING = (
    "decisions: Funding: the sub-account's balance first, the rest from the float; where the float does not cover the "
    "rest: 409 `INSUFFICIENT_FLOAT`, nothing moves, and no sub-account is created."
)
STATE = "interface: - 200: Partner user state."
INSTEAD = (
    "interface: Partner endpoints authenticate with the header X-Partner-Key: <PARTNER_KEY> instead of a user token."
)


@proves(BET, INSTEAD)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("side", ["yes", "no"])
def test_a_partners_bet_answers_with_all_that_it_did(service: Service, side: str) -> None:
    market = a_market(service, probabilities=[0.4], b=9_000, margin=0.02)
    book = Book(b=9_000, probabilities=[0.4], margin=0.02)
    partner = service.partner(float_kopecks=5_000)
    placed = expect(bet(partner, "customer 1", market, 1_111, side=side), 201)
    shares = book.buy(0, side, 1_111)

    assert placed == {
        "bet_id": placed["bet_id"],
        "external_user_id": "customer 1",
        "user_id": placed["user_id"],
        "market_id": market,
        "side": side,
        "stake_kopecks": 1_111,
        "fee_kopecks": 23,
        "shares": shares,
        "avg_price_bps": bps(1_111, shares),
        "probability_before": pytest.approx(0.4, abs=1e-14),
        "probability_after": pytest.approx(book.probability(0), abs=1e-14),
        "capped": False,
        "balance_kopecks": 0,
        "float_balance_kopecks": 5_000 - 1_111,
        "created_at": placed["created_at"],
    }


@proves(SALE, "decisions: the payout, like a settlement's, stays on the sub-account")
def test_a_partners_sale_answers_with_all_that_it_did(service: Service) -> None:
    market = a_market(service, b=9_000)
    book = Book(b=9_000, probabilities=[0.5])
    partner = service.partner(float_kopecks=5_000)
    placed = expect(bet(partner, "a", market, 2_001, side="no"), 201)
    assert placed["shares"] == book.buy(0, "no", 2_001)
    sold = expect(sell(partner, "a", market, side="no", shares=1_500), 201)
    payout = book.sell(0, "no", 1_500)

    assert sold == {
        "sale_id": sold["sale_id"],
        "external_user_id": "a",
        "user_id": placed["user_id"],
        "market_id": market,
        "side": "no",
        "shares": 1_500,
        "payout_kopecks": payout,
        "avg_price_bps": bps(payout, 1_500),
        "pnl": payout - 2_001 * 1_500 // placed["shares"],
        "probability_before": placed["probability_after"],
        "probability_after": pytest.approx(book.probability(0), abs=1e-14),
        "capped": False,
        "balance_kopecks": payout,
        "float_balance_kopecks": 2_999,
        "created_at": sold["created_at"],
    }
    rest = expect(sell(partner, "a", market, side="no"), 201)
    assert rest["shares"] == placed["shares"] - 1_500
    assert rest["balance_kopecks"] == payout + rest["payout_kopecks"]
    assert balances(partner) == (2_999, rest["balance_kopecks"])


@proves(
    FUNDING,
    "interface: Each bet stake is funded from the float balance; when it does not cover the stake, Place Bet returns "
    "INSUFFICIENT_FLOAT.",
    "interface: the named partner code INSUFFICIENT_FLOAT belongs to Place Bet.",
    "interface: which stay on the sub-account and can fund further bets |",
)
def test_a_stake_comes_from_the_sub_account_first_and_then_from_the_float(service: Service) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    expect(bet(partner, "a", market, 1_000), 201)
    earned = expect(sell(partner, "a", market), 201)["payout_kopecks"]
    assert balances(partner) == (0, earned)

    refused(bet(partner, "a", market, earned + 1), 409, "INSUFFICIENT_FLOAT")
    refused(bet(partner, "b", market, 1), 409, "INSUFFICIENT_FLOAT")
    assert balances(partner) == (0, earned)
    expect(service.admin.post(f"/admin/partners/{partner.name}/deposit", json={"amount_kopecks": 50}), 201)
    placed = expect(bet(partner, "a", market, earned + 20), 201)
    assert (placed["balance_kopecks"], placed["float_balance_kopecks"]) == (0, 30)


@proves(
    FUNDING,
    STATE,
    "decisions: `exists: false` answers zeros and an empty list, and `user_id` null.",
    "interface: When exists is false, the user has never bet and no sub-account exists; it is created automatically on "
    "the user's first bet.",
)
def test_a_user_exists_from_the_first_accepted_bet_on(service: Service) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=100)
    unknown = {
        "external_user_id": "new/user",
        "exists": False,
        "user_id": None,
        "balance_kopecks": 0,
        "held_kopecks": 0,
        "open_positions_kopecks": 0,
        "positions": [],
    }
    assert state(partner, "new/user") == unknown

    refused(bet(partner, "new/user", market, 101), 409, "INSUFFICIENT_FLOAT")
    refused(bet(partner, "new/user", market, 100, min_shares=10**9), 409, "SLIPPAGE")
    refused(sell(partner, "new/user", market), 409, "INSUFFICIENT_SHARES")
    assert state(partner, "new/user") == unknown
    placed = expect(bet(partner, "new/user", market, 100), 201)
    shown = state(partner, "new/user")
    assert (shown["exists"], shown["user_id"]) == (True, placed["user_id"])


@proves(
    STATE,
    "interface: | open_positions_kopecks | int | current value of all open positions |",
    "interface: | positions[].side | string | yes or no |",
    "interface: | positions[].avg_price_bps | int | average entry price, basis points |",
    "interface: | positions[].value_kopecks | int | current value, kopecks |",
    "interface: | balance_kopecks | int | sub-account balance; includes sell payouts, which stay on the sub-account",
)
def test_a_users_state_shows_balance_and_positions(service: Service) -> None:
    first, second = a_market(service, b=5_000), a_market(service, b=5_000)
    books = {first: Book(b=5_000, probabilities=[0.5]), second: Book(b=5_000, probabilities=[0.5])}
    partner = service.partner(float_kopecks=10_000)
    held: dict[tuple[int, str], list[int]] = {}
    for market, side, stake in ((first, "yes", 500), (first, "no", 300), (second, "no", 700), (first, "yes", 100)):
        shares = expect(bet(partner, "a", market, stake, side=side), 201)["shares"]
        assert shares == books[market].buy(0, side, stake)
        both = held.setdefault((market, side), [0, 0])
        both[0] += shares
        both[1] += stake
    sold = expect(sell(partner, "a", second, side="no", shares=200), 201)
    books[second].sell(0, "no", 200)
    shares, cost = held[second, "no"]
    held[second, "no"] = [shares - 200, cost - cost * 200 // shares]
    shown = state(partner, "a")

    values = {key: books[key[0]].worth(0, key[1], shares) for key, (shares, _) in held.items()}
    assert shown["balance_kopecks"] == sold["payout_kopecks"]
    assert shown["open_positions_kopecks"] == sum(values.values())
    found = {(row["market_id"], row["side"]): row for row in shown["positions"]}
    assert len(shown["positions"]) == 3
    for key, (shares, cost) in held.items():
        assert found[key] == {
            "market_id": key[0],
            "side": key[1],
            "shares": shares,
            "reserved_shares": 0,
            "avg_price_bps": bps(cost, shares),
            "value_kopecks": values[key],
            "decided_kopecks": None,
        }


@proves(
    "interface: partner (string, partner name), float_balance_kopecks (int, undistributed funds on the float account), "
    "users_balance_kopecks (int, combined balance of all user sub-accounts), total_kopecks (int, sum of the two).",
    "interface: - 200: Partner balance.",
    "interface: A sell payout stays on the user's sub-account and counts in users_balance_kopecks, not "
    "float_balance_kopecks.",
)
def test_a_partners_balance_counts_float_and_users(service: Service) -> None:
    partner = service.partner(float_kopecks=1_000)
    assert expect(partner.client.get("/partner/balance"), 200) == {
        "partner": partner.name,
        "float_balance_kopecks": 1_000,
        "users_balance_kopecks": 0,
        "total_kopecks": 1_000,
        "held_kopecks": 0,
    }
    market = a_market(service)
    earned = 0
    for user in ("a", "b"):
        expect(bet(partner, user, market, 400), 201)
        earned += expect(sell(partner, user, market), 201)["payout_kopecks"]
    assert balances(partner) == (200, earned)


@proves(
    "decisions: POST /partner/users/{external_user_id}/withdraw | `{amount_kopecks}` → 200 `{external_user_id, "
    "amount_kopecks, balance_kopecks, float_balance_kopecks}`: sub-account balance back to the float; 409 "
    "`INSUFFICIENT_BALANCE` (an unknown user too)",
)
def test_a_balance_is_withdrawn_to_the_float(service: Service) -> None:
    market = a_market(service)
    partner = service.partner(float_kopecks=1_000)
    expect(bet(partner, "a b/c", market, 1_000), 201)
    earned = expect(sell(partner, "a b/c", market), 201)["payout_kopecks"]
    path = "/partner/users/a%20b%2Fc/withdraw"

    refused(partner.client.post(path, json={"amount_kopecks": earned + 1}), 409, "INSUFFICIENT_BALANCE")
    for bad in (0, -1, "5", 1.0, None):
        refused(partner.client.post(path, json={"amount_kopecks": bad}), 400, "BAD_REQUEST")
    assert expect(partner.client.post(path, json={"amount_kopecks": 300}), 200) == {
        "external_user_id": "a b/c",
        "amount_kopecks": 300,
        "balance_kopecks": earned - 300,
        "float_balance_kopecks": 300,
    }
    answer = partner.client.post("/partner/users/unknown/withdraw", json={"amount_kopecks": 1})
    refused(answer, 409, "INSUFFICIENT_BALANCE")
    assert state(partner, "unknown")["exists"] is False
    assert balances(partner) == (300, earned - 300)


@proves(
    "decisions: GET /partner/transactions | a page of every movement of its money: `{id, type: "
    "bet|sale|settlement|deposit|payout|withdrawal, external_user_id, market_id, side, shares, bet_id, sale_id, "
    "float_change_kopecks, balance_change_kopecks, created_at}` (null where it does not apply; `side`, `shares`: of a "
    "bet or sale its own, of a settlement the position's); one row an order, one a settled position (of 0 where it "
    "lost); from the first row on the changes add up to the balances",
)
def test_the_transactions_list_every_movement(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    won, lost = (market["id"] for market in event["pools"][0]["markets"])
    partner = service.partner(float_kopecks=10_000)
    first = expect(bet(partner, "a", won, 1_000), 201)
    second = expect(bet(partner, "b", lost, 500), 201)
    sold = expect(sell(partner, "a", won, shares=600), 201)
    third = expect(bet(partner, "a", won, sold["payout_kopecks"] + 100), 201)
    refused(partner.client.post("/partner/users/b/withdraw", json={"amount_kopecks": 1}), 409, "INSUFFICIENT_BALANCE")
    expect(service.admin.post(f"/admin/partners/{partner.name}/payout", json={"amount_kopecks": 700}), 201)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    shares = first["shares"] - 600 + third["shares"]
    expect(partner.client.post("/partner/users/a/withdraw", json={"amount_kopecks": 50}), 200)
    rows = expect(partner.client.get("/partner/transactions"), 200)["transactions"]

    def row(kind: str, float_change: int, balance_change: int, **fields: Any) -> dict[str, Any]:
        names = ("external_user_id", "market_id", "side", "shares", "bet_id", "sale_id", "order_id", "basket_id")
        changes = {"float_change_kopecks": float_change, "balance_change_kopecks": balance_change}
        return {"type": kind, **dict.fromkeys(names), **changes, **fields}

    paid = sold["payout_kopecks"]
    listed = [{name: value for name, value in each.items() if name not in {"id", "created_at"}} for each in rows]
    of_a: dict[str, Any] = {"external_user_id": "a", "market_id": won, "side": "yes"}
    of_b: dict[str, Any] = {"external_user_id": "b", "market_id": lost, "side": "yes", "shares": second["shares"]}
    settled = [row("settlement", 0, shares, shares=shares, **of_a), row("settlement", 0, 0, **of_b)]
    assert listed[0] == row("withdrawal", 50, -50, external_user_id="a")
    assert sorted(listed[1:3], key=lambda each: str(each["external_user_id"])) == settled
    assert listed[3:] == [
        row("payout", -700, 0),
        row("bet", -100, -paid, bet_id=third["bet_id"], shares=third["shares"], **of_a),
        row("sale", 0, paid, sale_id=sold["sale_id"], shares=600, **of_a),
        row("bet", -500, 0, bet_id=second["bet_id"], **of_b),
        row("bet", -1_000, 0, bet_id=first["bet_id"], shares=first["shares"], **of_a),
        row("deposit", 10_000, 0),
    ]
    changes = [sum(each[f"{account}_change_kopecks"] for each in rows) for account in ("float", "balance")]
    assert tuple(changes) == balances(partner)
    assert [each["id"] for each in rows] == sorted((each["id"] for each in rows), reverse=True)


@proves(
    "decisions: GET /partner/quote | as /market/quote, `external_user_id?`, `side` for `token_type`, `stake_kopecks` "
    "for `amount_kopecks`, `avg_price_bps` for `avg_price`",
)
def test_a_partners_quote_is_what_the_order_would_get(service: Service) -> None:
    market = a_market(service, b=5_000, margin=0.02)
    partner = service.partner(float_kopecks=10_000)
    params: dict[str, int | str] = {"market_id": market, "side": "no"}
    quoted = expect(partner.client.get("/partner/quote", params={**params, "stake_kopecks": 999}), 200)
    placed = expect(bet(partner, "a", market, 999, side="no"), 201)
    assert quoted == {name: placed[name] for name in quoted}
    assert quoted.keys() == {
        *("market_id", "side", "shares", "stake_kopecks", "fee_kopecks", "avg_price_bps"),
        *("probability_before", "probability_after", "capped"),
    }
    # Of a user who is there, and of one who is not yet: neither changes what an order would get.
    for name in ("a", "stranger", "x" * 128):
        again = {**params, "shares": 500, "external_user_id": name}
        quoted = expect(partner.client.get("/partner/quote", params=again), 200)
    assert state(partner, "stranger")["exists"] is False
    for name in ("", "x" * 129, "a\n"):
        wrong = {**params, "shares": 500, "external_user_id": name}
        refused(partner.client.get("/partner/quote", params=wrong), 400, "INVALID_EXTERNAL_USER_ID")
    sold = expect(sell(partner, "a", market, side="no", shares=500), 201)
    assert (quoted["stake_kopecks"], quoted["fee_kopecks"]) == (sold["payout_kopecks"], 0)
    refused(partner.client.get("/partner/quote", params=params), 400, "BAD_REQUEST")
    refused(partner.client.get("/partner/quote", params={**params, "side": "NO", "shares": 1}), 400, "BAD_REQUEST")
    refused(partner.client.get("/partner/quote", params={**params, "market_id": 0, "shares": 9}), 400, "BAD_REQUEST")
    missing = {**params, "market_id": 999_999_999, "shares": 9}
    refused(partner.client.get("/partner/quote", params=missing), 404, "MARKET_NOT_FOUND")


@proves("decisions: Codes: the user codes in UPPER_SNAKE.", "decisions: Refusals, checked in this order")
@ONCE
def test_a_partners_orders_are_refused_like_users(service: Service) -> None:
    event = service.event(pools=[pool(), pool(), pool(live_at="2099-01-01T00:00:00Z")])
    (resolved_pool, resolved), (paused_pool, paused), (_, later) = (
        (each["id"], each["markets"][0]["id"]) for each in event["pools"]
    )
    expect(service.creator.client.post(f"/pools/{resolved_pool}/resolve", json={"void": True}), 200)
    expect(service.creator.client.post(f"/pools/{paused_pool}/pause"), 200)
    partner = service.partner()

    for market, status, code in (
        (999_999_999, 404, "MARKET_NOT_FOUND"),
        (resolved, 409, "MARKET_RESOLVED"),
        (later, 409, "MARKET_CLOSED"),
        (paused, 409, "MARKET_PAUSED"),
    ):
        refused(bet(partner, "a", market, 100, min_shares=10**9), status, code)
        refused(sell(partner, "a", market), status, code)
    expect(service.creator.client.post(f"/pools/{paused_pool}/resume"), 200)
    refused(bet(partner, "a", paused, 100, min_shares=10**9), 409, "SLIPPAGE")
    refused(bet(partner, "a", paused, 100), 409, "INSUFFICIENT_FLOAT")
    refused(sell(partner, "a", paused), 409, "INSUFFICIENT_SHARES")
