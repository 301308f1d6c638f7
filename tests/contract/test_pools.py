"""Decisions, "Events, pools, markets": pools at once, resolving. Interface, "GET /api/v1/pools/batch"."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

RESOLVE = (
    'decisions: exactly one of `{"won_side": k}`, `{"payouts": [one per outcome, each 0 … 1, as decimals summing to '
    'exactly 1; [yes, no] in a single-market pool]}`, `{"void": true}` or `{"void": true, "at": time}` (lifecycle.md) '
    "→ 200 Pool"
)
AGAIN = (
    "decisions: the same form with the same values again is 200 and moves nothing, another is 409 `already_resolved`"
)
WON_SIDE = (
    "decisions: `won_side` of a pool: the `outcome_index` that won (one that is paid all: payouts `[0, 1, 0]` give "
    "1); in a single-market pool 0 = YES, 1 = NO; −1 = settled without a winner (void, or several outcomes paid)."
)


def published(service: Service, names: list[str] | None = None) -> int:
    return int(service.event(pools=[pool(names)])["pools"][0]["id"])


def resolve(service: Service, pool_id: int, body: Any) -> Any:
    return service.creator.client.post(f"/pools/{pool_id}/resolve", json=body)


@proves(
    "decisions: Pools batch: answers in the order asked, duplicates once, unknown ids left out",
    "interface: 200: array of Pool objects (pools may belong to different events).",
)
def test_a_batch_answers_in_the_order_asked(service: Service) -> None:
    event, other = service.event(pools=[pool(), pool(["A", "B"])]), service.event()
    first, second, third = event["pools"][0], event["pools"][1], other["pools"][0]
    ids = [third["id"], 999_999_999, first["id"], third["id"], second["id"], 999_999_998]
    found = expect(service.client().get("/pools/batch?ids=" + ",".join(map(str, ids))), 200)

    assert found == [third, first, second]
    for each in found:
        assert expect(service.client().get(f"/pools/{each['id']}"), 200) == each


@proves("interface: Query: ids, string, required, comma-separated pool ids (integers).")
@ONCE
def test_a_batch_may_be_percent_encoded(service: Service) -> None:
    event = service.event(pools=[pool(), pool()])
    ids = [each["id"] for each in event["pools"]]

    assert [each["id"] for each in expect(service.client().get(f"/pools/batch?ids={ids[0]}%2C{ids[1]}"), 200)] == ids


@proves("decisions: GET /pools/{id}, GET /markets/{id} | one Pool, one Market")
def test_a_market_is_the_one_of_its_pool(service: Service) -> None:
    markets = service.event(pools=[pool(["A", "B", "C"])])["pools"][0]["markets"]

    for market in markets:
        assert expect(service.client().get(f"/markets/{market['id']}"), 200) == market


@proves(RESOLVE, WON_SIDE)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("names", "body", "won_side"),
    [
        (None, {"won_side": 0}, 0),
        (None, {"won_side": 1}, 1),
        (None, {"payouts": [1, 0]}, 0),
        (None, {"payouts": [0, 1]}, 1),
        (None, {"payouts": [0.0, 1.0]}, 1),
        (None, {"payouts": [0.3, 0.7]}, -1),
        (None, {"void": True}, -1),
        (["A", "B", "C"], {"won_side": 2}, 2),
        (["A", "B", "C"], {"payouts": [0, 1, 0]}, 1),
        (["A", "B", "C"], {"payouts": [0.1, 0.2, 0.7]}, -1),
        (["A", "B", "C"], {"payouts": [0.5, 0.5, 0]}, -1),
        (["A", "B", "C"], {"payouts": [1e-17, 0.99999999999999999, 0]}, None),
        (["A", "B", "C"], {"void": True}, -1),
    ],
)
def test_a_pool_is_resolved_in_one_of_three_forms(
    service: Service, names: list[str] | None, body: dict[str, Any], won_side: int | None
) -> None:
    pool_id = published(service, names)
    answer = resolve(service, pool_id, body)

    if won_side is None:
        refused(answer, 400, "bad_request")
        return
    shown = expect(answer, 200)
    assert shown["won_side"] == won_side
    assert all(market["resolved"] for market in shown["markets"])
    assert expect(service.client().get(f"/pools/{pool_id}"), 200) == shown


@proves(RESOLVE, "decisions: A fraction in JSON (margin, probability, payout)")
@ONCE
def test_payouts_sum_to_one_as_decimals_not_as_doubles(service: Service) -> None:
    # As doubles these sum to 0.9999999999999999; as the decimals that were written, to 1.
    tenths = [0.1] * 10
    assert sum(tenths) != 1
    names = [str(n) for n in range(10)]
    expect(resolve(service, published(service, names), {"payouts": tenths}), 200)
    # And these to 1.0 as doubles, though as decimals they fall short of it.
    short = [0.5, 0.49999999999999994]
    assert sum(short) == 1
    refused(resolve(service, published(service, ["A", "B"]), {"payouts": short}), 400, "bad_request")


@pytest.fixture(scope="module")
def open_pool(service: Service) -> int:
    """A pool of three markets that is never resolved."""
    return published(service, ["A", "B", "C"])


@proves(RESOLVE)
@ONCE
@pytest.mark.parametrize(
    "body",
    [
        *({}, {"won_side": None}, {"void": False}, {"void": None}, {"void": 1}, {"unknown": 1}, {"void": True, "x": 1}),
        *({"won_side": 0, "void": True}, {"won_side": 0, "payouts": [1, 0, 0]}, {"payouts": [1, 0, 0], "void": True}),
        *({"won_side": k} for k in (-1, 3, 100, 2**63, "0", 0.0, True)),
        *({"payouts": p} for p in ([], [1], [1, 0], [1, 0, 0, 0], [0, 0, 0], [0.3, 0.3, 0.3], [0.5, 0.5, 0.5], "100")),
        *(
            {"payouts": p}
            for p in ([2, -1, 0], [1.5, -0.5, 0], ["1", "0", "0"], [True, False, False], [1, None, 0], None)
        ),
    ],
    ids=str,
)
def test_a_resolution_that_says_nothing_or_too_much_is_refused(
    service: Service, open_pool: int, body: dict[str, Any]
) -> None:
    refused(resolve(service, open_pool, body), 400, "bad_request")
    assert expect(service.client().get(f"/pools/{open_pool}"), 200)["won_side"] is None


@proves(RESOLVE)
@ONCE
@pytest.mark.parametrize(
    "body", [{"won_side": 2}, {"payouts": [1]}, {"payouts": [1, 0, 0]}, {"payouts": [0.5, 0.6]}], ids=str
)
def test_a_yes_no_question_has_two_sides(service: Service, body: dict[str, Any]) -> None:
    refused(resolve(service, published(service), body), 400, "bad_request")


@proves(AGAIN)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("first", "others"),
    [
        ({"won_side": 0}, [{"won_side": 1}, {"payouts": [1, 0]}, {"void": True}]),
        ({"payouts": [0.25, 0.75]}, [{"payouts": [0.75, 0.25]}, {"void": True}, {"won_side": 1}]),
        ({"void": True}, [{"won_side": 0}, {"payouts": [0.5, 0.5]}]),
    ],
)
def test_resolving_again_is_allowed_only_in_the_same_words(
    service: Service, first: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    pool_id = published(service)
    shown = expect(resolve(service, pool_id, first), 200)

    assert expect(resolve(service, pool_id, first), 200) == shown
    assert expect(resolve(service, pool_id, first | {"won_side": first.get("won_side")}), 200) == shown
    for other in others:
        refused(resolve(service, pool_id, other), 409, "already_resolved")
    assert expect(resolve(service, pool_id, first), 200) == shown


@proves(AGAIN)
@ONCE
def test_a_pool_of_a_cancelled_event_is_resolved_already(service: Service) -> None:
    event = service.event()
    pool_id = event["pools"][0]["id"]
    expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)

    refused(resolve(service, pool_id, {"won_side": 0}), 409, "already_resolved")


@proves("decisions: of a resolved one, its last price.")
@ONCE
def test_a_resolved_market_shows_its_last_price(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], b=1_000)])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 500}
    after = expect(person.client.post("/market/bets", json=order), 201)["probability_after"]
    expect(resolve(service, event["pools"][0]["id"], {"won_side": 1}), 200)

    shown = expect(service.client().get(f"/markets/{market}"), 200)
    assert shown["yes_probability"] == after
    assert (shown["q_yes"] > 0, shown["volume"]) == (True, 500)


@proves(AGAIN)
def test_of_many_resolutions_at_once_one_counts(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C", "D"])])
    pool_id = event["pools"][0]["id"]
    person = service.user(balance_kopecks=400)
    for market in event["pools"][0]["markets"]:
        order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 100}
        expect(person.client.post("/market/bets", json=order), 201)
    sides = itertools.islice(itertools.cycle(range(4)), 20)
    shots = [("POST", f"/pools/{pool_id}/resolve", {"json": {"won_side": side}}) for side in sides]
    answers = service.together(shots, tokens=[service.creator.token])

    won = expect(service.client().get(f"/pools/{pool_id}"), 200)["won_side"]
    for shot, answer in zip(shots, answers, strict=True):
        if shot[2]["json"]["won_side"] == won:
            assert expect(answer, 200)["won_side"] == won
        else:
            refused(answer, 409, "already_resolved")
    closed = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    paid = [row for row in closed if row["won_side"] == 0]
    assert (len(closed), len(paid)) == (4, 1)
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == paid[0]["amount"]
