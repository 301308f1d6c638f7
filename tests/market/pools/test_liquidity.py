"""Liquidity added to pools that trade, over HTTP: prices and positions stay, the house pays, nothing else moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, iso
from foreknow.money.pricing import ADDITIONS_MAX, Lmsr, Side, prior_weights
from tests.market.pools.additions import PRIORS, bet, subsidies, three
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import add_liquidity as add
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

FRESH = Lmsr.of(b=1000, weights=prior_weights(PRIORS), q_yes=(0, 0, 0), q_no=(0, 0, 0))


@proves(
    "lifecycle: prices, values and positions stay.",
    "lifecycle: `{lmsr_b_kopecks, probabilities}` → 200 Pool;",
)
def test_the_contracts_example_comes_out_over_http(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    a, b, c = made["markets"]
    ann = service.user(balance_kopecks=10_000)
    bought = bet(ann, a, "YES", 500)
    assert bought["shares"] == 831
    before = expect(service.client().get(f"/pools/{made['id']}"), 200)
    held = expect(ann.client.get("/market/positions"), 200)["positions"]

    after = expect(add(service.creator.client, made["id"], 1700), 200)

    prices = [market["yes_probability"] for market in before["markets"]]
    assert [market["yes_probability"] for market in after["markets"]] == prices
    assert [market["b"] for market in after["markets"]] == [1700] * 3
    assert expect(ann.client.get("/market/positions"), 200)["positions"] == held
    assert subsidies(service, made["id"]) == [1610, 1477]
    assert bet(ann, b, "YES", 500)["shares"] == 1797
    assert bet(ann, c, "NO", 500)["shares"] == 542
    sale = {"market_id": a["id"], "token_type": "YES", "shares": 300}
    assert expect(ann.client.post("/market/positions/sell", json=sale), 201)["payout_kopecks"] == 153


@proves(
    "lifecycle: Pool gets `liquidity`: `[{at, b, subsidy_kopecks, probabilities, q_yes, q_no}]`, the "
    "publication first.",
)
def test_a_pool_shows_its_publication_and_its_additions(service: Service) -> None:
    event = service.event(publish=False, pools=[three()])
    path = f"/pools/{event['pools'][0]['id']}"
    assert event["pools"][0]["liquidity"] == []
    published = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)["pools"][0]
    (first,) = published["liquidity"]
    at = first.pop("at")
    assert first == {
        "b": 1000,
        "subsidy_kopecks": math.ceil(1000 * math.log(5)),
        "probabilities": pytest.approx(PRIORS, abs=1e-15),
        "q_yes": [0, 0, 0],
        "q_no": [0, 0, 0],
    }
    ann = service.user(balance_kopecks=10_000)
    bet(ann, published["markets"][0], "YES", 500)
    bet(ann, published["markets"][2], "NO", 300)
    prices = [market["yes_probability"] for market in expect(service.client().get(path), 200)["markets"]]
    raised = expect(add(service.creator.client, published["id"], 1700), 200)
    subsidy = FRESH.traded(0, Side.YES, 831).traded(2, Side.NO, raised["markets"][2]["q_no"]).subsidy_kopecks(1700)
    assert raised["liquidity"][0] == {"at": at, **first}
    assert raised["liquidity"][1] == {
        "at": raised["liquidity"][1]["at"],
        "b": 1700,
        "subsidy_kopecks": subsidy,
        "probabilities": prices,
        "q_yes": [831, 0, 0],
        "q_no": [0, 0, raised["markets"][2]["q_no"]],
    }
    assert raised["liquidity"][1]["at"] >= at
    # Everywhere the same, after further trades too.
    bet(ann, published["markets"][1], "NO", 100)
    assert expect(service.client().get(path), 200)["liquidity"] == raised["liquidity"]
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["pools"][0]["liquidity"] == raised["liquidity"]


@proves(
    "lifecycle: not less than now (equal moves nothing);",
)
def test_the_present_liquidity_moves_nothing_and_less_is_refused(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    raised = expect(add(service.creator.client, made["id"], 2000), 200)
    # A repeated request is answered though prices have moved since.
    bet(service.user(balance_kopecks=500), made["markets"][0], "YES", 500)
    again = expect(add(service.creator.client, made["id"], 2000, probabilities=PRIORS), 200)
    assert again["liquidity"] == raised["liquidity"]
    refused(add(service.creator.client, made["id"], 1999), 409, "invalid_state")
    assert len(subsidies(service, made["id"])) == 2


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": None, "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": 99, "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": 10**12 + 1, "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": 2000.0, "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": "2000", "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": True, "probabilities": PRIORS}, "lmsr_b_kopecks"),
        ({"lmsr_b_kopecks": 2000}, "probabilities"),
        ({"lmsr_b_kopecks": 2000, "probabilities": None}, "probabilities"),
        ({"lmsr_b_kopecks": 2000, "probabilities": []}, "probabilities"),
        ({"lmsr_b_kopecks": 2000, "probabilities": [0.5]}, "probabilities"),
        ({"lmsr_b_kopecks": 2000, "probabilities": [0.5] * 101}, "probabilities"),
        ({"lmsr_b_kopecks": 2000, "probabilities": [0.5, 0.3, 1.1]}, "probabilities[2]"),
        ({"lmsr_b_kopecks": 2000, "probabilities": [-0.5, 0.3, 0.2]}, "probabilities[0]"),
        ({"lmsr_b_kopecks": 2000, "probabilities": ["0.5", 0.3, 0.2]}, "probabilities[0]"),
        ({"lmsr_b_kopecks": 2000, "probabilities": PRIORS, "b": 2000}, "b"),
    ],
    ids=str,
)
def test_a_body_that_no_pool_can_have_is_400(service: Service, body: dict[str, Any], field: str) -> None:
    made = service.event(pools=[three()])["pools"][0]
    answer = refused(service.creator.client.post(f"/pools/{made['id']}/liquidity", json=body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == [field]
    assert len(subsidies(service, made["id"])) == 1


@proves(
    "lifecycle: `slippage` where a price is over 0.005 from `probabilities`;",
)
def test_a_price_exactly_0_005_off_is_near_enough_and_farther_is_slippage(service: Service) -> None:
    near, far = [0.505, 0.295, 0.2], [0.505, 0.294999999999999, 0.2]
    made = service.event(pools=[three()])["pools"][0]
    refused(add(service.creator.client, made["id"], 2000, probabilities=far), 409, "slippage")
    refused(add(service.creator.client, made["id"], 2000, probabilities=[0.4949, 0.3, 0.2]), 409, "slippage")
    assert subsidies(service, made["id"]) == [1610]
    expect(add(service.creator.client, made["id"], 2000, probabilities=near), 200)
    # After a bet, the prices seen before it are slippage, and those after it are not.
    traded = bet(service.user(balance_kopecks=100), made["markets"][0], "YES", 100)
    assert traded["probability_after"] > 0.51
    refused(add(service.creator.client, made["id"], 3000, probabilities=PRIORS), 409, "slippage")
    prices = [
        market["yes_probability"] for market in expect(service.client().get(f"/pools/{made['id']}"), 200)["markets"]
    ]
    expect(add(service.creator.client, made["id"], 3000, probabilities=prices), 200)


@ONCE
def test_a_yes_no_question_takes_one_probability(service: Service) -> None:
    made = service.event(pools=[pool(b=1000, probabilities=[0.2])])["pools"][0]
    refused(add(service.creator.client, made["id"], 2000, probabilities=[0.2, 0.8]), 400, "bad_request")
    refused(add(service.creator.client, made["id"], 2000, probabilities=[0.206]), 409, "slippage")
    raised = expect(add(service.creator.client, made["id"], 2000, probabilities=[0.195]), 200)
    assert raised["liquidity"][1]["subsidy_kopecks"] == math.ceil(1000 * math.log(5))
    assert raised["liquidity"][1]["probabilities"] == [raised["markets"][0]["yes_probability"]]


@proves(
    "lifecycle: POST /pools/{id}/liquidity |",
)
@ONCE
def test_only_its_creator_and_admins_add_liquidity(service: Service) -> None:
    creator = service.user(creator=True)
    made = service.event(creator, pools=[three()])["pools"][0]
    refused(add(service.client(), made["id"], 2000), 401, "unauthorized")
    refused(add(service.user(balance_kopecks=1).client, made["id"], 2000), 403, "forbidden")
    refused(add(service.user(creator=True).client, made["id"], 2000), 403, "forbidden")
    expect(add(service.admin, made["id"], 2000), 200)
    entry = expect(service.admin.get("/admin/log"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("pool.liquidity", f"pool:{made['id']}")
    expect(service.admin.patch(f"/admin/users/{creator.id}", json={"is_creator": False}), 200)
    refused(add(creator.client, made["id"], 3000), 403, "forbidden")
    refused(add(service.admin, 10**15, 2000), 404, "pool_not_found")
    refused(
        service.admin.post("/pools/0/liquidity", json={"lmsr_b_kopecks": 2000, "probabilities": PRIORS}),
        400,
        "invalid_pool_id",
    )
    hidden = service.event(creator=None, publish=False, pools=[three()])["pools"][0]
    refused(add(service.user(creator=True).client, hidden["id"], 2000), 404, "pool_not_found")


@proves(
    "lifecycle: 409 `invalid_state` unless published, before `finish_at` and verdict,",
)
def test_a_pool_gets_none_before_publication_and_after_its_end(fresh_service: Service) -> None:
    service = fresh_service
    creator = service.creator
    new = service.event(publish=False, pools=[three()])["pools"][0]
    refused(add(creator.client, new["id"], 2000), 409, "invalid_state")
    resolved = service.event(pools=[three()])["pools"][0]
    expect(creator.client.post(f"/pools/{resolved['id']}/resolve", json={"won_side": 0}), 200)
    refused(add(creator.client, resolved["id"], 2000), 409, "invalid_state")
    refused(add(creator.client, resolved["id"], 1000), 409, "invalid_state")
    cancelled = service.event(pools=[three()])
    expect(creator.client.post(f"/events/{cancelled['id']}/cancel"), 200)
    refused(add(creator.client, cancelled["pools"][0]["id"], 2000), 409, "invalid_state")
    ending = service.event(pools=[three(finish_at=iso(service.clock() + 10 * MINUTE_MS))])["pools"][0]
    expect(add(creator.client, ending["id"], 2000), 200)
    service.clock.advance(10 * MINUTE_MS)
    refused(add(creator.client, ending["id"], 3000), 409, "invalid_state")
    # Paused, and before it is live, a pool may get some: no one trades then.
    early = service.event(pools=[three(live_at=iso(service.clock() + HOUR_MS))])["pools"][0]
    expect(creator.client.post(f"/pools/{early['id']}/pause"), 200)
    expect(add(creator.client, early["id"], 2000), 200)


def test_a_pool_with_a_result_that_may_still_be_corrected_gets_none(service: Service) -> None:
    described = three()
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 10}
    made = service.event(pools=[described])["pools"][0]
    decided = expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    assert decided["resolution"]["state"] == "decided"
    refused(add(service.creator.client, made["id"], 2000), 409, "invalid_state")


@proves(
    "lifecycle: `house_limit`; no key |",
)
@ONCE
def test_an_idempotency_key_is_not_looked_at(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    key = {"Idempotency-Key": f"liquidity-{made['id']}"}
    for b in (2000, 3000):
        body = {"lmsr_b_kopecks": b, "probabilities": PRIORS}
        answer = service.creator.client.post(f"/pools/{made['id']}/liquidity", json=body, headers=key)
        assert expect(answer, 200)["markets"][0]["b"] == b
        assert "Idempotency-Replayed" not in answer.headers


@proves(
    "lifecycle: `house_limit`; no key |",
)
def test_an_addition_counts_in_the_houses_limit(start_service: Callable[..., Service]) -> None:
    service = start_service(house_limit_kopecks=4000)
    made = service.event(pools=[three()])["pools"][0]
    other = service.event(pools=[pool(b=1000)])["pools"][0]
    # 1610 and 694 are open; 1610 more would fit, 1771 do not.
    answer = refused(add(service.creator.client, made["id"], 2100), 409, "house_limit")
    assert answer["details"] == {"required": math.ceil(1100 * math.log(5)), "available": 4000 - 1610 - 694}
    expect(add(service.creator.client, made["id"], 2000), 200)
    refused(add(service.creator.client, other["id"], 1200), 409, "house_limit")
    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    expect(add(service.creator.client, other["id"], 1200), 200)


def test_more_than_an_account_can_hold_is_refused(service: Service) -> None:
    made = service.event(pools=[pool(b=100)])["pools"][0]
    ann = service.user(balance_kopecks=10**12)
    bet(ann, made["markets"][0], "YES", 10**12)
    # ln(1/p) of NO is 10¹⁰ by now.
    refused(add(service.creator.client, made["id"], 10**12), 409, "balance_limit")
    assert len(subsidies(service, made["id"])) == 1


def test_liquidity_is_added_at_most_20_times(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    ann = service.user(balance_kopecks=10**6)
    for b in range(1001, 1001 + ADDITIONS_MAX):
        bet(ann, made["markets"][b % 3], "YES", b)
        expect(add(service.creator.client, made["id"], b), 200)
    last = expect(service.client().get(f"/pools/{made['id']}"), 200)
    assert len(last["liquidity"]) == 1 + ADDITIONS_MAX
    refused(add(service.creator.client, made["id"], 5000), 409, "invalid_state")
    assert expect(add(service.creator.client, made["id"], last["markets"][0]["b"]), 200) == last
    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"void": True}), 200)


@proves(
    "decisions: (at publication, for added liquidity",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("resolution", [{"won_side": 0}, {"won_side": 2}, {"void": True}, {"payouts": [0.2, 0.3, 0.5]}])
def test_the_house_loses_at_most_what_it_paid(moving_service: Service, resolution: dict[str, Any]) -> None:
    """Bets that take a price from 0.2 to almost 1 at each liquidity; escrow pays them, the rest comes back."""
    service = moving_service
    made = service.event(pools=[three()])["pools"][0]
    viewer = service.user(stats_viewer=True)
    before = expect(viewer.client.get("/admin/stats"), 200)["total"]["house_result_kopecks"]
    ann = service.user(balance_kopecks=10**6)
    bet(ann, made["markets"][2], "YES", 3_000)
    expect(add(service.creator.client, made["id"], 5_000), 200)
    bet(ann, made["markets"][0], "YES", 9_000)
    expect(add(service.creator.client, made["id"], 6_000), 200)
    bet(ann, made["markets"][2], "YES", 30_000)
    positions = expect(ann.client.get("/market/positions"), 200)["positions"]
    paid = sum(subsidies(service, made["id"]))
    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json=resolution), 200)
    earned = expect(ann.client.get("/users/me"), 200)["balance_kopecks"] - 10**6
    result = expect(viewer.client.get("/admin/stats"), 200)["total"]["house_result_kopecks"] - before
    assert result == -earned
    assert result >= -paid
    if resolution == {"void": True}:
        assert sum(position["value_kopecks"] for position in positions) == earned + 42_000


def test_charts_and_books_do_not_jump(service: Service) -> None:
    made = service.event(pools=[three()])["pools"][0]
    market = made["markets"][0]["id"]
    ann = service.user(balance_kopecks=10**6)
    bet(ann, made["markets"][0], "YES", 500)

    def prices() -> Any:
        chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
        return [point["probability"] for point in chart][-1], expect(
            service.client().get(f"/pools/{made['id']}/charts"), 200
        )["1h"][-1]["values"]

    before = prices()
    book = expect(service.client().get(f"/market/orderbook/{market}"), 200)
    expect(add(service.creator.client, made["id"], 100_000), 200)
    assert prices() == before
    deep = expect(service.client().get(f"/market/orderbook/{market}"), 200)
    assert [level["price"] for level in deep["asks"]] == [level["price"] for level in book["asks"]]
    assert all(
        99 * thin["amount"] <= level["amount"] <= 101 * thin["amount"] + 101
        for thin, level in zip(book["asks"], deep["asks"], strict=True)
    )
    quote = {"market_id": market, "token_type": "YES", "amount_kopecks": 1000}
    quoted = expect(service.client().get("/market/quote", params=quote), 200)
    assert quoted["shares"] == bet(ann, made["markets"][0], "YES", 1000)["shares"]
