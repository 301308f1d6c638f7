"""Decisions, "Events, pools, markets": statuses, who sees what, publishing, cancelling, pausing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

STATUS = "decisions: Event status: `new → active → closed → resolved`, and `cancelled` from any of the first three."
HIDDEN = (
    "decisions: for everybody else, and on endpoints of level None for everybody, it and all that belongs to it is 404 "
    "or left out"
)
INVALID = (
    "decisions: 409 `invalid_state`: publishing what is not `new` or has a pool past its `finish_at`, cancelling what "
    "is resolved or cancelled, pausing or resuming a resolved pool, resolving a pool of a `new` event."
)


def bet(market_id: int) -> dict[str, Any]:
    return {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}


def in_ms(service: Service, ms: int) -> str:
    return iso(service.clock() + ms)


def state(service: Service, event: dict[str, Any]) -> tuple[str, bool]:
    shown = expect(service.creator.client.get(f"/events/{event['id']}"), 200)
    return shown["status"], shown["is_active"]


@proves(
    STATUS,
    "decisions: `is_active` is true exactly while `active`.",
    "decisions: 200 Event, now active",
    "decisions: `resolved`: every pool is resolved.",
)
def test_an_event_goes_from_new_to_active_to_resolved(service: Service) -> None:
    event = service.event(publish=False, pools=[pool(), pool()])
    creator = service.creator.client
    assert state(service, event) == ("new", False)

    published = expect(creator.post(f"/events/{event['id']}/publish"), 200)
    assert (published["status"], published["is_active"]) == ("active", True)
    assert published["id"] == event["id"]
    first, second = (each["id"] for each in event["pools"])
    expect(creator.post(f"/pools/{first}/resolve", json={"won_side": 0}), 200)
    assert state(service, event) == ("active", True)
    expect(creator.post(f"/pools/{second}/resolve", json={"void": True}), 200)
    assert state(service, event) == ("resolved", False)


@proves(STATUS, "decisions: `closed`: every unresolved pool is past its `finish_at`", "decisions: none may be traded.")
def test_an_event_closes_with_its_last_deadline(moving_service: Service) -> None:
    service = moving_service
    creator = service.creator.client
    soon, later, tag = in_ms(service, 60_000), in_ms(service, 120_000), uuid.uuid4().hex
    event = service.event(pools=[pool(finish_at=soon), pool(finish_at=later), pool()], tags=[tag])
    open_pool = event["pools"][2]["id"]
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    expect(person.client.post("/market/bets", json=bet(market)), 201)

    service.clock.advance(61_000)
    refused(person.client.post("/market/bets", json=bet(market)), 409, "market_closed")
    assert state(service, event) == ("active", True)
    service.clock.advance(60_000)
    assert state(service, event) == ("active", True)
    expect(creator.post(f"/pools/{open_pool}/resolve", json={"won_side": 0}), 200)
    assert state(service, event) == ("closed", False)
    listed = expect(service.client().get(f"/events?status=closed&tag={tag}"), 200)["events"]
    assert [each["id"] for each in listed] == [event["id"]]
    assert expect(service.client().get(f"/events?tag={tag}"), 200)["events"] == []
    sale = {"market_id": market, "token_type": "YES"}
    refused(person.client.post("/market/positions/sell", json=sale), 409, "market_closed")
    refused(creator.post(f"/events/{event['id']}/publish"), 409, "invalid_state")
    assert expect(creator.post(f"/events/{event['id']}/cancel"), 200)["status"] == "cancelled"


@proves("decisions: `active`: trading, per pool from `live_at` (included) to `finish_at` (excluded) where given.")
def test_a_pool_is_traded_between_its_times(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(live_at=in_ms(service, 60_000), finish_at=in_ms(service, 120_000))])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    quote = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}

    assert state(service, event) == ("active", True)
    refused(person.client.post("/market/bets", json=bet(market)), 409, "market_closed")
    refused(person.client.get("/market/quote", params=quote), 409, "market_closed")
    book = expect(service.client().get(f"/market/orderbook/{market}"), 200)
    assert book["bids"] == book["asks"] == []
    service.clock.advance(60_000)
    expect(person.client.post("/market/bets", json=bet(market)), 201)
    assert expect(service.client().get(f"/market/orderbook/{market}"), 200)["asks"]
    service.clock.advance(60_000)
    refused(person.client.post("/market/bets", json=bet(market)), 409, "market_closed")
    refused(person.client.get("/market/quote", params=quote), 409, "market_closed")


@proves(
    STATUS,
    "decisions: POST /events/{id}/cancel (its creator, admin) | 200 Event; every unresolved pool is voided (`won_side` "
    "−1, its markets resolved)",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("publish", [False, True])
def test_cancelling_voids_every_unresolved_pool(service: Service, publish: bool) -> None:
    event = service.event(publish=publish, pools=[pool(), pool(["A", "B"])])
    if publish:
        path = f"/pools/{event['pools'][0]['id']}/resolve"
        expect(service.creator.client.post(path, json={"won_side": 1}), 200)
    cancelled = expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)

    assert (cancelled["status"], cancelled["is_active"]) == ("cancelled", False)
    assert [each["won_side"] for each in cancelled["pools"]] == [1 if publish else -1, -1]
    assert all(market["resolved"] for each in cancelled["pools"] for market in each["markets"])
    assert expect(service.creator.client.get(f"/events/{event['id']}"), 200) == cancelled
    refused(service.creator.client.post(f"/events/{event['id']}/cancel"), 409, "invalid_state")
    refused(service.creator.client.post(f"/events/{event['id']}/publish"), 409, "invalid_state")


@proves(INVALID)
@ONCE
def test_what_the_state_does_not_allow(service: Service) -> None:
    creator = service.creator.client
    new, active, resolved = service.event(publish=False), service.event(), service.event()
    resolved_pool = resolved["pools"][0]["id"]
    expect(creator.post(f"/pools/{resolved_pool}/resolve", json={"won_side": 0}), 200)

    refused(creator.post(f"/events/{active['id']}/publish"), 409, "invalid_state")
    refused(creator.post(f"/events/{resolved['id']}/publish"), 409, "invalid_state")
    refused(creator.post(f"/events/{resolved['id']}/cancel"), 409, "invalid_state")
    refused(creator.post(f"/pools/{resolved_pool}/pause"), 409, "invalid_state")
    refused(creator.post(f"/pools/{resolved_pool}/resume"), 409, "invalid_state")
    for body in ({"won_side": 0}, {"void": True}, {"payouts": [0.5, 0.5]}):
        refused(creator.post(f"/pools/{new['pools'][0]['id']}/resolve", json=body), 409, "invalid_state")
    assert state(service, new) == ("new", False)


@proves(INVALID)
@ONCE
def test_an_event_with_a_pool_past_its_deadline_cannot_be_published(moving_service: Service) -> None:
    event = moving_service.event(publish=False, pools=[pool(), pool(finish_at=in_ms(moving_service, 60_000))])
    moving_service.clock.advance(60_001)

    refused(moving_service.creator.client.post(f"/events/{event['id']}/publish"), 409, "invalid_state")
    assert state(moving_service, event) == ("new", False)


@proves(
    "decisions: `FOREKNOW_HOUSE_LIMIT_KOPECKS` (none by default) bounds the sum of one creator's open loss bounds",
    "decisions: POST /events/{id}/publish (its creator, admin) | 200 Event, now active; 409 `house_limit`",
)
def test_a_creator_may_risk_no_more_of_the_houses_money_than_its_limit(start_service: Callable[..., Service]) -> None:
    # A fair yes/no question with b = 1000 may cost the house ceil(1000 · ln 2) = 694 kopecks.
    service = start_service(house_limit_kopecks=1_388)
    one, other = service.user(creator=True), service.user(creator=True)
    events = [service.event(one, publish=False, pools=[pool(b=1_000)]) for _ in range(3)]
    for event in events[:2]:
        expect(one.client.post(f"/events/{event['id']}/publish"), 200)
    path = f"/events/{events[2]['id']}/publish"

    refused(one.client.post(path), 409, "house_limit")
    refused(service.admin.post(path), 409, "house_limit")
    service.event(other, pools=[pool(b=1_000), pool(b=1_000)])
    refused(
        other.client.post(f"/events/{service.event(other, publish=False, pools=[pool(b=100)])['id']}/publish"),
        409,
        "house_limit",
    )
    expect(one.client.post(f"/pools/{events[0]['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(one.client.post(path), 200)


@proves(
    "decisions: and the house can lose at most b · ln(1 / min w)",
    "decisions: A single-market pool has the implicit other outcome with prior 1 − p, which counts in min w.",
    "decisions: The house pays ceil(b · ln(1/min w)) into escrow on publication.",
    "decisions: publishing over it is 409 `house_limit`.",
)
# The bound is computed before the database is asked.
@ONCE
@pytest.mark.parametrize(
    ("names", "priors", "bound"),
    [
        (None, [0.5], 694),
        (None, [0.9999], 9_211),
        (None, [0.0001], 9_211),
        (["A", "B", "C", "D"], [0.25] * 4, 1_387),
        (["A", "B"], [0.8, 0.2], 1_610),
    ],
)
def test_what_the_house_may_lose_is_bounded_by_the_least_likely_outcome(
    start_service: Callable[..., Service], names: list[str] | None, priors: list[float], bound: int
) -> None:
    def publish(limit: int) -> httpx.Response:
        service = start_service(house_limit_kopecks=limit)
        event = service.event(publish=False, pools=[pool(names, probabilities=priors, b=1_000)])
        return service.creator.client.post(f"/events/{event['id']}/publish")

    refused(publish(bound - 1), 409, "house_limit")
    expect(publish(bound), 200)


def reads(event: dict[str, Any]) -> dict[str, str]:
    """The Optional endpoints that show an event or what belongs to it, and their code where they do not."""
    first = event["pools"][0]
    market = first["markets"][0]["id"]
    return {
        f"/events/{event['id']}": "event_not_found",
        f"/pools/{first['id']}": "pool_not_found",
        f"/markets/{market}": "market_not_found",
    }


@proves(
    "decisions: `new` (and cancelled before it was ever published): seen by its creator and admins only, through the "
    "Optional endpoints",
    "decisions: /pools/{id}, /markets/{id}, quote)",
    HIDDEN,
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("cancelled", [False, True])
def test_what_was_never_published_is_seen_by_its_creator_and_admins_only(service: Service, cancelled: bool) -> None:
    owner = service.user(creator=True)
    event = service.event(owner, publish=False)
    first = event["pools"][0]
    market = first["markets"][0]["id"]
    if cancelled:
        expect(owner.client.post(f"/events/{event['id']}/cancel"), 200)
    for path, code in reads(event).items():
        for insider in (owner.client, service.admin):
            expect(insider.get(path), 200)
        for outsider in (service.client(), service.creator.client):
            refused(outsider.get(path), 404, code)
    for client in (owner.client, service.admin, service.client()):
        assert expect(client.get(f"/pools/batch?ids={first['id']}"), 200) == []
        refused(client.get(f"/pools/{first['id']}/charts"), 404, "pool_not_found")
        refused(client.get(f"/markets/{market}/chart"), 404, "market_not_found")
        refused(client.get(f"/market/orderbook/{market}"), 404, "market_not_found")


@proves(
    "decisions: its creator's or an admin's order on it is `market_closed`", HIDDEN, "decisions: /markets/{id}, quote)"
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("cancelled", [False, True])
def test_no_one_orders_what_was_never_published(service: Service, cancelled: bool) -> None:
    owner = service.user(creator=True, balance_kopecks=1_000)
    admin, stranger = service.user(admin=True, balance_kopecks=1_000), service.user(balance_kopecks=1_000)
    event = service.event(owner, publish=False)
    if cancelled:
        expect(owner.client.post(f"/events/{event['id']}/cancel"), 200)
    market = event["pools"][0]["markets"][0]["id"]
    sale = {"market_id": market, "token_type": "YES"}
    quote = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    expected = {owner.token: (409, "market_closed"), admin.token: (409, "market_closed")}
    for person in (owner, admin, stranger):
        status, code = expected.get(person.token, (404, "market_not_found"))
        refused(person.client.post("/market/bets", json=bet(market)), status, code)
        refused(person.client.post("/market/positions/sell", json=sale), status, code)
        refused(person.client.get("/market/quote", params=quote), status, code)
    refused(service.client().get("/market/quote", params=quote), 404, "market_not_found")
    order = {"external_user_id": "a", "market_id": market, "side": "yes", "stake_kopecks": 100}
    partner = service.partner(float_kopecks=1_000)
    refused(partner.client.post("/partner/bets", json=order), 404, "MARKET_NOT_FOUND")


def listed(person_client: Any, query: str) -> list[int]:
    return [event["id"] for event in expect(person_client.get(f"/events?{query}"), 200)["events"]]


@proves(HIDDEN, "decisions: through the Optional endpoints (GET /events, /events/{id}")
def test_lists_show_new_events_to_their_creator_and_admins_only(service: Service) -> None:
    owner = service.user(creator=True)
    new = service.event(owner, publish=False, tags=["hidden-list"])
    never = service.event(owner, publish=False, tags=["hidden-list"])
    expect(owner.client.post(f"/events/{never['id']}/cancel"), 200)
    shown = service.event(owner, tags=["hidden-list"])
    expect(owner.client.post(f"/events/{shown['id']}/cancel"), 200)

    for client in (owner.client, service.admin):
        assert new["id"] in listed(client, "status=new&tag=hidden-list&limit=100")
        cancelled = listed(client, "status=cancelled&tag=hidden-list&limit=100")
        assert {never["id"], shown["id"]} <= set(cancelled)
    for client in (service.client(), service.creator.client):
        assert new["id"] not in listed(client, "status=new&tag=hidden-list&limit=100")
        cancelled = listed(client, "status=cancelled&tag=hidden-list&limit=100")
        assert shown["id"] in cancelled
        assert never["id"] not in cancelled


@proves(
    "decisions: POST /events/{id}/publish (its creator, admin)",
    "decisions: POST /pools/{id}/pause, …/resume (its event's creator, admin)",
    "decisions: POST /pools/{id}/resolve (its event's creator, admin)",
)
@ONCE
def test_an_admin_may_do_what_the_creator_may(service: Service) -> None:
    owner = service.user(creator=True)
    event = service.event(owner, publish=False)
    pool_id = event["pools"][0]["id"]

    expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    expect(service.admin.post(f"/pools/{pool_id}/pause"), 200)
    expect(service.admin.post(f"/pools/{pool_id}/resume"), 200)
    expect(service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    expect(service.admin.post(f"/events/{service.event(owner)['id']}/cancel"), 200)


@proves("decisions: 200 Pool; its markets' `paused` flips (and stays as it was once resolved)")
def test_pausing_stops_trading_and_resuming_lets_it_go_on(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"]), pool()])
    paused, other = event["pools"]
    markets = [market["id"] for market in paused["markets"]]
    person = service.user(balance_kopecks=1_000)
    expect(person.client.post("/market/bets", json=bet(markets[0])), 201)
    answer = expect(service.creator.client.post(f"/pools/{paused['id']}/pause"), 200)

    assert [market["paused"] for market in answer["markets"]] == [True, True]
    assert expect(service.client().get(f"/pools/{paused['id']}"), 200) == answer
    for market in markets:
        refused(person.client.post("/market/bets", json=bet(market)), 409, "market_paused")
        quote = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
        refused(person.client.get("/market/quote", params=quote), 409, "market_paused")
    sale = {"market_id": markets[0], "token_type": "YES"}
    refused(person.client.post("/market/positions/sell", json=sale), 409, "market_paused")
    expect(person.client.post("/market/bets", json=bet(other["markets"][0]["id"])), 201)
    expect(service.creator.client.post(f"/pools/{paused['id']}/pause"), 200)
    answer = expect(service.creator.client.post(f"/pools/{paused['id']}/resume"), 200)
    assert [market["paused"] for market in answer["markets"]] == [False, False]
    expect(person.client.post("/market/positions/sell", json=sale), 201)


@proves("decisions: 200 Pool; its markets' `paused` flips (and stays as it was once resolved)")
@ONCE
def test_a_pool_resolved_while_paused_stays_paused(service: Service) -> None:
    pool_id = service.event()["pools"][0]["id"]
    expect(service.creator.client.post(f"/pools/{pool_id}/pause"), 200)
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    shown = expect(service.client().get(f"/pools/{pool_id}"), 200)

    assert [(market["paused"], market["resolved"]) for market in shown["markets"]] == [(True, True)]
