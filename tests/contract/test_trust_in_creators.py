"""What creators may not do to those who trade in their events, whatever they hold themselves.

Each attack is run as the creator's own client would run it; the trader who is right is paid all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, iso
from tests.support import partner_orders
from tests.support.kinds import ONCE
from tests.support.orders import add_liquidity, balance, bet, sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused
from tests.support.waiting import wait_until

CANCELLING = "lifecycle: From its `finish_at` until its verdict, and once its creator has paused it, only an admin"


def price_pool(service: Service, symbol: str, *, after_ms: int = MINUTE_MS, **rule: Any) -> dict[str, Any]:
    """Describe a pool whose second outcome wins where the price is 100 or more."""
    resolution = {"kind": "price", "symbol": symbol, "outcomes": [{"below": 100}, {"from": 100}]} | rule
    described = pool(["Below", "At or above"], b=10_000, finish_at=iso(service.clock() + after_ms))
    described["metadata"]["resolution"] = resolution
    return described


def set_price(service: Service, symbol: str, price: float) -> None:
    body = {"name": symbol, "asset_type": "crypto", "price": price}
    expect(service.admin.put(f"/admin/assets/{symbol}", json=body), 200)


def may(client: Any, event: dict[str, Any]) -> list[str]:
    found: list[str] = expect(client.get(f"/events/{event['id']}/page"), 200)["may"]
    return found


def cancel(client: Any, event: dict[str, Any]) -> Any:
    return client.post(f"/events/{event['id']}/cancel")


@proves("lifecycle: later `finish_at` alone (of a pool with a rule: an admin alone, else 403),")
def test_no_creator_moves_the_deadline_of_a_rule_to_a_moment_whose_price_suits_them(moving_service: Service) -> None:
    """At an hour from now the price may be anything; now it is what the creator bet on."""
    service = moving_service
    creator = service.user(balance_kopecks=10_000, creator=True)
    event = service.event(creator, pools=[price_pool(service, "EARLY", after_ms=HOUR_MS)], publish=False)
    pool_id, finish_at = event["pools"][0]["id"], event["pools"][0]["finish_at"]
    path = f"/pools/{pool_id}"
    # Before it is published it is the creator's own.
    expect(creator.client.patch(path, json={"finish_at": iso(service.clock() + 2 * HOUR_MS)}), 200)
    expect(creator.client.patch(path, json={"finish_at": finish_at}), 200)
    expect(creator.client.post(f"/events/{event['id']}/publish"), 200)
    expect(bet(creator, event["pools"][0]["markets"][1]["id"], "YES", 10_000), 201)

    sooner, later = (iso(service.clock() + ms) for ms in (10 * MINUTE_MS, 2 * HOUR_MS))
    refused(creator.client.patch(path, json={"finish_at": sooner}), 403, "forbidden")
    refused(creator.client.patch(path, json={"finish_at": later}), 403, "forbidden")
    # What no one may change is refused as that.
    refused(creator.client.patch(path, json={"finish_at": sooner, "name": "Other"}), 409, "invalid_state")
    assert expect(service.client().get(path), 200)["finish_at"] == finish_at
    service.clock.advance(11 * MINUTE_MS)
    set_price(service, "EARLY", 120)
    assert expect(creator.client.get(path), 200)["resolution"]["state"] == "open"
    assert expect(service.admin.patch(path, json={"finish_at": later}), 200)["finish_at"] == later


@proves(CANCELLING, "lifecycle: only an admin cancels its event (else 403).")
def test_no_creator_cancels_what_they_lose_between_the_deadline_and_the_result(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True, balance_kopecks=20_000)
    ruled, beside = price_pool(service, "LOST", dispute_minutes=10), pool(["Yes", "No"])
    event = service.event(creator, pools=[ruled, beside])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    ann = service.user(balance_kopecks=5_000)
    assert may(creator.client, event) == ["cancel", "pause", "resolve", "image"]
    expect(bet(creator, first, "YES", 20_000), 201)
    shares = expect(bet(ann, second, "YES", 5_000), 201)["shares"]
    service.clock.advance(MINUTE_MS)

    refused(cancel(creator.client, event), 403, "forbidden")
    assert may(creator.client, event) == ["pause", "resolve", "image"]
    assert "cancel" in may(service.admin, event)
    set_price(service, "LOST", 120)
    path = f"/pools/{event['pools'][0]['id']}"
    wait_until(lambda: expect(ann.client.get(path), 200)["resolution"]["state"] == "decided")
    # It was traded with a window: an admin alone cancels it, which leaves the result as it is.
    refused(cancel(creator.client, event), 403, "forbidden")
    assert expect(cancel(service.admin, event), 200)["status"] == "cancelled"
    service.clock.advance(10 * MINUTE_MS)
    wait_until(lambda: balance(ann) == shares)
    refused(cancel(creator.client, event), 409, "invalid_state")


def test_without_a_price_no_creator_cancels_either_but_gives_the_result_by_hand(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True)
    event = service.event(creator, pools=[price_pool(service, "NEVER", within_seconds=1)])
    pool_id = event["pools"][0]["id"]
    service.clock.advance(MINUTE_MS + 2_000)
    wait_until(lambda: expect(creator.client.get(f"/pools/{pool_id}"), 200)["resolution"]["state"] == "attention")
    refused(cancel(creator.client, event), 403, "forbidden")
    assert may(creator.client, event) == ["pause", "resolve", "image"]
    assert expect(cancel(service.admin, event), 200)["status"] == "cancelled"


@proves(CANCELLING)
def test_no_creator_stops_the_trading_of_a_rules_pool_and_cancels_at_the_price_that_it_left(
    moving_service: Service,
) -> None:
    """Paused, the last price stays as it is, and the creator waits for what the asset does. Resuming undoes nothing."""
    service = moving_service
    creator = service.user(creator=True)
    event = service.event(creator, pools=[price_pool(service, "PAUSED", after_ms=HOUR_MS)])
    path = f"/pools/{event['pools'][0]['id']}"
    # An admin's pause is not the creator's.
    expect(service.admin.post(f"{path}/pause"), 200)
    expect(service.admin.post(f"{path}/resume"), 200)
    assert "cancel" in may(creator.client, event)
    expect(creator.client.post(f"{path}/resume"), 200)
    assert "cancel" in may(creator.client, event)
    expect(creator.client.post(f"{path}/pause"), 200)
    refused(cancel(creator.client, event), 403, "forbidden")
    expect(creator.client.post(f"{path}/resume"), 200)
    refused(cancel(creator.client, event), 403, "forbidden")
    assert "cancel" not in may(creator.client, event)
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "active"
    assert expect(cancel(service.admin, event), 200)["status"] == "cancelled"


def test_creators_still_cancel_what_no_rule_resolves_and_what_was_never_published(moving_service: Service) -> None:
    service = moving_service
    creator = service.user(creator=True)
    by_hand = service.event(creator, pools=[pool(finish_at=iso(service.clock() + MINUTE_MS))])
    draft = service.event(creator, pools=[price_pool(service, "DRAFT")], publish=False)
    for event in (by_hand, draft):
        expect(creator.client.post(f"/pools/{event['pools'][0]['id']}/pause"), 200)
    service.clock.advance(MINUTE_MS)
    for event in (by_hand, draft):
        assert "cancel" in may(creator.client, event)
        assert expect(cancel(creator.client, event), 200)["status"] == "cancelled"


@proves("lifecycle: from an admin alone (else 403):")
@pytest.mark.parametrize("is_ruled", [False, True])
def test_no_creator_voids_at_the_moment_at_which_they_held_the_most(moving_service: Service, is_ruled: bool) -> None:
    """They buy until the price is high, sell nothing, and would be paid that price when it is low again."""
    service = moving_service
    described = price_pool(service, "VOID", after_ms=HOUR_MS) if is_ruled else pool(["Below", "At or above"], b=10_000)
    creator = service.user(creator=True, balance_kopecks=30_000)
    event = service.event(creator, pools=[described])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    expect(bet(creator, first, "YES", 30_000), 201)
    highest = iso(service.clock())
    service.clock.advance(MINUTE_MS)
    ann = service.user(balance_kopecks=40_000)
    expect(bet(ann, second, "YES", 40_000), 201)
    service.clock.advance(MINUTE_MS)

    path, body = f"/pools/{event['pools'][0]['id']}/resolve", {"void": True, "at": highest}
    refused(creator.client.post(path, json=body), 403, "forbidden")
    refused(creator.client.post(path, json=body | {"at": iso(service.clock() + MINUTE_MS)}), 403, "forbidden")
    assert expect(service.admin.post(path, json=body), 200)["resolution"]["void_at"] == highest
    # Not even what stands already.
    refused(creator.client.post(path, json=body), 403, "forbidden")


@proves("lifecycle: `slippage` where a price is over 0.005 from `probabilities`;")
def test_no_one_trades_around_an_addition_of_liquidity_at_the_houses_cost(moving_service: Service) -> None:
    """Ann has seen it coming: she moves the price first and sells into the deeper market, which pays her for it."""
    service = moving_service
    creator, ann = service.user(creator=True), service.user(balance_kopecks=400_000)
    event = service.event(creator, pools=[pool(["A", "B"], b=100_000)])
    (made,) = event["pools"]
    seen = [market["yes_probability"] for market in made["markets"]]
    expect(bet(ann, made["markets"][0]["id"], "YES", 400_000), 201)
    raised = {"lmsr_b_kopecks": 10_000_000}
    # As it was sent until now.
    refused(creator.client.post(f"/pools/{made['id']}/liquidity", json=raised), 400, "bad_request")
    refused(add_liquidity(creator.client, made["id"], 10_000_000, probabilities=seen), 409, "slippage")
    expect(sell(ann, made["markets"][0]["id"], "YES"), 201)
    assert balance(ann) <= 400_000


@proves(
    "decisions: `FOREKNOW_CREATORS_TRADE` (`on`): with `off` a creator's orders and quotes in their own events are 403 "
    "`own_event`."
)
@ONCE
def test_where_creators_may_not_trade_at_home_each_order_and_quote_of_theirs_is_refused(
    start_service: Callable[..., Service],
) -> None:
    """They know more than others, and decide who wins."""
    service = start_service()
    creator = service.user(creator=True, balance_kopecks=10_000)
    event, done = service.event(creator), service.event(creator)
    market = event["pools"][0]["markets"][0]["id"]
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    key = {"Idempotency-Key": "before"}
    receipt = expect(creator.client.post("/market/bets", json=order, headers=key), 201)
    expect(creator.client.post(f"/pools/{done['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    service.stop()
    service = start_service(creators_trade="off")

    home = service.client(creator.token)
    bot = service.client(expect(home.post("/users/me/keys", json={"name": "Bot", "scope": "trade"}), 201)["key"])
    draft = expect(home.post("/events/create-full", json={"name": "Draft", "pools": [pool()]}), 201)
    resolved, unpublished = (one["pools"][0]["markets"][0]["id"] for one in (done, draft))
    for client in (home, bot):
        # Before the market's state is looked at, and what they hold or ask for.
        for one in (market, resolved, unpublished):
            refused(client.post("/market/bets", json=order | {"market_id": one}), 403, "own_event")
            refused(client.get("/market/quote", params=order | {"market_id": one}), 403, "own_event")
        for shares in (None, 1, 10**9):
            sale = {"market_id": market, "token_type": "YES", "shares": shares}
            refused(client.post("/market/positions/sell", json=sale), 403, "own_event")
    quote = {"market_id": market, "token_type": "YES", "shares": 100}
    refused(home.get("/market/quote", params=quote), 403, "own_event")
    assert expect(home.get("/users/me"), 200)["balance_kopecks"] == 9_000
    # What was executed before is answered as it was.
    again = home.post("/market/bets", json=order, headers=key)
    assert (expect(again, 201), again.headers["Idempotency-Replayed"]) == (receipt, "true")

    # Everywhere else they trade, and everybody else trades here, admins and other creators too.
    refused(home.post("/market/bets", json=order | {"market_id": 10**9}), 404, "market_not_found")
    elsewhere = partner_orders.a_market(service)
    expect(home.get("/market/quote", params=order | {"market_id": elsewhere}), 200)
    expect(home.post("/market/bets", json=order | {"market_id": elsewhere}), 201)
    expect(service.client().get("/market/quote", params=order), 200)
    for person in (service.user(creator=True, admin=True, balance_kopecks=1_000), service.user(balance_kopecks=1_000)):
        expect(person.client.get("/market/quote", params=order), 200)
        expect(bet(person, market, "YES", 1_000), 201)
    refused(
        service.user(creator=True).client.post("/market/bets", json=order | {"market_id": unpublished}),
        404,
        "market_not_found",
    )
    partner = service.partner(float_kopecks=1_000)
    expect(partner_orders.bet(partner, "kim", market, 1_000), 201)
    expect(partner_orders.sell(partner, "kim", market), 201)
