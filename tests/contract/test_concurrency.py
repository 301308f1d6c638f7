"""Many at once: orders over one balance, orders racing a pause, a deadline, a resolution. Decisions, "Freshness"."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.support.cluster import CLUSTER_MARKS
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect, pool, refused

# On PostgreSQL the load is spread over two servers with two workers each.
pytestmark = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("cluster", marks=CLUSTER_MARKS)], indirect=True
)

STATES = "decisions: Prices, books, charts, volumes and states (paused, resolved, status): at once from the process"
AT_ONCE = "decisions: Balances, positions and refusals of orders: at once on every server."
#: Bets that are sent at the same moment, and how many of them a balance covers.
BETS, COVERED = length(short=(70, 26), long=(200, 73))
#: People who bet at once; bets that race a pause, a resolution or a cancellation; rounds on two servers in turn.
PEOPLE, RACING, ROUNDS = length(short=(20, 60, 2), long=(40, 120, 4))


def bet(market: int, stake: int = 100, side: str = "YES") -> Shot:
    return ("POST", "/market/bets", {"json": {"market_id": market, "token_type": side, "amount_kopecks": stake}})


def codes(answers: list[httpx.Response]) -> dict[str, int]:
    """Count the answers by code; `accepted` stands for 201."""
    found: dict[str, int] = {}
    for answer in answers:
        code = "accepted" if answer.status_code == 201 else answer.json()["error"]
        found[code] = found.get(code, 0) + 1
    return found


def token_of(client: httpx.Client) -> str:
    return str(client.headers["Authorization"]).removeprefix("Bearer ")


@LONG
@proves(AT_ONCE)
def test_of_many_bets_over_one_balance_as_many_succeed_as_it_covers(service: Service) -> None:
    markets = [service.event(pools=[pool(b=10**6)])["pools"][0]["markets"][0]["id"] for _ in range(3)]
    person = service.user(balance_kopecks=COVERED * 137 + 42)
    shots = list(itertools.islice(itertools.cycle([bet(market, 137) for market in markets]), BETS))
    answers = service.together(shots, tokens=[person.token])

    assert codes(answers) == {"accepted": COVERED, "insufficient_funds": BETS - COVERED}
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 42
    balances = sorted(answer.json()["balance_kopecks"] for answer in answers if answer.status_code == 201)
    assert balances == [42 + 137 * left for left in range(COVERED)]
    volumes = [expect(service.client().get(f"/markets/{market}"), 200)["volume"] for market in markets]
    assert sum(volumes) == COVERED * 137
    held = expect(person.client.get("/market/positions"), 200)["positions"]
    bought = sum(answer.json()["shares"] for answer in answers if answer.status_code == 201)
    assert sum(row["amount"] for row in held) == bought


@LONG
@proves(AT_ONCE)
def test_of_bets_of_many_users_over_one_float_as_many_succeed_as_it_covers(service: Service) -> None:
    market = service.event(pools=[pool(b=10**6)])["pools"][0]["markets"][0]["id"]
    partner = service.partner(float_kopecks=COVERED * 100 + 99)
    shots: list[Shot] = []
    for number in range(BETS):
        order = {"external_user_id": f"user {number}", "market_id": market, "side": "no", "stake_kopecks": 100}
        shots.append(("POST", "/partner/bets", {"json": order, "headers": {"X-Partner-Key": partner.key}}))
    answers = service.together(shots)

    assert codes(answers) == {"accepted": COVERED, "INSUFFICIENT_FLOAT": BETS - COVERED}
    shown = expect(partner.client.get("/partner/balance"), 200)
    assert (shown["float_balance_kopecks"], shown["users_balance_kopecks"]) == (99, 0)
    for number, answer in enumerate(answers[:20]):
        state = expect(partner.client.get(f"/partner/users/user%20{number}"), 200)
        assert state["exists"] is (answer.status_code == 201)


@proves("interface: it is created automatically on the user's first bet.")
def test_first_bets_of_one_user_at_once_make_one_sub_account(service: Service) -> None:
    markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(2)]
    partner = service.partner(float_kopecks=10_000)
    shots: list[Shot] = []
    for number in range(30):
        order = {"external_user_id": "one", "market_id": markets[number % 2], "side": "yes", "stake_kopecks": 100}
        shots.append(("POST", "/partner/bets", {"json": order, "headers": {"X-Partner-Key": partner.key}}))
    answers = service.together(shots)

    assert codes(answers) == {"accepted": 30}
    assert len({answer.json()["user_id"] for answer in answers}) == 1
    state = expect(partner.client.get("/partner/users/one"), 200)
    assert sum(row["shares"] for row in state["positions"]) == sum(answer.json()["shares"] for answer in answers)


@proves(AT_ONCE)
def test_shares_are_sold_once(service: Service) -> None:
    market = service.event(pools=[pool(b=10**6)])["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=100_000)
    shares = expect(person.client.post("/market/bets", json=bet(market, 100_000)[2]["json"]), 201)["shares"]
    sale = {"market_id": market, "token_type": "YES", "shares": shares // 10}
    answers = service.together([("POST", "/market/positions/sell", {"json": sale})] * 40, tokens=[person.token])

    assert codes(answers) == {"accepted": 10, "insufficient_shares": 30}
    paid = sum(answer.json()["payout_kopecks"] for answer in answers if answer.status_code == 201)
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == paid


@LONG
@proves(
    "decisions: `probability_before` and `_after`: the market's YES probability whichever side is traded, full double "
    "precision.",
)
def test_trades_of_many_people_on_one_market_follow_one_another(service: Service) -> None:
    market = service.event(pools=[pool(["A", "B"], b=20_000)])["pools"][0]["markets"][0]["id"]
    people = [service.user(balance_kopecks=1_000) for _ in range(PEOPLE)]
    shots = [bet(market, 100 + number, "YES" if number % 3 else "NO") for number in range(PEOPLE)]
    answers = service.together(shots, tokens=[person.token for person in people])

    assert codes(answers) == {"accepted": PEOPLE}
    trades = sorted((answer.json() for answer in answers), key=lambda trade: int(trade["id"]))
    price = 0.5
    for trade in trades:
        assert trade["probability_before"] == price
        price = trade["probability_after"]
    assert expect(service.client().get(f"/markets/{market}"), 200)["yes_probability"] == price


def race(service: Service, act: Callable[[dict[str, Any]], Shot], error: str) -> tuple[dict[str, Any], Any, int]:
    """Let bets race an action on their pool; none may be accepted after it. Returns event, answer, accepted stakes."""
    event = service.event(pools=[pool(["A", "B"], b=10**6)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    people = [service.user(balance_kopecks=5_000) for _ in range(4)]
    shots = [bet(markets[number % 2], 100 + number) for number in range(RACING)]
    tokens = [people[number % 4].token for number in range(RACING)]
    shots.insert(RACING // 2, act(event))
    tokens.insert(RACING // 2, service.creator.token)
    answers = service.together(shots, tokens=tokens)
    acted = expect(answers.pop(RACING // 2), 200)

    assert codes(answers).keys() <= {"accepted", error}
    stakes = sum(answer.json()["amount_kopecks"] for answer in answers if answer.status_code == 201)
    for market in markets:
        after = service.client(token=people[0].token).post("/market/bets", json=bet(market)[2]["json"])
        refused(after, 409, error)
    pools = acted.get("pools", [acted])
    # What was accepted is in the answer already: nothing came after it.
    assert sum(market["volume"] for market in pools[0]["markets"]) == stakes
    assert expect(service.client().get(f"/pools/{pools[0]['id']}"), 200)["markets"] == pools[0]["markets"]
    return event, acted, stakes


@LONG
@proves(STATES)
def test_no_bet_is_accepted_after_a_pause(service: Service) -> None:
    race(service, lambda event: ("POST", f"/pools/{event['pools'][0]['id']}/pause", {}), "market_paused")


@LONG
@proves(STATES)
def test_no_bet_is_accepted_after_a_resolution_and_every_one_before_is_settled(service: Service) -> None:
    def resolve(event: dict[str, Any]) -> Shot:
        return ("POST", f"/pools/{event['pools'][0]['id']}/resolve", {"json": {"won_side": 1}})

    race(service, resolve, "market_resolved")


@LONG
@proves(STATES)
def test_no_bet_is_accepted_after_a_cancellation(service: Service) -> None:
    race(service, lambda event: ("POST", f"/events/{event['id']}/cancel", {}), "market_resolved")


@proves("decisions: `active`: trading, per pool from `live_at` (included) to `finish_at` (excluded) where given.")
def test_no_bet_is_accepted_at_or_after_the_deadline(service: Service) -> None:
    person = service.user(balance_kopecks=10**6)
    # On a machine that has other things to do an event takes longer to be made.
    began = datetime.now(UTC)
    service.event()
    deadline = datetime.now(UTC) + max(timedelta(milliseconds=900), 10 * (datetime.now(UTC) - began))
    event = service.event(pools=[pool(b=10**6, finish_at=deadline.isoformat())])
    market = event["pools"][0]["markets"][0]["id"]
    finish_at = event["pools"][0]["finish_at"]
    answers: list[httpx.Response] = []
    while not answers or answers[-1].status_code == 201:
        answers += service.together([bet(market)] * 20, tokens=[person.token])
        assert len(answers) < 5_000

    assert codes(answers).keys() == {"accepted", "market_closed"}
    assert all(answer.json()["created_at"] < finish_at for answer in answers if answer.status_code == 201)
    assert datetime.now(UTC) >= deadline


@proves("decisions: cancelling what is resolved or cancelled", "decisions: publishing what is not `new`")
@pytest.mark.parametrize("action", ["publish", "cancel"])
def test_of_many_publications_or_cancellations_at_once_one_counts(service: Service, action: str) -> None:
    event = service.event(publish=False)
    answers = service.together([("POST", f"/events/{event['id']}/{action}", {})] * 15, tokens=[service.creator.token])

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 14
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"invalid_state"}


@proves("decisions: bounds the sum of one creator's open loss bounds")
def test_publications_at_once_stay_within_the_houses_limit(start_service: Callable[..., Service]) -> None:
    service = start_service(house_limit_kopecks=3 * 694)
    events = [service.event(publish=False, pools=[pool(b=1_000)]) for _ in range(12)]
    shots: list[Shot] = [("POST", f"/events/{event['id']}/publish", {}) for event in events]
    answers = service.together(shots, tokens=[service.creator.token])

    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [409] * 9
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"house_limit"}


@proves("decisions: 409 `email_taken`, `nickname_taken`")
def test_one_address_and_one_nickname_go_to_one_of_many(service: Service) -> None:
    mark = f"{time.time_ns():x}"

    def sign_up(email: str, nickname: str) -> Shot:
        body = {"email": email, "password": "correct horse", "name": "N", "nickname": nickname}
        return ("POST", "/auth/sign-up", {"json": body})

    same_email = [sign_up(f"{mark}@example.org", f"n{number}_{mark}") for number in range(8)]
    same_nickname = [sign_up(f"{number}.{mark}@example.org", f"same_{mark}") for number in range(8)]

    assert codes(service.together(same_email)) == {"accepted": 1, "email_taken": 7}
    assert codes(service.together(same_nickname)) == {"accepted": 1, "nickname_taken": 7}


@proves("decisions: two live keys allowed for rotation", "decisions: 409 `name_taken`")
def test_partners_and_keys_made_at_once_stay_within_their_bounds(service: Service) -> None:
    name = f"racing-{time.time_ns():x}"
    admin = [token_of(service.admin)]
    made = service.together([("POST", "/admin/partners", {"json": {"name": name}})] * 8, tokens=admin)
    assert codes(made) == {"accepted": 1, "name_taken": 7}

    issued = service.together([("POST", f"/admin/partners/{name}/keys", {})] * 8, tokens=admin)
    assert codes(issued) == {"accepted": 1, "too_many_keys": 7}
    assert len(expect(service.admin.get(f"/admin/partners/{name}/keys"), 200)["keys"]) == 2


@proves("decisions: over the balance 409 `insufficient_funds`.", AT_ONCE)
def test_money_is_taken_back_once(service: Service) -> None:
    person = service.user(balance_kopecks=1_000)
    body = {"amount_kopecks": -300, "note": "back"}
    shot: Shot = ("POST", f"/admin/users/{person.id}/credit", {"json": body})
    answers = service.together([shot] * 10, tokens=[token_of(service.admin)])

    assert codes(answers) == {"accepted": 3, "insufficient_funds": 7}
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 100


@proves("decisions: sub-account balance back to the float; 409 `INSUFFICIENT_BALANCE`")
def test_a_balance_is_withdrawn_once(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    partner = service.partner(float_kopecks=1_000)
    order = {"external_user_id": "a", "market_id": market, "side": "yes"}
    expect(partner.client.post("/partner/bets", json={**order, "stake_kopecks": 1_000}), 201)
    earned = expect(partner.client.post("/partner/positions/sell", json=order), 201)["payout_kopecks"]
    fields = {"json": {"amount_kopecks": earned // 2}, "headers": {"X-Partner-Key": partner.key}}
    answers = service.together([("POST", "/partner/users/a/withdraw", fields)] * 12)

    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [409] * 10
    assert expect(partner.client.get("/partner/balance"), 200)["float_balance_kopecks"] == earned // 2 * 2


@LONG
@proves(
    AT_ONCE,
    "decisions: Prices, books, charts, volumes and states (paused, resolved, status): at once from the process that "
    "made the change, within 1 s from every other.",
)
def test_two_servers_of_one_database_agree(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    event = one.event(pools=[pool(b=10**6)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = one.user(balance_kopecks=ROUNDS * 15 * 100)
    there = other.client(token=person.token)
    accepted = 0
    for _ in range(ROUNDS):
        accepted += codes(one.together([bet(market)] * 20, tokens=[person.token])).get("accepted", 0)
        accepted += codes(other.together([bet(market)] * 20, tokens=[person.token])).get("accepted", 0)

    assert accepted == ROUNDS * 15
    assert expect(there.get("/users/me"), 200)["balance_kopecks"] == 0
    assert len(expect(there.get("/market/positions"), 200)["positions"]) == 1
    expect(one.creator.client.post(f"/pools/{pool_id}/pause"), 200)
    refused(there.post("/market/bets", json=bet(market)[2]["json"]), 409, "market_paused")
    # What the other server has in memory is a second older from here on.
    other.clock.advance(1_000)
    assert expect(there.get(f"/pools/{pool_id}"), 200)["markets"][0]["paused"] is True
