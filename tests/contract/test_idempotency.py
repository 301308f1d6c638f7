"""Decisions, "Idempotency"."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.cluster import CLUSTER_MARKS
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import PartnerAccount, Service, expect, refused

JSON = {"Content-Type": "application/json"}
SAME = "decisions: The same again: the first answer, status included, with `Idempotency-Replayed: true`"
OTHER = "decisions: other path or body: 422 `idempotency_key_reused`."
FORM = (
    "decisions: takes an optional `Idempotency-Key` (1–255 visible ASCII characters, else 400 "
    "`invalid_idempotency_key`)"
)
# On PostgreSQL, two servers with two workers each.
at_four_processes = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("cluster", marks=CLUSTER_MARKS)], indirect=True
)
DAY_MS = 24 * 60 * 60 * 1000


def key(name: str) -> dict[str, str]:
    return {"Idempotency-Key": name}


@pytest.fixture(scope="module")
def market_id(service: Service) -> int:
    return int(service.event()["pools"][0]["markets"][0]["id"])


def replayed(answer: httpx.Response, first: httpx.Response) -> None:
    assert answer.status_code == first.status_code
    assert answer.content == first.content
    assert answer.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers


@proves(SAME)
def test_a_bet_sent_twice_is_one_bet(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    first = person.client.post("/market/bets", json=order, headers=key("bet"))
    expect(first, 201)

    for _ in range(3):
        replayed(person.client.post("/market/bets", json=order, headers=key("bet")), first)
    assert balance(person) == 900
    assert len(expect(person.client.get("/market/positions"), 200)["positions"]) == 1


@proves("decisions: covering method, decoded path and body (compared as JSON values)")
@ONCE
def test_a_body_is_compared_as_json(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    first = person.client.post("/market/bets", json=order, headers=key("json"))
    expect(first, 201)
    rewritten = [
        json.dumps(dict(reversed(order.items())), indent=4),
        f' {{"amount_kopecks": 100 , "token\\u005ftype": "Y\\u0045S", "market_id": {market_id}}}\n',
    ]
    for body in rewritten:
        replayed(person.client.post("/market/bets", content=body, headers={**JSON, **key("json")}), first)
    answer = person.client.post("/market/bets", json={**order, "min_shares": None}, headers=key("json"))
    refused(answer, 422, "idempotency_key_reused")


@proves(OTHER)
def test_a_key_for_another_request_is_refused(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    expect(person.client.post("/market/bets", json=order, headers=key("other")), 201)

    for changed in ({"amount_kopecks": 101}, {"token_type": "NO"}, {"min_shares": 1}, {"market_id": 999_999_999}):
        answer = person.client.post("/market/bets", json=order | changed, headers=key("other"))
        refused(answer, 422, "idempotency_key_reused")
    sale = {"market_id": market_id, "token_type": "YES"}
    answer = person.client.post("/market/positions/sell", json=sale, headers=key("other"))
    refused(answer, 422, "idempotency_key_reused")
    assert balance(person) == 900


@proves("decisions: scoped to its caller (a user; a partner, whichever of its keys)")
def test_a_key_is_its_callers_own(service: Service, market_id: int) -> None:
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    for person in (service.user(balance_kopecks=100), service.user(balance_kopecks=100)):
        answer = person.client.post("/market/bets", json=order, headers=key("shared"))
        expect(answer, 201)
        assert "Idempotency-Replayed" not in answer.headers
    partner = service.partner(float_kopecks=1_000)
    of_partner = {"external_user_id": "a", "market_id": market_id, "side": "yes", "stake_kopecks": 100}
    first = partner.client.post("/partner/bets", json=of_partner, headers=key("shared"))
    expect(first, 201)
    second_key = expect(service.admin.post(f"/admin/partners/{partner.name}/keys"), 201)["key"]
    again = service.client(partner_key=second_key).post("/partner/bets", json=of_partner, headers=key("shared"))
    replayed(again, first)
    changed = of_partner | {"external_user_id": "b"}
    answer = partner.client.post("/partner/bets", json=changed, headers=key("shared"))
    refused(answer, 422, "IDEMPOTENCY_KEY_REUSED")


@proves("decisions: Only a 2xx consumes a key; a 4xx never does")
def test_a_refused_request_does_not_consume_the_key(service: Service, market_id: int) -> None:
    person = service.user()
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}

    refused(person.client.post("/market/bets", json={}, headers=key("late")), 400, "bad_request")
    refused(person.client.post("/market/bets", json=order, headers=key("late")), 409, "insufficient_funds")
    missing = order | {"market_id": 999_999_999}
    refused(person.client.post("/market/bets", json=missing, headers=key("late")), 404, "market_not_found")
    service.credit(person.id, 100)
    first = person.client.post("/market/bets", json=order, headers=key("late"))
    expect(first, 201)
    replayed(person.client.post("/market/bets", json=order, headers=key("late")), first)
    assert balance(person) == 0


@proves(FORM)
@ONCE
@pytest.mark.parametrize("bad", [b"", b"x" * 256, b"a b", b"a\tb", b"\x7f", "ключ".encode(), b"\xff", b"a\x01"])
def test_a_key_has_1_to_255_visible_ascii_characters(service: Service, market_id: int, bad: bytes) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    answer = person.client.post("/market/bets", json=order, headers={b"Idempotency-Key": bad})

    # With control characters in a header it is no HTTP, and no further step looks.
    refused(answer, 400, "bad_request" if bad in {b"\x7f", b"a\x01"} else "invalid_idempotency_key")
    assert balance(person) == 1_000


@ONCE
def test_two_keys_in_one_request_are_none(service: Service, market_id: int) -> None:
    trader = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}

    answer = trader.client.post(
        "/market/bets", json=order, headers=[("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    )

    refused(answer, 400, "invalid_idempotency_key")


@proves(FORM)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("good", ["x", "x" * 255, "!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"\\"])
def test_any_visible_characters_make_a_key(service: Service, market_id: int, good: str) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    first = person.client.post("/market/bets", json=order, headers=key(good))
    expect(first, 201)

    replayed(person.client.post("/market/bets", json=order, headers=key(good)), first)


Action = Callable[[Service], tuple[httpx.Client, str, dict[str, Any]]]


def a_sale(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    person = service.user(balance_kopecks=1_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    expect(person.client.post("/market/bets", json=order), 201)
    return person.client, "/market/positions/sell", {"market_id": market, "token_type": "YES", "shares": 100}


def partner_with_a_bettor(service: Service) -> tuple[PartnerAccount, int]:
    partner = service.partner(float_kopecks=10_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    bet = {"external_user_id": "a/b", "market_id": market, "side": "yes", "stake_kopecks": 1_000}
    expect(partner.client.post("/partner/bets", json=bet), 201)
    return partner, market


def a_partners_bet(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    partner, market = partner_with_a_bettor(service)
    bet = {"external_user_id": "new", "market_id": market, "side": "no", "stake_kopecks": 500}
    return partner.client, "/partner/bets", bet


def a_partners_sale(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    partner, market = partner_with_a_bettor(service)
    sale = {"external_user_id": "a/b", "market_id": market, "side": "yes", "shares": 200}
    return partner.client, "/partner/positions/sell", sale


def a_withdrawal(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    client, path, sale = a_partners_sale(service)
    expect(client.post(path, json=sale), 201)
    return client, "/partner/users/a%2Fb/withdraw", {"amount_kopecks": 10}


def a_credit(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    person = service.user()
    return service.admin, f"/admin/users/{person.id}/credit", {"amount_kopecks": 100, "note": "twice?"}


def a_deposit(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    return service.admin, f"/admin/partners/{service.partner().name}/deposit", {"amount_kopecks": 100}


def a_payout(service: Service) -> tuple[httpx.Client, str, dict[str, Any]]:
    partner = service.partner(float_kopecks=1_000)
    return service.admin, f"/admin/partners/{partner.name}/payout", {"amount_kopecks": 100}


@proves("decisions: Every POST that moves money takes an optional `Idempotency-Key`", SAME, OTHER)
@pytest.mark.parametrize(
    "action", [a_sale, a_partners_bet, a_partners_sale, a_withdrawal, a_credit, a_deposit, a_payout]
)
def test_every_post_that_moves_money_takes_a_key(service: Service, action: Action) -> None:
    client, path, body = action(service)
    name = f"every-{action.__name__}-{path}"
    first = client.post(path, json=body, headers=key(name))
    assert first.status_code in {200, 201}, first.text

    again = client.post(path, json=body, headers=key(name))
    replayed(again, first)
    amount = next(each for each in ("shares", "stake_kopecks", "amount_kopecks") if each in body)
    answer = client.post(path, json=body | {amount: body[amount] + 1}, headers=key(name))
    assert answer.status_code == 422, answer.text
    fresh = client.post(path, json=body, headers=key(name + "-2"))
    assert fresh.status_code == first.status_code
    assert "Idempotency-Replayed" not in fresh.headers
    assert fresh.content != first.content


@proves("decisions: covering method, decoded path and body (compared as JSON values)")
@ONCE
def test_a_path_is_compared_decoded(service: Service) -> None:
    client, path, body = a_withdrawal(service)
    first = client.post(path, json=body, headers=key("path"))
    expect(first, 200)

    replayed(client.post(path.replace("a%2Fb", "%61%2fb"), json=body, headers=key("path")), first)
    refused(client.post("/partner/users/a/withdraw", json=body, headers=key("path")), 422, "IDEMPOTENCY_KEY_REUSED")


@proves(
    "decisions: Publishing, cancelling and resolving take none (done twice, they move nothing); other endpoints ignore "
    "the header.",
)
@ONCE
def test_endpoints_that_move_no_money_ignore_the_header(service: Service) -> None:
    event = service.event(publish=False)
    client, bad = service.creator.client, key("with space")
    pool_id = event["pools"][0]["id"]

    expect(client.post(f"/events/{event['id']}/publish", headers=bad), 200)
    expect(client.post(f"/pools/{pool_id}/pause", headers=bad), 200)
    expect(client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}, headers=bad), 200)
    again = client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}, headers=bad)
    expect(again, 200)
    assert "Idempotency-Replayed" not in again.headers
    expect(client.get("/users/me", headers=bad), 200)


@proves(SAME)
def test_the_first_answer_comes_again_whatever_happened_since(service: Service) -> None:
    event = service.event()
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    first = person.client.post("/market/bets", json=order, headers=key("since"))
    expect(first, 201)

    expect(service.creator.client.post(f"/pools/{pool_id}/pause"), 200)
    replayed(person.client.post("/market/bets", json=order, headers=key("since")), first)
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    replayed(person.client.post("/market/bets", json=order, headers=key("since")), first)
    elsewhere = service.client(token=service.sign_in(person.email, person.password))
    replayed(elsewhere.post("/market/bets", json=order, headers=key("since")), first)


@proves("decisions: Keys never expire and are stored in the transaction that moves the money.")
@ONCE
def test_keys_never_expire(fresh_service: Service) -> None:
    market = fresh_service.event()["pools"][0]["markets"][0]["id"]
    person = fresh_service.user(balance_kopecks=1_000)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    first = person.client.post("/market/bets", json=order, headers=key("old"))
    expect(first, 201)

    fresh_service.clock.advance(4_000 * DAY_MS)
    fresh_service.restart()
    client = fresh_service.client(token=fresh_service.sign_in(person.email, person.password))
    replayed(client.post("/market/bets", json=order, headers=key("old")), first)


@proves(
    "decisions: a copy that arrives while the first is under way waits and gets that too, or is tried itself where the "
    "first was refused",
)
@at_four_processes
def test_fifty_copies_at_the_same_moment_are_one_bet_and_fifty_equal_answers(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market_id, "token_type": "NO", "amount_kopecks": 100}
    shot = ("POST", "/market/bets", {"json": order, "headers": key("fifty")})
    answers = service.together([shot] * 50, tokens=[person.token])

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    assert balance(person) == 900


@proves("decisions: a copy that arrives while the first is under way waits and gets that too")
@at_four_processes
def test_fifty_copies_of_a_credit_at_the_same_moment_are_one_credit(service: Service) -> None:
    person = service.user()
    body = {"amount_kopecks": 100, "note": "once"}
    shot = ("POST", f"/admin/users/{person.id}/credit", {"json": body, "headers": key(f"credit-{person.id}")})
    admin = service.admin.headers["Authorization"].removeprefix("Bearer ")
    answers = service.together([shot] * 50, tokens=[admin])

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert balance(person) == 100


@proves("decisions: or is tried itself where the first was refused")
def test_copies_of_refused_requests_are_each_refused_and_spend_nothing(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=50)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    shot = ("POST", "/market/bets", {"json": order, "headers": key("poor")})
    for answer in service.together([shot] * 20, tokens=[person.token]):
        refused(answer, 409, "insufficient_funds")

    service.credit(person.id, 50)
    expect(person.client.post("/market/bets", json=order, headers=key("poor")), 201)


@proves(OTHER)
@at_four_processes
def test_different_orders_racing_under_one_key_are_one_bet(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=10_000)
    order = {"market_id": market_id, "token_type": "YES"}
    shots = [
        ("POST", "/market/bets", {"json": {**order, "amount_kopecks": 100 + number}, "headers": key("race")})
        for number in range(20)
    ]
    answers = service.together(shots, tokens=[person.token])

    assert sorted(answer.status_code for answer in answers) == [201] + [422] * 19
    won = next(answer for answer in answers if answer.status_code == 201)
    assert balance(person) == 10_000 - won.json()["amount_kopecks"]
