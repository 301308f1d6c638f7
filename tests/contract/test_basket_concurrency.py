"""Baskets of several servers that meet in one pool, and each key once wherever it is sent."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.support.baskets import changes_body, markets_of, open_pool
from tests.support.cluster import CLUSTER_MARKS
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect

# On PostgreSQL the load is spread over two servers with two workers each.
pytestmark = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("cluster", marks=CLUSTER_MARKS)], indirect=True
)
PEOPLE = 4
RICH = 1_000_000


@proves("orders: A pool is one queue: its orders (bets, sales, baskets too) are decided one by one, each whole,")
def test_baskets_that_meet_in_a_pool_are_executed_one_by_one(service: Service) -> None:
    pools = [markets_of(open_pool(service, [0.2] * 5, b=20_000)) for _ in range(2)]
    people = [service.user(balance_kopecks=RICH) for _ in range(PEOPLE)]
    tokens = [person.token for person in people]
    chance = random.Random(5)
    bought = [
        ("POST", "/market/baskets", {"json": changes_body(dict.fromkeys(markets, 1_000))})
        for markets in pools
        for _ in people
    ]
    answers = service.together(bought, tokens=tokens)
    assert {answer.status_code for answer in answers} == {201}

    for _ in range(3):
        answers += service.together([_shot(chance, chance.choice(pools)) for _ in range(40)], tokens=tokens)
    assert {answer.status_code for answer in answers} == {201}, [answer.text for answer in answers]

    sold = dict.fromkeys([market for markets in pools for market in markets], 0)
    for answer in answers:
        placed = answer.json()
        for leg in placed.get("legs") or [placed]:
            sold[leg["market_id"]] += leg["shares"]
    for markets in pools:
        shown = [expect(service.client().get(f"/markets/{market}"), 200) for market in markets]
        assert {market["id"]: market["q_yes"] for market in shown} == {market: sold[market] for market in markets}
        assert sum(market["yes_probability"] for market in shown) == pytest.approx(1, abs=1e-12)
    spent = sum(
        -answer.json()["net_kopecks"] if "net_kopecks" in answer.json() else answer.json()["amount_kopecks"]
        for answer in answers
    )
    assert sum(map(balance, people)) == PEOPLE * RICH - spent


def _shot(chance: random.Random, markets: list[int]) -> Shot:
    kind = chance.choice(["bet", "stake", "swap"])
    some = chance.sample(markets, 2)
    body: dict[str, Any] = {"market_id": some[0], "token_type": "YES", "amount_kopecks": chance.randint(50, 900)}
    if kind == "bet":
        return "POST", "/market/bets", {"json": body}
    if kind == "stake":
        return "POST", "/market/baskets", {"json": {"market_ids": some, "amount_kopecks": chance.randint(50, 900)}}
    # Of 1,000 shares held no one sells more than 30 times 20.
    return "POST", "/market/baskets", {"json": changes_body({some[0]: -20, some[1]: chance.randint(1, 200)})}


def test_a_key_sent_to_all_servers_is_one_basket(service: Service) -> None:
    markets = markets_of(open_pool(service, [0.2] * 5))
    person = service.user(balance_kopecks=10_000)
    body = {"market_ids": markets[:2], "amount_kopecks": 500}
    shots: list[Shot] = [
        ("POST", "/market/baskets", {"json": body, "headers": {"Idempotency-Key": f"basket-{number % 3}"}})
        for number in range(24)
    ]
    answers = service.together(shots, tokens=[person.token])
    assert len({expect(answer, 201)["id"] for answer in answers}) == 3
    assert balance(person) == 10_000 - 3 * 500
