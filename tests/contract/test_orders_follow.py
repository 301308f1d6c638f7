"""Resting orders that follow what changes the curve beside orders, and past moments with fills (orders.md, rule 8)."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.books import Auditor
from tests.support.limit_orders import get_order, money, place, work
from tests.support.orders import add_liquidity, bet, open_market
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import wait_until


def shown(service: Service, pool_id: int) -> dict[str, Any]:
    """Return a pool as anyone sees it."""
    found: dict[str, Any] = expect(service.client().get(f"/pools/{pool_id}"), 200)
    return found


def rested(person: Person, market: int, *, shares: int, price: int) -> dict[str, Any]:
    """Place an order that takes what it can at once; return what rests of it."""
    placed: dict[str, Any] = expect(place(person, market, "YES", "buy", shares=shares, price=price), 201)
    assert placed["status"] == "open"
    return placed


@proves(
    "orders: `probability_before` of the first, of answers and quotes is their market's before, all else its market's "
    "after the sweep;",
)
def test_the_first_trade_after_added_liquidity_begins_at_the_price_before(service: Service) -> None:
    event = service.event(pools=[pool(probabilities=[0.5], b=2_000)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    rested(service.user(balance_kopecks=50_000), market, shares=20_000, price=60)
    before = shown(service, pool_id)["markets"][0]["yes_probability"]

    expect(add_liquidity(service.creator.client, pool_id, 20_000), 200)

    followed, _taken = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    after = shown(service, pool_id)["markets"][0]["yes_probability"]
    assert after > before
    assert (followed["probability_before"], followed["probability_after"]) == (before, after)


@pytest.mark.parametrize("is_paused", [False, True])
def test_added_liquidity_is_taken_at_once_unless_the_pool_is_paused(service: Service, is_paused: bool) -> None:
    (made,) = service.event(pools=[pool(probabilities=[0.5], b=2_000)])["pools"]
    market = made["markets"][0]["id"]
    maker = service.user(balance_kopecks=50_000)
    order = rested(maker, market, shares=20_000, price=60)
    before = get_order(maker, order["id"])["filled_shares"]
    if is_paused:
        expect(service.admin.post(f"/pools/{made['id']}/pause"), 200)

    answer = expect(add_liquidity(service.creator.client, made["id"], 20_000), 200)

    filled = get_order(maker, order["id"])
    if is_paused:
        assert filled["filled_shares"] == before
        expect(service.admin.post(f"/pools/{made['id']}/resume"), 200)
        expect(bet(service.user(balance_kopecks=1_000), market, "NO", 10), 201)
        filled = get_order(maker, order["id"])
    else:
        assert answer["markets"] == shown(service, made["id"])["markets"]
        assert answer["markets"][0]["yes_probability"] > 0.59
    assert filled["filled_shares"] > before
    price = shown(service, made["id"])["markets"][0]["yes_probability"]
    assert price <= 0.6
    wait_until(lambda: money(maker)[1] == (20_000 - filled["filled_shares"]) // 100 * 60)
    Auditor(service).audit()


@proves("lifecycle: not less than now (equal moves nothing);")
def test_the_present_liquidity_again_lets_nothing_follow(service: Service) -> None:
    (made,) = service.event(pools=[pool(probabilities=[0.5], b=2_000)])["pools"]
    market = made["markets"][0]["id"]
    order = rested(maker := service.user(balance_kopecks=50_000), market, shares=20_000, price=60)
    before = get_order(maker, order["id"])["filled_shares"]
    # What was paused is taken by the next sweep, as what one has left after its 50 pieces.
    expect(service.admin.post(f"/pools/{made['id']}/pause"), 200)
    expect(add_liquidity(service.creator.client, made["id"], 20_000), 200)
    expect(service.admin.post(f"/pools/{made['id']}/resume"), 200)

    answer = expect(add_liquidity(service.creator.client, made["id"], 20_000), 200)

    assert answer == shown(service, made["id"])
    assert get_order(maker, order["id"])["filled_shares"] == before
    expect(bet(service.user(balance_kopecks=1_000), market, "NO", 10), 201)
    assert get_order(maker, order["id"])["filled_shares"] > before


@proves("orders: A correction, or a void, also at a moment, changes what shares are paid, never a fill")
def test_a_void_at_a_moment_reckons_with_fills_before_and_after(still_service: Service) -> None:
    service = still_service
    (made,) = service.event(pools=[pool(probabilities=[0.5], b=50_000)])["pools"]
    market = made["markets"][0]["id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=200_000)
    now_ms = service.clock()
    service.clock.stop_at(now_ms)
    first = rested(maker, market, shares=3_000, price=40)
    expect(bet(taker, market, "NO", 30_000), 201)
    assert get_order(maker, first["id"])["status"] == "filled"
    moment_ms = now_ms
    then = shown(service, made["id"])["markets"][0]["yes_probability"]
    service.clock.stop_at(now_ms + 1_000)
    second = rested(maker, market, shares=3_000, price=20)
    expect(bet(taker, market, "NO", 60_000), 201)
    assert get_order(maker, second["id"])["status"] == "filled"
    assert shown(service, made["id"])["markets"][0]["yes_probability"] < then - 0.05
    fills = [get_order(maker, one["id"]) for one in (first, second)]
    work(service)
    before, held = money(maker)
    assert held == 0

    expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"void": True, "at": iso(moment_ms)}), 200)

    wait_until(lambda: expect(maker.client.get("/market/positions"), 200)["positions"] == [])
    assert money(maker) == (before + int(6_000 * then), 0)
    assert [get_order(maker, one["id"]) | {"held_kopecks": 0} for one in fills] == [
        one | {"held_kopecks": 0} for one in fills
    ]
    Auditor(service).audit()


def test_what_a_resting_order_gets_counts_for_leaders_and_holders(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=50_000)
    pool_id = expect(service.client().get(f"/markets/{market}"), 200)["pool_id"]
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=200_000)
    order = rested(maker, market, shares=3_000, price=40)
    expect(bet(taker, market, "NO", 30_000), 201)
    assert get_order(maker, order["id"])["status"] == "filled"

    def holders() -> set[tuple[int, int]]:
        answer = expect(service.client().get(f"/pools/{pool_id}/holders"), 200)
        return {(one["user"]["id"], one["shares"]) for one in answer["markets"][0]["yes"]}

    wait_until(lambda: holders() == {(maker.id, 3_000)})
