"""Single markets and their order books over HTTP."""

from __future__ import annotations

import math
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.book import MP
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.service import Service, expect, pool, refused


def only_market(event: dict[str, Any]) -> dict[str, Any]:
    market: dict[str, Any] = event["pools"][0]["markets"][0]
    return market


def bet(service: Service, market_id: int, side: str, amount_kopecks: int) -> dict[str, Any]:
    trader = service.user(balance_kopecks=amount_kopecks)
    body = {"market_id": market_id, "token_type": side, "amount_kopecks": amount_kopecks}
    answer: dict[str, Any] = expect(trader.client.post("/market/bets", json=body), 201)
    return answer


def orderbook(service: Service, market_id: int) -> dict[str, Any]:
    answer: dict[str, Any] = expect(service.client().get(f"/market/orderbook/{market_id}"), 200)
    return answer


def test_a_market_shows_its_price_and_what_was_traded(service: Service) -> None:
    event = service.event(pools=[pool(["a", "b", "c"], b=10_000)])
    first, second, third = event["pools"][0]["markets"]
    assert expect(service.client().get(f"/markets/{second['id']}"), 200) == second
    made = bet(service, second["id"], "YES", 1_000)
    shown = expect(service.client().get(f"/markets/{second['id']}"), 200)
    assert shown == second | {
        "q_yes": made["shares"],
        "volume": 1_000,
        "yes_probability": made["probability_after"],
    }
    rest = [expect(service.client().get(f"/markets/{other['id']}"), 200) for other in (first, third)]
    total = shown["yes_probability"] + sum(market["yes_probability"] for market in rest)
    assert total == pytest.approx(1, abs=1e-12)


def test_a_resolved_market_keeps_its_last_price(service: Service) -> None:
    event = service.event()
    market = only_market(event)
    made = bet(service, market["id"], "NO", 50_000)
    expect(service.creator.client.post(f"/pools/{market['pool_id']}/resolve", json={"won_side": 0}), 200)
    shown = expect(service.client().get(f"/markets/{market['id']}"), 200)
    assert (shown["resolved"], shown["yes_probability"]) == (True, made["probability_after"])
    assert shown["q_no"] == made["shares"]


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("b", "probability"), [(100_000, 0.5), (100, 0.37), (10**12, 0.9999), (777, 0.0001)])
def test_the_book_is_the_depth_ladder(service: Service, b: int, probability: float) -> None:
    """Every level against logarithms of the odds: moving YES from p to r takes b·(logit r − logit p) shares."""
    market = only_market(service.event(pools=[pool(b=b, probabilities=[probability])]))

    def logit(p: float | str) -> Any:
        exact = MP.mpf(str(p))
        return MP.log(exact / (1 - exact))

    def ladder(levels: list[int], sign: int) -> list[dict[str, int]]:
        found = []
        before = logit(probability)
        for percent in levels:
            here = logit(f"0.{percent:02d}")
            amount = int(MP.floor(b * sign * (here - before)))
            if amount:
                found.append({"price": 100 * percent, "amount": amount})
            before = here
        return found

    above = [percent for percent in range(1, 100) if percent / 100 > probability]
    below = [percent for percent in range(99, 0, -1) if percent / 100 < probability]
    assert orderbook(service, market["id"]) == {
        "market_id": market["id"],
        "asks": ladder(above, 1),
        "bids": ladder(below, -1),
    }


def test_the_book_follows_the_price(service: Service) -> None:
    market = only_market(service.event())
    before = orderbook(service, market["id"])
    assert before["asks"][0]["price"] == 5_100
    assert before["bids"][0]["price"] == 4_900
    after_price = bet(service, market["id"], "YES", 20_000)["probability_after"]
    after = orderbook(service, market["id"])
    assert after["asks"][0]["price"] == 100 * math.ceil(100 * after_price)
    assert after["bids"][0]["price"] == 100 * math.floor(100 * after_price)
    assert [level["price"] for level in after["bids"]] == sorted(
        (level["price"] for level in after["bids"]), reverse=True
    )
    assert [level["price"] for level in after["asks"]] == sorted(level["price"] for level in after["asks"])


def test_what_cannot_be_traded_has_an_empty_book(service: Service) -> None:
    waiting = only_market(service.event(pools=[pool(live_at="2033-01-01T00:00:00Z")]))
    resolved = only_market(service.event())
    expect(service.creator.client.post(f"/pools/{resolved['pool_id']}/resolve", json={"won_side": 0}), 200)
    cancelled_event = service.event()
    expect(service.creator.client.post(f"/events/{cancelled_event['id']}/cancel"), 200)
    for market in (waiting, resolved, only_market(cancelled_event)):
        assert orderbook(service, market["id"]) == {"market_id": market["id"], "bids": [], "asks": []}


def test_the_book_empties_at_the_deadline_and_fills_when_it_goes_live(fresh_service: Service) -> None:
    service = fresh_service
    start_ms = service.clock() + 60_000
    once = pool(live_at=iso(start_ms), finish_at=iso(start_ms + 60_000))
    market = only_market(service.event(pools=[once]))
    assert orderbook(service, market["id"])["asks"] == []
    service.clock.advance(60_000)
    assert orderbook(service, market["id"])["asks"]
    service.clock.advance(60_000)
    assert orderbook(service, market["id"])["asks"] == []


@ONCE
def test_market_ids_that_are_none_and_markets_that_are_not_there(service: Service) -> None:
    client = service.client()
    for bad in ("0", "x", "01", "%D9%A3", "9223372036854775808"):
        refused(client.get(f"/markets/{bad}"), 400, "invalid_market_id")
        refused(client.get(f"/market/orderbook/{bad}"), 400, "invalid_market_id")
    refused(client.get(f"/markets/{2**62}"), 404, "market_not_found")
    refused(client.get(f"/market/orderbook/{2**62}"), 404, "market_not_found")


@ONCE
def test_the_book_does_not_look_at_credentials(service: Service) -> None:
    market = only_market(service.event())
    bad = service.client(token="no token")
    expect(bad.get(f"/market/orderbook/{market['id']}"), 200)
    refused(bad.get(f"/markets/{market['id']}"), 401, "unauthorized")
