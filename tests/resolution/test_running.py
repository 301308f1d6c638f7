"""A running service resolves pools by itself, as its clients see it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from foreknow.kernel.clock import iso, millis
from tests.support.cluster import wait_until
from tests.support.proofs import proves
from tests.support.providers import BINANCE, Reply, provider
from tests.support.service import Service, expect, refused

MINUTE = 60_000


def price_pool(service: Service, symbol: str, **rule: Any) -> dict[str, Any]:
    outcomes = [{"below": 64_000}, {"from": 64_000}]
    resolution = {"kind": "price", "symbol": symbol, "outcomes": outcomes} | rule
    metadata = {"market_names": ["Below", "At or above"], "resolution": resolution}
    return {"name": "Price", "finish_at": iso(service.clock() + MINUTE), "metadata": metadata}


def pool_of(service: Service, event: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)
    return found


def set_price(service: Service, symbol: str, price: float) -> None:
    body = {"name": symbol, "asset_type": "crypto", "price": price}
    expect(service.admin.put(f"/admin/assets/{symbol}", json=body), 200)


@proves(
    "lifecycle: Then, or at once without a window, it is final: `resolved` and `won_side` are set;",
)
def test_a_price_that_an_admin_sets_after_the_end_resolves_and_pays_a_pool(fresh_service: Service) -> None:
    service = fresh_service
    set_price(service, "BTC", 1)
    event = service.event(pools=[price_pool(service, "btc")])
    trader = service.user(balance_kopecks=1_000)
    order = {"market_id": event["pools"][0]["markets"][1]["id"], "token_type": "YES", "amount_kopecks": 1_000}
    bet = expect(trader.client.post("/market/bets", json=order), 201)
    service.clock.advance(MINUTE)
    assert pool_of(service, event)["won_side"] is None
    set_price(service, "BTC", 64_000)
    wait_until(lambda: pool_of(service, event)["won_side"] == 1)
    wait_until(lambda: expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == bet["shares"])
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "resolved"


@proves("lifecycle: Providers are asked within 5 s of such a `finish_at`.")
def test_the_providers_of_an_asset_are_asked_at_the_end_however_rare_their_turn(
    start_service: Callable[..., Service],
) -> None:
    with provider() as served:
        served.replies["/ticker"] = Reply(BINANCE)
        exchange = {
            "adapter": "binance",
            "url": served.url + "/ticker",
            "name": "binance",
            "every_s": 86_400,
            "assets": {"BTC": {"pair": "BTCUSDT"}},
        }
        service = start_service(asset_providers=[exchange])
        wait_until(lambda: service.client().get("/assets/BTC/price").status_code == 200)
        event = service.event(pools=[price_pool(service, "BTC", source="binance")])
        service.clock.advance(MINUTE)
        wait_until(lambda: pool_of(service, event)["won_side"] == 1)


@proves("lifecycle: `resolution_needed`,")
def test_a_pool_whose_rule_gives_no_result_waits_for_a_person(fresh_service: Service) -> None:
    service = fresh_service
    event = service.event(pools=[price_pool(service, "BTC", within_seconds=1)])
    service.clock.advance(MINUTE + 2_000)
    wait_until(lambda: expect(service.admin.get("/admin/attention"), 200)["entries"])
    (entry,) = expect(service.admin.get("/admin/attention"), 200)["entries"]
    assert (entry["kind"], entry["reason"]) == ("resolution", "no_price")
    assert (entry["event_id"], entry["pool_id"]) == (event["id"], event["pools"][0]["id"])
    notices = expect(service.creator.client.get("/notifications"), 200)["notifications"]
    assert [notice["type"] for notice in notices] == ["resolution_needed", "event_published"]


@proves("lifecycle: New notices to the creator: `event_closed` (a pool waits for a hand),")
def test_the_creator_is_notified_of_an_event_that_waits_to_be_resolved(fresh_service: Service) -> None:
    service = fresh_service
    event = service.event(pools=[{"name": "By hand", "finish_at": iso(service.clock() + MINUTE)}])
    service.clock.advance(MINUTE)

    def newest() -> Any:
        return expect(service.creator.client.get("/notifications"), 200)["notifications"][0]

    wait_until(lambda: newest()["type"] == "event_closed")
    assert newest()["event_id"] == event["id"]


@proves("lifecycle: One clock, the database's", "lifecycle: on every server, however wrong its own.")
@pytest.mark.parametrize("off_ms", [-10_000, 10_000])
def test_publication_and_rules_go_by_the_databases_clock_on_a_slow_server_and_on_a_fast_one(
    start_service: Callable[..., Service], off_ms: int
) -> None:
    service = start_service(server_off_ms=off_ms)
    event, late = (service.event(publish=False, pools=[price_pool(service, "BTC")]) for _ in range(2))
    finish_at_ms = millis(datetime.fromisoformat(event["pools"][0]["finish_at"]))
    service.clock.stop_at(finish_at_ms - 1)
    expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    # A millisecond early, this price decides nothing.
    set_price(service, "BTC", 1)
    service.clock.stop_at(millis(datetime.fromisoformat(late["pools"][0]["finish_at"])))
    refused(service.creator.client.post(f"/events/{late['id']}/publish"), 409, "invalid_state")
    service.clock.stop_at(finish_at_ms)
    set_price(service, "BTC", 64_000)
    wait_until(lambda: pool_of(service, event)["won_side"] is not None)
    assert pool_of(service, event)["won_side"] == 1
