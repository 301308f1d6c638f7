"""Liquidity added at the same moment as bets and other additions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import pytest

from foreknow.money.pricing import Lmsr, Side
from tests.market.pools.additions import PRIORS, subsidies, three
from tests.support.cluster import CLUSTER_MARKS
from tests.support.service import Service, expect, pool

EVERYWHERE = pytest.mark.parametrize(
    "database_kind",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres), pytest.param("cluster", marks=CLUSTER_MARKS)],
    indirect=True,
)


@EVERYWHERE
def test_liquidity_added_while_bets_wait_is_priced_into_each_of_them_or_into_none(service: Service) -> None:
    """Each bet is priced wholly before or wholly after each addition, as the order of its trades says."""
    # So much that all bets together move the price by less than the additions allow.
    b = 500_000
    made = service.event(pools=[pool(b=b)])["pools"][0]
    market = made["markets"][0]
    ann = service.user(balance_kopecks=10**7)
    shots = []
    for number in range(60):
        body = {"market_id": market["id"], "token_type": "YES" if number % 2 else "NO", "amount_kopecks": 100 + number}
        shots.append(("POST", "/market/bets", {"json": body}))
        if number % 12 == 5:
            body = {"lmsr_b_kopecks": b + 1_000 * number, "probabilities": [0.5]}
            shots.append(("POST", f"/pools/{made['id']}/liquidity", {"json": body}))
    tokens = [ann.token if path == "/market/bets" else service.creator.token for _, path, _ in shots]
    answers = service.together(shots, tokens=tokens)

    made_bets = [answer.json() for answer in answers if answer.request.url.path.endswith("/bets")]
    bets = sorted(made_bets, key=lambda trade: int(trade["id"]))
    assert len(bets) == 60
    codes = Counter(answer.status_code for answer in answers if answer.request.url.path.endswith("/liquidity"))
    # Where a larger one came first, a smaller one is refused.
    assert set(codes) <= {200, 409}
    assert codes[200] >= 1
    # Signed in, as what anonymous callers see may be a second old on another server.
    steps = expect(service.creator.client.get(f"/pools/{made['id']}"), 200)["liquidity"][1:]
    assert len(steps) == codes[200]
    lmsr = Lmsr.of(b=b, weights=(1, 1), q_yes=(0,), q_no=(0,))
    for trade in [*bets, None]:
        while steps and lmsr.q_yes == tuple(steps[0]["q_yes"]) and lmsr.q_no == tuple(steps[0]["q_no"]):
            assert steps[0]["subsidy_kopecks"] == lmsr.subsidy_kopecks(steps[0]["b"])
            lmsr = lmsr.with_liquidity(steps.pop(0)["b"])
        if trade is not None:
            side = Side(trade["token_type"])
            assert trade["probability_before"] == lmsr.probability(0)
            assert trade["shares"] == lmsr.shares_bought(0, side, trade["amount_kopecks"])
            lmsr = lmsr.traded(0, side, trade["shares"])
    assert steps == []


@EVERYWHERE
def test_the_same_addition_at_once_is_paid_once(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    shot = ("POST", f"/pools/{made['id']}/liquidity", {"json": {"lmsr_b_kopecks": 3000, "probabilities": PRIORS}})
    answers = service.together([shot] * 15, tokens=[service.creator.token])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert subsidies(service, made["id"]) == [1610, math.ceil(2000 * math.log(5))]


def test_additions_at_once_stay_within_the_houses_limit(start_service: Callable[..., Service]) -> None:
    bound = math.ceil(1000 * math.log(2))
    service = start_service(house_limit_kopecks=9 * bound)
    event = service.event(pools=[pool(b=1000)] * 6)
    body = {"json": {"lmsr_b_kopecks": 2000, "probabilities": [0.5]}}
    shots = [("POST", f"/pools/{made['id']}/liquidity", body) for made in event["pools"]]
    answers = service.together(shots, tokens=[service.creator.token])
    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [409] * 3
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {"house_limit"}
