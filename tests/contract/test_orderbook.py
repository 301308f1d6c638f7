"""Decisions, "Orderbook of an LMSR market". Interface, "GET /api/v1/market/orderbook/{market_id}"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.book import MP
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool

pytestmark = ONCE

LADDER = (
    "decisions: Orderbook of an LMSR market: its depth ladder. Asks: for each whole percent above the price up to "
    "99.00, `amount` = whole shares (each step floored on its own) that move YES from the previous level (the price, "
    "for the first) to that one; bids the same downwards to 1.00."
)


def orderbook(service: Service, market: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    book = expect(service.client().get(f"/market/orderbook/{market}"), 200)
    assert book.keys() == {"market_id", "bids", "asks"}
    assert book["market_id"] == market
    for level in book["bids"] + book["asks"]:
        assert level.keys() == {"price", "amount"}
    return tuple([(level["price"], level["amount"]) for level in book[side]] for side in ("bids", "asks"))  # type: ignore[return-value] # two sides


def ladder(b: int, p: Any, levels: list[int]) -> list[tuple[int, int]]:
    """The shares that move YES from p to each level in turn: b·(logit of the one less logit of the other)."""
    steps = []
    logit = MP.log(p / (1 - p))
    for level in levels:
        there = MP.log(MP.mpf(level) / (10_000 - level))
        shares = int(MP.floor(b * abs(there - logit) + MP.mpf(10) ** -30))
        if shares:
            steps.append((level, shares))
        logit = there
    return steps


@proves(
    LADDER,
    "interface: - 200: Orderbook. Bids sorted from highest to lowest price; asks from lowest to highest.",
    "interface: market_id (integer); bids and asks: arrays of objects with price (integer, 0-10000) and amount "
    "(integer, share cents).",
    "interface: | Orderbook price | integer 0-10000; 5500 means 55.00 percent probability |",
)
@pytest.mark.parametrize("b", [100, 5_000, 123_457, 10**12])
@pytest.mark.parametrize("p", [0.5, 0.123, 0.77, 0.9])
def test_a_book_is_the_depth_of_the_market(service: Service, b: int, p: float) -> None:
    market = service.event(pools=[pool(probabilities=[p], b=b)])["pools"][0]["markets"][0]["id"]
    bids, asks = orderbook(service, market)
    exact = MP.mpf(repr(p))
    up = [level for level in range(100, 10_000, 100) if level > round(p * 10_000, 6)]
    down = [level for level in range(9_900, 0, -100) if level < round(p * 10_000, 6)]

    assert asks == ladder(b, exact, up)
    assert bids == ladder(b, exact, down)


@proves(LADDER)
def test_the_first_level_starts_at_the_price(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], b=10_000)])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**6)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_777}
    shares = expect(person.client.post("/market/bets", json=order), 201)["shares"]
    bids, asks = orderbook(service, market)
    p = 1 / (1 + MP.exp(-MP.mpf(shares) / 10_000))

    assert asks == ladder(10_000, p, [level for level in range(100, 10_000, 100) if level > p * 10_000])
    assert bids == ladder(10_000, p, [level for level in range(9_900, 0, -100) if level < p * 10_000])
    assert asks[0][0] == bids[0][0] + 100


@proves(LADDER)
def test_buying_the_first_ask_moves_the_price_there(service: Service) -> None:
    market = service.event(pools=[pool(b=10**6)])["pools"][0]["markets"][0]["id"]
    _, asks = orderbook(service, market)
    person = service.user(balance_kopecks=10**9)
    quotes = {"market_id": market, "token_type": "YES"}
    stake = 1
    while (
        expect(service.client().get("/market/quote", params={**quotes, "amount_kopecks": stake}), 200)["shares"]
        < asks[0][1]
    ):
        stake += max(1, stake // 8)
    after = expect(person.client.post("/market/bets", json={**quotes, "amount_kopecks": stake}), 201)

    assert after["probability_after"] >= asks[0][0] / 10_000 - 1e-6


@proves("decisions: A level that rounds to 0 shares is left out; a market that cannot be traded has an empty book.")
def test_a_market_that_cannot_be_traded_has_an_empty_book(service: Service) -> None:
    event = service.event(pools=[pool(), pool(live_at="2099-01-01T00:00:00Z")])
    traded, later = event["pools"]
    market = traded["markets"][0]["id"]
    assert orderbook(service, later["markets"][0]["id"]) == ([], [])

    expect(service.creator.client.post(f"/pools/{traded['id']}/pause"), 200)
    assert orderbook(service, market) == ([], [])
    expect(service.creator.client.post(f"/pools/{traded['id']}/resume"), 200)
    assert all(orderbook(service, market))
    expect(service.creator.client.post(f"/pools/{traded['id']}/resolve", json={"won_side": 0}), 200)
    assert orderbook(service, market) == ([], [])


@proves("decisions: A level that rounds to 0 shares is left out")
def test_a_level_that_rounds_to_nothing_is_left_out(service: Service) -> None:
    market = service.event(pools=[pool(probabilities=[0.5], b=100)])["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10_000)
    for stake, shares in ((2, 3), (1, 1)):
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": stake}
        assert expect(person.client.post("/market/bets", json=order), 201)["shares"] == shares
    _, asks = orderbook(service, market)

    # At 50.9999 now: to 51.00 is less than one share; that level is left out and the next counts from 51.00.
    assert asks == ladder(100, 1 / (1 + MP.exp(-MP.mpf(4) / 100)), list(range(5_100, 10_000, 100)))
    assert [price for price, _ in asks[:2]] == [5_200, 5_300]


@proves("interface: Price scale: 0 = 0.00 percent, 2500 = 25.00, 5000 = 50.00, 7500 = 75.00, 10000 = 100.00 percent.")
@pytest.mark.parametrize(("p", "asks", "bids"), [(0.9999, 0, 99), (0.0001, 99, 0), (0.5, 49, 49), (0.505, 49, 50)])
def test_a_book_goes_from_one_to_ninety_nine_percent(service: Service, p: float, asks: int, bids: int) -> None:
    market = service.event(pools=[pool(probabilities=[p], b=10**9)])["pools"][0]["markets"][0]["id"]
    found_bids, found_asks = orderbook(service, market)

    assert (len(found_asks), len(found_bids)) == (asks, bids)
