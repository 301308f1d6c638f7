"""A running service resolves pools by itself, as its clients see it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from foreknow.kernel.clock import iso, millis
from foreknow.market.series import opener
from foreknow.people.attention import alerts
from foreknow.platform.jobs import piecewise
from foreknow.trading.resolution import service as resolver
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.proofs import proves
from tests.support.providers import BINANCE, Reply, provider
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

MINUTE = 60_000


def price_pool(service: Service, symbol: str, **rule: Any) -> dict[str, Any]:
    outcomes = [{"below": 64_000}, {"from": 64_000}]
    resolution = {"kind": "price", "symbol": symbol, "outcomes": outcomes} | rule
    metadata = {"market_names": ["Below", "At or above"], "resolution": resolution}
    return {"name": "Price", "finish_at": iso(service.clock() + MINUTE), "metadata": metadata}


def pool_of(service: Service, event: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)
    return found


def notices_of(service: Service, event: dict[str, Any]) -> list[str]:
    """Return the types of the creator's notices of an event, newest first."""
    page = expect(service.creator.client.get("/notifications"), 200)
    return [notice["type"] for notice in page["notifications"] if notice["event_id"] == event["id"]]


def set_price(service: Service, symbol: str, price: float) -> None:
    body = {"name": symbol, "asset_type": "crypto", "price": price}
    expect(service.admin.put(f"/admin/assets/{symbol}", json=body), 200)


@proves(
    "lifecycle: Then, or at once without a window, it is final: `resolved` and `won_side` are set;",
)
def test_a_price_that_an_admin_sets_after_the_end_resolves_and_pays_a_pool(moving_service: Service) -> None:
    service = moving_service
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
def test_a_pool_whose_rule_gives_no_result_waits_for_a_person(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[price_pool(service, "NONE", within_seconds=1)])
    service.clock.advance(MINUTE + 2_000)

    def waiting() -> list[dict[str, Any]]:
        entries = expect(service.admin.get("/admin/attention"), 200)["entries"]
        return [entry for entry in entries if entry["event_id"] == event["id"]]

    wait_until(waiting)
    (entry,) = waiting()
    assert (entry["kind"], entry["reason"]) == ("resolution", "no_price")
    assert entry["pool_id"] == event["pools"][0]["id"]
    assert notices_of(service, event) == ["resolution_needed"]


@proves("lifecycle: New notices to the creator: `event_closed` (a pool waits for a hand),")
def test_the_creator_is_notified_of_an_event_that_waits_to_be_resolved(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[{"name": "By hand", "finish_at": iso(service.clock() + MINUTE)}])
    service.clock.advance(MINUTE)
    wait_until(lambda: notices_of(service, event) == ["event_closed"])


@proves("lifecycle: One clock, the database's", "lifecycle: on every server, however wrong its own.")
@FIRST_ON_POSTGRES
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


SHOWN = (
    "lifecycle: Pool gets `resolution`: `{kind, state: open|waiting|attention|decided|paying|paid, symbol, source, "
    "outcomes (numbers filled in), strike, evidence, decided_at, decided_by: rule|creator|admin, won_side, payouts, "
    "void_at, disputable_until, reason: no_price|no_result|no_single_winner}`, null where it does not apply;"
)
NAMES = (
    *("symbol", "source", "outcomes", "strike", "evidence", "decided_at", "decided_by", "won_side", "payouts"),
    *("value", "values", "void_at", "disputable_until", "held_until", "reason"),
)
#: Of a pool by hand that no one has resolved.
OPEN: dict[str, Any] = {
    **dict.fromkeys(NAMES),
    "kind": "manual",
    "state": "open",
    "dispute_minutes": 0,
    "objections": 0,
    "history": [],
    **dict.fromkeys(("note", "note_ru", "source_url"), ""),
}


@proves(SHOWN)
def test_a_pool_by_hand_shows_what_its_creator_decided(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[{"name": "By hand", "finish_at": iso(service.clock() + MINUTE)}])
    assert pool_of(service, event)["resolution"] == OPEN
    service.clock.advance(MINUTE)
    assert pool_of(service, event)["resolution"] == OPEN | {"state": "waiting"}
    path, body = f"/pools/{event['pools'][0]['id']}/resolve", {"payouts": [0.25, 0.75]}
    shown = expect(service.creator.client.post(path, json=body), 200)["resolution"]
    assert shown["decided_at"] is not None
    decided = {"decided_at": shown["decided_at"], "decided_by": "creator", "won_side": -1, "payouts": [0.25, 0.75]}
    (verdict,) = shown["history"]
    assert {name: verdict[name] for name in decided} == decided
    assert shown == OPEN | decided | {"state": "paid", "history": [verdict]}


@proves(SHOWN, "lifecycle: `strike`, `evidence`: observations or")
def test_a_pool_by_price_shows_its_strike_its_bounds_and_what_decided(moving_service: Service) -> None:
    service = moving_service
    set_price(service, "BTC", 60_000)
    bounds = [{"below": {"times": 1.05}}, {"from": {"times": 1.05}}]
    rule = {"source": "admin", "within_seconds": 1, "dispute_minutes": 1, "outcomes": bounds}
    event = service.event(pools=[price_pool(service, "BTC", **rule)])
    first = pool_of(service, event)["resolution"]
    strike = {"price": 60_000, "observed_at": first["strike"]["observed_at"], "source": "admin"}
    filled = {"symbol": "BTC", "source": "admin", "outcomes": [{"below": 63_000}, {"from": 63_000}], "strike": strike}
    by_price = OPEN | {"kind": "price", "dispute_minutes": 1} | filled
    assert first == by_price
    service.clock.stop_at(millis(datetime.fromisoformat(event["pools"][0]["finish_at"])))
    assert pool_of(service, event)["resolution"] == by_price | {"state": "waiting"}
    set_price(service, "BTC", 63_000)
    wait_until(lambda: pool_of(service, event)["resolution"]["state"] == "decided")
    shown = pool_of(service, event)["resolution"]
    evidence = {"price": 63_000, "observed_at": shown["evidence"]["observed_at"], "source": "admin"}
    decided = {"state": "decided", "decided_by": "rule", "won_side": 1, "payouts": [0, 1], "evidence": evidence}
    decided["value"] = "63000"
    times = {"decided_at": shown["decided_at"], "disputable_until": shown["disputable_until"]}
    (verdict,) = shown["history"]
    assert (verdict["won_side"], verdict["decided_by"], verdict["decider_trades"]) == (1, "rule", None)
    decided["history"] = [verdict]
    assert shown == by_price | decided | times
    assert event["pools"][0]["finish_at"] <= evidence["observed_at"] <= shown["decided_at"] < shown["disputable_until"]
    late = service.event(pools=[price_pool(service, "NEVER", within_seconds=1)])
    service.clock.stop_at(service.clock() + MINUTE + 2_000)
    wait_until(lambda: pool_of(service, late)["resolution"]["state"] == "attention")
    missed = {"kind": "price", "symbol": "NEVER", "outcomes": [{"below": 64_000}, {"from": 64_000}]}
    assert pool_of(service, late)["resolution"] == OPEN | missed | {"state": "attention", "reason": "no_price"}
    wait_until(lambda: pool_of(service, event)["resolution"]["state"] == "paid")
    assert pool_of(service, event)["resolution"] == by_price | decided | times | {"state": "paid"}


@proves("lifecycle: Background work only opens instances, gives rules' verdicts, pays and tells: within 2 s,")
def test_all_that_falls_due_at_the_end_of_an_instance_is_done_in_the_background(moving_service: Service) -> None:
    service = moving_service
    event = service.event(loop_interval_minutes=1, pools=[price_pool(service, "BTC")])
    trader = service.user(balance_kopecks=1_000)
    order = {"market_id": event["pools"][0]["markets"][1]["id"], "token_type": "YES", "amount_kopecks": 1_000}
    shares = expect(trader.client.post("/market/bets", json=order), 201)["shares"]
    service.clock.stop_at(millis(datetime.fromisoformat(event["pools"][0]["finish_at"])))
    # States have changed at once.
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "closed"
    set_price(service, "BTC", 64_000)

    def shown() -> dict[str, Any]:
        found: dict[str, Any] = expect(service.client().get(f"/events/{event['id']}"), 200)
        return found

    wait_until(lambda: shown()["pools"][0]["resolution"]["state"] == "paid")
    wait_until(lambda: shown()["series"]["next_event_id"] is not None)
    assert expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == shares
    assert "event_resolved" in notices_of(service, event)
    # It is looked for often enough: a payment follows its result at once, and the rest waits for nothing else.
    assert max(opener.POLL_S, resolver.POLL_S, piecewise.POLL_S, alerts.POLL_S) <= 1
