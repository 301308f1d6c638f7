"""Resolving and cancelling over HTTP: permissions, timing, and the public result."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance
from tests.support.service import Service, Shot, expect, pool, refused


def bet(service: Service, market_id: int, side: str, amount_kopecks: int, balance_kopecks: int = 100_000) -> Any:
    trader = service.user(balance_kopecks=balance_kopecks)
    body = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    return trader, expect(trader.client.post("/market/bets", json=body), 201)


def test_a_resolved_pool_shows_its_winner_and_pays_it(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b", "c"])])
    (made,) = event["pools"]
    winner, won = bet(service, made["markets"][1]["id"], "YES", 10_000)
    loser, _ = bet(service, made["markets"][0]["id"], "YES", 10_000)
    also, hedged = bet(service, made["markets"][0]["id"], "NO", 10_000)
    answer = expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)
    assert answer["won_side"] == 1
    assert all(market["resolved"] for market in answer["markets"])
    assert balance(winner) == 90_000 + won["shares"]
    assert balance(loser) == 90_000
    assert balance(also) == 90_000 + hedged["shares"]
    assert expect(service.client().get(f"/pools/{made['id']}"), 200) == answer
    shown = expect(service.client().get(f"/events/{event['id']}"), 200)
    assert (shown["status"], shown["is_active"]) == ("resolved", False)
    closed = [
        expect(trader.client.get("/market/positions/completed"), 200)["positions"][0]["won_side"]
        for trader in (winner, loser, also)
    ]
    assert closed == [0, 1, 1]
    order = {"market_id": made["markets"][1]["id"], "token_type": "YES", "amount_kopecks": 100}
    refused(winner.client.post("/market/bets", json=order), 409, "market_resolved")


def test_the_same_again_is_answered_and_another_is_refused(service: Service) -> None:
    (made,) = service.event()["pools"]
    trader, bought = bet(service, made["markets"][0]["id"], "YES", 10_000)
    owner = service.creator.client
    path = f"/pools/{made['id']}/resolve"
    first = expect(owner.post(path, json={"payouts": [0.5, 0.5]}), 200)
    assert first["won_side"] == -1
    paid = balance(trader)
    assert paid == 90_000 + bought["shares"] // 2
    assert expect(owner.post(path, json={"payouts": [0.50, 5e-1], "void": None}), 200) == first
    for other in ({"payouts": [0.4, 0.6]}, {"void": True}, {"won_side": 0}):
        refused(owner.post(path, json=other), 409, "already_resolved")
    assert balance(trader) == paid


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"won_side": 0, "void": True},
        {"void": False},
        {"won_side": 3},
        {"won_side": -1},
        {"won_side": "0"},
        {"payouts": [0.5, 0.5]},
        {"payouts": [0.5, 0.25, 0.24]},
        {"payouts": [0.1, 0.2, 0.7000000000000001]},
        {"winner": 1},
    ],
)
def test_what_is_no_resolution_of_the_pool_is_refused(service: Service, body: dict[str, Any]) -> None:
    (made,) = service.event(pools=[pool(["a", "b", "c"])])["pools"]
    path = f"/pools/{made['id']}/resolve"
    refused(service.creator.client.post(path, json=body), 400, "bad_request")
    assert expect(service.client().get(f"/pools/{made['id']}"), 200) == made
    expect(service.creator.client.post(path, json={"payouts": [0.1, 0.2, 0.7]}), 200)


@ONCE
def test_only_who_runs_the_event_may_resolve_it(service: Service) -> None:
    (made,) = service.event()["pools"]
    path = f"/pools/{made['id']}/resolve"
    refused(service.user(creator=True).client.post(path, json={"void": True}), 403, "forbidden")
    refused(service.client().post(path, json={"void": True}), 401, "unauthorized")
    expect(service.admin.post(path, json={"void": True}), 200)


@ONCE
def test_a_pool_of_a_new_event_cannot_be_resolved(service: Service) -> None:
    (made,) = service.event(publish=False)["pools"]
    refused(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"void": True}), 409, "invalid_state")


def test_an_event_is_resolved_with_its_last_pool(service: Service) -> None:
    event = service.event(pools=[pool(), pool(), pool()])
    owner = service.creator.client
    statuses = []
    for made in event["pools"]:
        expect(owner.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)
        statuses.append(expect(owner.get(f"/events/{event['id']}"), 200)["status"])
    assert statuses == ["active", "active", "resolved"]
    refused(owner.post(f"/events/{event['id']}/cancel"), 409, "invalid_state")


def test_pools_resolved_at_the_same_moment_resolve_their_event(service: Service) -> None:
    event = service.event(pools=[pool() for _ in range(6)])
    shots: list[Shot] = [("POST", f"/pools/{made['id']}/resolve", {"json": {"won_side": 0}}) for made in event["pools"]]
    for answer in service.together(shots, tokens=[service.creator.token]):
        expect(answer, 200)
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "resolved"


def test_of_different_resolutions_at_once_one_holds(service: Service) -> None:
    (made,) = service.event()["pools"]
    trader, bought = bet(service, made["markets"][0]["id"], "YES", 10_000)
    shots: list[Shot] = [
        ("POST", f"/pools/{made['id']}/resolve", {"json": {"won_side": number % 2}}) for number in range(10)
    ]
    answers = service.together(shots, tokens=[service.creator.token])
    shown = expect(service.client().get(f"/pools/{made['id']}"), 200)
    for number, answer in enumerate(answers):
        if number % 2 == shown["won_side"]:
            assert expect(answer, 200) == shown
        else:
            refused(answer, 409, "already_resolved")
    assert balance(trader) == 90_000 + (bought["shares"] if shown["won_side"] == 0 else 0)


def test_bets_racing_a_resolution_are_paid_or_refused(service: Service) -> None:
    (made,) = service.event()["pools"]
    market_id = made["markets"][0]["id"]
    traders = [service.user(balance_kopecks=1_000) for _ in range(20)]
    order = {"json": {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}}
    shots: list[Shot] = [("POST", "/market/bets", order) for _ in traders]
    shots.insert(10, ("POST", f"/pools/{made['id']}/resolve", {"json": {"won_side": 0}}))
    tokens = [trader.token for trader in traders]
    tokens.insert(10, service.creator.token)
    answers = service.together(shots, tokens=tokens)
    resolved = answers.pop(10)
    assert expect(resolved, 200)["won_side"] == 0
    for trader, answer in zip(traders, answers, strict=True):
        if answer.status_code == 201:
            assert balance(trader) == answer.json()["shares"]
        else:
            refused(answer, 409, "market_resolved")
            assert balance(trader) == 1_000
    assert expect(service.client().get(f"/pools/{made['id']}"), 200) == resolved.json()


def test_cancelling_voids_and_shows_it(service: Service) -> None:
    event = service.event(pools=[pool(), pool(["a", "b"])])
    first, second = event["pools"]
    owner = service.creator.client
    trader, _ = bet(service, second["markets"][0]["id"], "YES", 50_000)
    (held,) = expect(trader.client.get("/market/positions"), 200)["positions"]
    expect(owner.post(f"/pools/{first['id']}/resolve", json={"won_side": 0}), 200)
    answer = expect(owner.post(f"/events/{event['id']}/cancel"), 200)
    assert (answer["status"], answer["is_active"]) == ("cancelled", False)
    assert [made["won_side"] for made in answer["pools"]] == [0, -1]
    assert all(market["resolved"] for made in answer["pools"] for market in made["markets"])
    # A void pays the position's value at the last price, not its cost.
    assert balance(trader) == 50_000 + held["value_kopecks"]
    assert expect(service.client().get(f"/events/{event['id']}"), 200) == answer
    refused(owner.post(f"/events/{event['id']}/cancel"), 409, "invalid_state")
    assert balance(trader) == 50_000 + held["value_kopecks"]
    expect(owner.post(f"/pools/{second['id']}/resolve", json={"void": True}), 200)
    refused(owner.post(f"/pools/{second['id']}/resolve", json={"won_side": 0}), 409, "already_resolved")
    order = {"market_id": second["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
    refused(trader.client.post("/market/bets", json=order), 409, "market_resolved")


@ONCE
def test_only_who_runs_the_event_may_cancel_it(service: Service) -> None:
    event = service.event()
    path = f"/events/{event['id']}/cancel"
    refused(service.user(creator=True).client.post(path), 403, "forbidden")
    refused(service.client().post(path), 401, "unauthorized")
    expect(service.admin.post(path), 200)


def test_an_event_cancelled_before_it_was_published_stays_its_creators_own(service: Service) -> None:
    owner = service.user(creator=True, balance_kopecks=1_000)
    event = service.event(owner, publish=False)
    (made,) = event["pools"]
    answer = expect(owner.client.post(f"/events/{event['id']}/cancel"), 200)
    assert (answer["status"], answer["pools"][0]["won_side"]) == ("cancelled", -1)
    refused(service.client().get(f"/events/{event['id']}"), 404, "event_not_found")
    refused(service.client().get(f"/pools/{made['id']}"), 404, "pool_not_found")
    expect(service.admin.get(f"/pools/{made['id']}"), 200)
    order = {"market_id": made["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 100}
    refused(owner.client.post("/market/bets", json=order), 409, "market_closed")
    refused(service.user(balance_kopecks=100).client.post("/market/bets", json=order), 404, "market_not_found")


@ONCE
def test_a_closed_event_may_be_cancelled(fresh_service: Service) -> None:
    service = fresh_service
    event = service.event(pools=[pool(finish_at=iso(service.clock() + 60_000))])
    service.clock.advance(60_000)
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "closed"
    answer = expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)
    assert answer["status"] == "cancelled"


@ONCE
def test_a_creator_who_was_signed_out_cannot_move_money(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator)
    expect(creator.client.delete("/auth/logout"), 200)
    for path, body in (
        (f"/events/{event['id']}/cancel", None),
        (f"/pools/{event['pools'][0]['id']}/resolve", {"void": True}),
    ):
        refused(creator.client.post(path, json=body), 401, "unauthorized")
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "active"


def test_people_are_notified_of_their_events_and_positions(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator, pools=[pool(), pool()])
    first, second = event["pools"]
    trader, _ = bet(service, first["markets"][0]["id"], "YES", 10_000)
    for made in (first, second):
        expect(creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    expect(creator.client.post(f"/events/{service.event(creator)['id']}/cancel"), 200)

    def notifications_of(person: Any) -> list[tuple[str, bool]]:
        rows = expect(person.client.get("/notifications"), 200)["notifications"]
        return [(row["type"], row["event_id"] == event["id"]) for row in rows]

    # Who traded follows the event, and is notified of its end too.
    assert set(notifications_of(trader)) - {("event_resolved", True)} == {("position_settled", True)}
    # Not of what they did themselves, but that all is paid.
    assert notifications_of(creator) == [("event_resolved", True)]
