"""Resting orders while several servers trade: they cross each other's makers, and no maker waits for another pool."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.support.cluster import CLUSTER_MARKS
from tests.support.limit_orders import money, orders_of, rest
from tests.support.service import Person, Service, Shot, expect, pool
from tests.support.waiting import wait_until

# On PostgreSQL the load is spread over two servers with two workers each.
pytestmark = pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("cluster", marks=CLUSTER_MARKS)], indirect=True
)


def bet(market: int, side: str, stake: int) -> Shot:
    """Return the request of a bet."""
    return "POST", "/market/bets", {"json": {"market_id": market, "token_type": side, "amount_kopecks": stake}}


def test_servers_that_cross_each_others_makers_never_deadlock(service: Service) -> None:
    """Two makers rest in each of two pools; bets of all servers meet them, in both pools at the same time."""
    markets = [service.event(pools=[pool(b=20_000)])["pools"][0]["markets"][0]["id"] for _ in range(2)]
    makers = [service.user(balance_kopecks=200_000) for _ in range(2)]
    takers = [service.user(balance_kopecks=200_000) for _ in range(4)]
    for market in markets:
        for maker in makers:
            for price in range(21, 49, 3):
                rest(maker, market, "YES", "buy", shares=1_000, price=price)
                rest(maker, market, "NO", "buy", shares=1_000, price=price)
    tokens = [person.token for person in (*takers, *makers)]

    for _ in range(4):
        shots = [bet(market, side, 2_000) for side in ("YES", "NO") for market in markets for _ in range(12)]
        answers = service.together(shots, tokens=tokens)
        assert {answer.status_code for answer in answers} == {201}, [answer.text for answer in answers]

    fills = [order for maker in makers for order in orders_of(maker, status="filled", limit=100)]
    assert len(fills) > 10
    for maker in makers:
        wait_until(partial(_is_paid, maker))
        holds = sum(
            one["price_bps"] // 100 * (one["shares"] - one["filled_shares"]) // 100
            for market in markets
            for one in _all_open(maker, market)
        )
        assert money(maker)[1] == holds


def _is_paid(maker: Person) -> bool:
    return not any(order["held_kopecks"] for order in orders_of(maker, status="filled", limit=100))


def _all_open(maker: Person, market: int) -> list[dict[str, Any]]:
    """Return a maker's open orders of a market, from all pages."""
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"market_id": market, "status": "open", "limit": 100}
    while True:
        page = expect(maker.client.get("/market/orders", params=query), 200)
        rows += page["orders"]
        if page["next_cursor"] is None:
            return rows
        query["cursor"] = page["next_cursor"]


def test_one_maker_in_many_pools_is_paid_while_bets_go_on(service: Service) -> None:
    maker, takers = service.user(balance_kopecks=1_000_000), [service.user(balance_kopecks=100_000) for _ in range(3)]
    event = service.event(pools=[pool(b=5_000) for _ in range(20)])
    markets = [made["markets"][0]["id"] for made in event["pools"]]
    for market in markets:
        rest(maker, market, "NO", "buy", shares=1_000, price=40)

    answers = service.together(
        [bet(market, "YES", 5_000) for market in markets], tokens=[taker.token for taker in takers]
    )

    assert {answer.status_code for answer in answers} == {201}
    wait_until(lambda: money(maker) == (1_000_000 - 400 * len(markets), 0))
