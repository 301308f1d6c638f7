"""Reading, pausing and resuming pools over HTTP."""

from __future__ import annotations

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.service import Service, expect, pool, refused


def test_a_batch_answers_in_the_order_asked_and_leaves_out_what_is_not_there(service: Service) -> None:
    event = service.event(pools=[pool(), pool(["a", "b"])])
    other = service.event()
    hidden = service.event(publish=False)
    first, second = event["pools"]
    third = other["pools"][0]
    wanted = [third["id"], 2**62, second["id"], hidden["pools"][0]["id"], first["id"], second["id"]]
    answer = expect(service.client().get("/pools/batch", params={"ids": ",".join(map(str, wanted))}), 200)
    assert answer == [third, second, first]
    for one in answer:
        assert expect(service.client().get(f"/pools/{one['id']}"), 200) == one


@ONCE
def test_a_batch_does_not_look_at_credentials(service: Service) -> None:
    event = service.event()
    bad = service.client(token="no token")
    path = f"/pools/batch?ids={event['pools'][0]['id']}"
    assert expect(bad.get(path), 200) == event["pools"]
    refused(bad.get(f"/pools/{event['pools'][0]['id']}"), 401, "unauthorized")


@ONCE
@pytest.mark.parametrize(
    "query",
    [
        "",
        "ids=",
        "ids=1,",
        "ids=,1",
        "ids=1,,2",
        "ids=x",
        "ids=1;2",
        "ids=0",
        "ids=-1",
        "ids=%2B1",
        "ids=01",
        "ids=1.0",
        "ids=1, 2",
        "ids=%D9%A3",
        "ids=9223372036854775808",
        "ids=" + ",".join(["1"] * 101),
    ],
)
def test_a_batch_of_anything_else_than_ids_is_refused(service: Service, query: str) -> None:
    refused(service.client().get(f"/pools/batch?{query}"), 400, "invalid_ids")


def test_a_batch_takes_a_hundred_ids(service: Service) -> None:
    assert expect(service.client().get("/pools/batch?ids=" + ",".join([str(2**63 - 1)] * 100)), 200) == []
    refused(service.client().get("/pools/batch?ids=1&ids=2"), 400, "bad_request")


def test_a_pause_stops_trading_and_resuming_lets_it_go_on(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b"])])
    (made,) = event["pools"]
    market_id = made["markets"][0]["id"]
    trader = service.user(balance_kopecks=1_000).client
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    owner = service.creator.client

    paused = expect(owner.post(f"/pools/{made['id']}/pause"), 200)
    assert [market["paused"] for market in paused["markets"]] == [True, True]
    refused(trader.post("/market/bets", json=order), 409, "market_paused")
    book = expect(service.client().get(f"/market/orderbook/{market_id}"), 200)
    assert book == {"market_id": market_id, "bids": [], "asks": []}
    assert expect(owner.post(f"/pools/{made['id']}/pause"), 200) == paused

    resumed = expect(owner.post(f"/pools/{made['id']}/resume"), 200)
    assert resumed == made
    expect(trader.post("/market/bets", json=order), 201)
    assert expect(service.client().get(f"/market/orderbook/{market_id}"), 200)["asks"]


@ONCE
def test_only_who_runs_the_event_may_pause_it(service: Service) -> None:
    (made,) = service.event()["pools"]
    for action in ("pause", "resume"):
        path = f"/pools/{made['id']}/{action}"
        refused(service.user(creator=True).client.post(path), 403, "forbidden")
        refused(service.client().post(path), 401, "unauthorized")
        expect(service.admin.post(path), 200)


def test_a_new_event_may_be_paused_before_it_is_published(service: Service) -> None:
    event = service.event(publish=False)
    (made,) = event["pools"]
    expect(service.creator.client.post(f"/pools/{made['id']}/pause"), 200)
    published = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert published["pools"][0]["markets"][0]["paused"] is True


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("was_paused", [True, False])
def test_a_resolved_pool_stays_as_it_was(service: Service, was_paused: bool) -> None:
    (made,) = service.event()["pools"]
    owner = service.creator.client
    if was_paused:
        expect(owner.post(f"/pools/{made['id']}/pause"), 200)
    expect(owner.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    for action in ("pause", "resume"):
        refused(owner.post(f"/pools/{made['id']}/{action}"), 409, "invalid_state")
    shown = expect(owner.get(f"/pools/{made['id']}"), 200)
    assert shown["markets"][0]["paused"] is was_paused
    assert shown["markets"][0]["resolved"] is True


def test_bets_racing_a_pause_are_none_after_it(service: Service) -> None:
    (made,) = service.event()["pools"]
    market_id = made["markets"][0]["id"]
    traders = [service.user(balance_kopecks=10_000) for _ in range(4)]
    bet = {"json": {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}}
    shots = [("POST", "/market/bets", bet)] * 40
    answers = service.together(
        [*shots[:20], ("POST", f"/pools/{made['id']}/pause", {}), *shots[20:]],
        tokens=[
            *(trader.token for trader in traders * 5),
            service.creator.token,
            *(trader.token for trader in traders * 5),
        ],
    )
    paused = answers.pop(20)
    at_pause = expect(paused, 200)["markets"][0]
    accepted = [answer for answer in answers if answer.status_code == 201]
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} <= {"market_paused"}
    # The pause's response is final: nothing was traded after it.
    assert expect(service.client().get(f"/markets/{market_id}"), 200) == at_pause
    assert at_pause["volume"] == 100 * len(accepted)


@ONCE
def test_pool_ids_that_are_none_and_pools_that_are_not_there(service: Service) -> None:
    client = service.creator.client
    for bad in ("0", "x", "01", "1.0", "9223372036854775808"):
        refused(client.get(f"/pools/{bad}"), 400, "invalid_pool_id")
        refused(client.post(f"/pools/{bad}/pause"), 400, "invalid_pool_id")
        refused(client.post(f"/pools/{bad}/resolve", json={"void": True}), 400, "invalid_pool_id")
    missing = 2**62
    refused(client.get(f"/pools/{missing}"), 404, "pool_not_found")
    refused(client.post(f"/pools/{missing}/pause"), 404, "pool_not_found")
    refused(client.post(f"/pools/{missing}/resolve", json={"void": True}), 404, "pool_not_found")
