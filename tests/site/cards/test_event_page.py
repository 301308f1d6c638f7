"""GET /events/{id}/page: what it shows to whom, in each state of an event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.site.cards.glance import shown
from tests.site.portfolio.orders import bet, sell
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused
from tests.trading.settlement.windows import disputable, stop_payments


def page_of(event: dict[str, Any], client: Any) -> dict[str, Any]:
    """Return the page of an event as a client sees it."""
    page: dict[str, Any] = expect(client.get(f"/events/{event['id']}/page"), 200)
    return page


def first_market(event: dict[str, Any]) -> int:
    market_id: int = event["pools"][0]["markets"][0]["id"]
    return market_id


def resolve(person: Person, event: dict[str, Any], **result: Any) -> None:
    expect(person.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=result or {"won_side": 0}), 200)


@proves(
    "client: | 3 | GET /events/{id}/page (Optional)",
    "client: `{event: Event, creator: PublicUser, creator_trades (whether they ever traded in it), published_at, "
    "finish_at, resolved_at, main_pool_index, "
    "volume_kopecks, traders, comments, may: [publish, cancel, pause, resolve, image], pools: [{pool_id, paused, "
    "volume_kopecks, trades, traders, probabilities_24h, loss_bound_kopecks, resolved_at, house: null or, for whom "
    "may, {escrow_kopecks, fees_kopecks, result_kopecks}}], positions: open ones of the caller [7]}`;",
)
def test_a_visitor_sees_the_event_and_what_is_counted_of_it(service: Service) -> None:
    finish_at = "2090-05-01T12:00:00.000Z"
    pools = [pool(finish_at=finish_at), pool(["a", "b", "c"], probabilities=[0.2, 0.3, 0.5])]
    creator = service.user(creator=True)
    event = service.event(creator, pools=pools, main_pool_index=1)
    ann, bob = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    bet(ann, first_market(event), 5_000)
    bet(bob, first_market(event), 3_000)
    paid = sell(bob, first_market(event))["payout_kopecks"]
    bet(ann, event["pools"][1]["markets"][2]["id"], 700)
    expect(ann.client.post("/comments", json={"event_id": event["id"], "content": "First"}), 201)

    path = f"/events/{event['id']}/page"
    page = shown(service.client(), path, lambda page: [one["traders"] for one in page["pools"]] == [2, 1])

    assert page.pop("event") == expect(service.client().get(f"/events/{event['id']}"), 200)
    assert [one.pop("probabilities_24h") for one in page["pools"]] == [
        pytest.approx([0.5]),
        pytest.approx([0.2, 0.3, 0.5]),
    ]
    assert [one.pop("quantiles") for one in page["pools"]] == [None, None]
    bounds = [one.pop("loss_bound_kopecks") for one in page["pools"]]
    # ceil(b · ln(1 / the least prior)).
    assert bounds == [69_315, 160_944]
    assert page == {
        "creator": {
            "id": creator.id,
            "name": expect(creator.client.get("/users/me"), 200)["name"],
            "nickname": creator.nickname,
            "profile_hidden": False,
            "avatar_url": "",
        },
        "creator_trades": False,
        "published_at": page["published_at"],
        "finish_at": finish_at,
        "resolved_at": None,
        "main_pool_index": 1,
        "volume_kopecks": 8_700 + paid,
        "traders": 2,
        "comments": 1,
        "following": False,
        "may": [],
        "pools": [
            {
                "pool_id": one["id"],
                "paused": False,
                "volume_kopecks": volume,
                "trades": trades,
                "traders": traders,
                "resolved_at": None,
                "house": None,
            }
            for one, volume, trades, traders in zip(event["pools"], (8_000 + paid, 700), (3, 1), (2, 1), strict=True)
        ],
        "positions": [],
    }
    assert page["published_at"] >= event["created_at"]


def test_a_trader_sees_the_own_open_positions(service: Service) -> None:
    event, other = service.event(pools=[pool(["a", "b"]), pool()]), service.event()
    ann, bob = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    for market in (*event["pools"][0]["markets"], *event["pools"][1]["markets"], *other["pools"][0]["markets"]):
        bet(ann, market["id"], 900)
        bet(bob, market["id"], 800, "NO")
    bet(ann, first_market(event), 400, "NO")
    sell(ann, event["pools"][0]["markets"][1]["id"])

    found = page_of(event, ann.client)["positions"]
    assert found == expect(ann.client.get(f"/users/me/positions?event_id={event['id']}"), 200)["positions"]
    assert [(one["market_name"], one["token_type"]) for one in found] == [
        ("a", "NO"),
        ("Will it?", "YES"),
        ("a", "YES"),
    ]
    assert page_of(event, service.user().client)["positions"] == []

    resolve(service.creator, event)
    assert [one["pool_id"] for one in page_of(event, ann.client)["positions"]] == [event["pools"][1]["id"]]


@proves("client: creator_trades (whether they ever traded in it),")
def test_everyone_sees_that_the_creator_has_traded_for_ever(service: Service) -> None:
    creator = service.user(creator=True, balance_kopecks=3_000)
    event, other = service.event(creator, pools=[pool(["a", "b"]), pool()]), service.event(creator)
    visitors = (service.client(), service.user().client, creator.client)

    def trades(one: dict[str, Any]) -> set[bool]:
        return {page_of(one, visitor)["creator_trades"] for visitor in visitors}

    bet(service.user(balance_kopecks=1_000), first_market(event), 1_000)
    assert trades(event) == {False}
    market = event["pools"][1]["markets"][0]["id"]
    bet(creator, market, 1_000)
    assert trades(event) == {True}
    sell(creator, market)
    assert trades(event) == {True}
    assert trades(other) == {False}
    bet(creator, first_market(other), 1_000)
    resolve(creator, other, won_side=1)
    assert trades(other) == {True}


@ONCE
def test_a_visitors_page_moves_with_the_event(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b"])])
    pool_id = event["pools"][0]["id"]
    visitor, creator = service.client(), service.creator.client
    assert page_of(event, visitor)["pools"][0]["trades"] == 0
    bet(service.user(balance_kopecks=1_000), first_market(event), 1_000)
    traded = page_of(event, visitor)
    assert (traded["pools"][0]["trades"], traded["volume_kopecks"]) == (1, 1_000)
    expect(creator.post(f"/pools/{pool_id}/pause"), 200)
    assert page_of(event, visitor)["pools"][0]["paused"] is True
    resolve(service.creator, event)
    page = page_of(event, visitor)
    assert page["event"]["status"] == "resolved"
    assert page["resolved_at"] == page["pools"][0]["resolved_at"] is not None
    unchanged = visitor.get(f"/events/{event['id']}/page")
    etag = {"If-None-Match": unchanged.headers["etag"]}
    assert visitor.get(f"/events/{event['id']}/page", headers=etag).status_code == 304


@proves("client: 404 `event_not_found`.")
@ONCE
def test_of_an_event_that_a_visitor_may_not_know_of_there_is_no_page(service: Service) -> None:
    draft = service.event(publish=False)
    for client in (service.client(), service.user().client):
        refused(client.get(f"/events/{draft['id']}/page"), 404, "event_not_found")
        refused(client.get("/events/999999999/page"), 404, "event_not_found")
        refused(client.get("/events/x/page"), 400, "invalid_event_id")
    page = page_of(draft, service.creator.client)
    assert (page["published_at"], page["traders"], page["comments"]) == (None, 0, 0)
    assert page["pools"][0]["probabilities_24h"] == [0.5]
    assert page["pools"][0]["house"] == {
        "escrow_kopecks": 0,
        "fees_kopecks": 0,
        "result_kopecks": None,
        "held_kopecks": 0,
        "other_bound_kopecks": None,
    }


@proves("client: How a pool was resolved is its `resolution` (lifecycle.md) |")
@ONCE
def test_a_page_says_how_a_pool_was_resolved(service: Service) -> None:
    event = service.event()
    resolve(service.creator, event, void=True)
    resolution = page_of(event, service.client())["event"]["pools"][0]["resolution"]
    assert (resolution["state"], resolution["decided_by"], resolution["won_side"]) == ("paid", "creator", -1)


@ONCE
def test_what_its_runners_may_do_follows_its_state(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator, publish=False)
    runners = (creator.client, service.admin)

    def may(*actions: str) -> None:
        assert [page_of(event, client)["may"] for client in runners] == [list(actions)] * 2

    may("publish", "cancel", "pause", "image")
    expect(creator.client.post(f"/events/{event['id']}/publish"), 200)
    may("cancel", "pause", "resolve", "image")
    for client in (service.client(), service.user().client, service.user(creator=True).client):
        page = page_of(event, client)
        assert (page["may"], page["pools"][0]["house"]) == ([], None)
    resolve(creator, event)
    may("image")
    event = service.event(creator)
    expect(creator.client.post(f"/events/{event['id']}/cancel"), 200)
    may("image")
    event = service.event(creator, pools=[pool(), pool()])
    resolve(creator, event)
    may("cancel", "pause", "resolve", "image")


@ONCE
def test_a_decision_is_corrected_by_admins_alone(service: Service) -> None:
    event = service.event(pools=[disputable()])
    resolve(service.creator, event)
    assert page_of(event, service.creator.client)["may"] == ["cancel", "image"]
    assert page_of(event, service.admin)["may"] == ["cancel", "resolve", "image"]
    assert page_of(event, service.client())["pools"][0]["resolved_at"] is None


@ONCE
def test_what_a_rule_resolves_its_creator_does_not(service: Service) -> None:
    ruled = pool(finish_at="2090-01-01T00:00:00Z")
    ruled["metadata"]["resolution"] = {"kind": "external"}
    event = service.event(pools=[ruled], external_event_url="https://polymarket.com/event/somewhere")
    assert page_of(event, service.creator.client)["may"] == ["cancel", "pause", "image"]
    assert page_of(event, service.admin)["may"] == ["cancel", "pause", "resolve", "image"]


@ONCE
def test_a_creator_without_the_role_may_do_nothing(service: Service) -> None:
    creator = service.user(creator=True)
    event = service.event(creator)
    assert page_of(event, creator.client)["pools"][0]["house"] is not None
    expect(service.admin.patch(f"/admin/users/{creator.id}", json={"is_creator": False}), 200)
    page = shown(creator.client, f"/events/{event['id']}/page", lambda page: page["may"] == [])
    assert page["pools"][0]["house"] is None


def test_the_house_sees_its_money_in_each_pool(start_service: Callable[..., Service]) -> None:
    service = start_service()
    event = service.event(pools=[pool(["a", "b"], b=20_000, margin=0.05) for _ in range(4)])
    viewer = service.user(stats_viewer=True)
    ann, bob = service.user(balance_kopecks=900_000), service.user(balance_kopecks=900_000)
    for one in event["pools"][:3]:
        bet(ann, one["markets"][0]["id"], 30_000)
        bet(bob, one["markets"][1]["id"], 7_000)

    def house() -> list[dict[str, Any]]:
        return [one["house"] for one in page_of(event, service.creator.client)["pools"]]

    def result() -> int:
        total: int = expect(viewer.client.get("/admin/stats"), 200)["total"]["house_result_kopecks"]
        return total

    bound = page_of(event, service.client())["pools"][0]["loss_bound_kopecks"]
    fees = house()[0]["fees_kopecks"]
    assert fees > 0
    rest = {"result_kopecks": None, "held_kopecks": 0, "other_bound_kopecks": None}
    traded = {"escrow_kopecks": bound + 37_000 - fees, "fees_kopecks": fees, **rest}
    assert house() == [traded] * 3 + [{"escrow_kopecks": bound, "fees_kopecks": 0, **rest}]

    for one, body in zip(
        event["pools"], ({"won_side": 0}, {"won_side": 1}, {"void": True}, {"void": True}), strict=True
    ):
        expect(service.creator.client.post(f"/pools/{one['id']}/resolve", json=body), 200)
    results = [one["result_kopecks"] for one in house()]
    assert [one["escrow_kopecks"] for one in house()] == [0] * 4
    assert results[0] < 0 < results[1]
    assert results[3] == 0
    assert sum(results) == result()
    # The rest of it is what the traders have.
    money = [expect(person.client.get("/users/me"), 200)["balance_kopecks"] for person in (ann, bob)]
    assert sum(money) + sum(results) == 1_800_000


def test_a_pools_result_comes_with_its_last_payment(start_service: Callable[..., Service]) -> None:
    service = start_service()
    event = service.event()
    bet(service.user(balance_kopecks=1_000), first_market(event), 1_000)
    stop_payments(service)
    service.together([("POST", f"/pools/{event['pools'][0]['id']}/resolve", {"json": {"won_side": 1}})])
    creator = service.creator.client
    assert page_of(event, creator)["pools"][0]["house"]["result_kopecks"] is None


def test_a_day_later_the_prices_of_before_are_shown(start_service: Callable[..., Service]) -> None:
    service = start_service()
    event = service.event(pools=[pool(["a", "b"])])
    bet(service.user(balance_kopecks=9_000), first_market(event), 9_000)
    after = [market["yes_probability"] for market in page_of(event, service.client())["event"]["pools"][0]["markets"]]
    assert page_of(event, service.client())["pools"][0]["probabilities_24h"] == pytest.approx([0.5, 0.5])
    service.clock.advance(DAY_MS + HOUR_MS + MINUTE_MS)
    assert page_of(event, service.client())["pools"][0]["probabilities_24h"] == after
