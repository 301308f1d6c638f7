"""The charts of pools and markets over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused


def bet(person: Person, market_id: int, amount_kopecks: int) -> float:
    """Place a bet and return the market's probability after it."""
    body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": amount_kopecks}
    return float(expect(person.client.post("/market/bets", json=body), 201)["probability_after"])


@proves("interface: 200: object with the keys 1h, 1d, 1w, 1m")
def test_a_pools_charts_go_from_its_publication_to_now(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(["A", "B", "C"], probabilities=[0.2, 0.3, 0.5])])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][1]["id"]
    ada = service.user(balance_kopecks=100_000)
    path = f"/pools/{pool_id}/charts"

    fresh = expect(service.client().get(path), 200)
    assert set(fresh) == {"1h", "1d", "1w", "1m"}
    for points in fresh.values():
        assert points[-1]["values"] == pytest.approx([0.2, 0.3, 0.5], abs=1e-12)
    service.clock.advance(5 * MINUTE_MS)
    first = bet(ada, market_id, 10_000)
    service.clock.advance(3 * HOUR_MS)
    # The access token has expired.
    ada.client.headers["Authorization"] = f"Bearer {service.sign_in(ada.email, ada.password)}"
    second = bet(ada, market_id, 10_000)
    service.clock.advance(10 * MINUTE_MS)
    charts = expect(service.client().get(path), 200)

    hour = [point["values"][1] for point in charts["1h"]]
    assert len(hour) == 60
    assert {hour[0], hour[-1]} == {first, second}
    assert hour == sorted(hour)
    assert 9 <= hour.count(second) <= 12
    for points in charts.values():
        times = [point["timestamp"] for point in points]
        assert times == sorted(set(times))
        assert [len(point["values"]) for point in points] == [3] * len(points)
        assert sum(points[-1]["values"]) == pytest.approx(1)
    # The first quarter of an hour may have ended before the first bet.
    assert min(abs(charts["1d"][0]["values"][1] - price) for price in (0.3, first)) < 1e-12
    assert 13 <= len(charts["1d"]) <= 15
    assert 4 <= len(charts["1w"]) <= 5
    assert 1 <= len(charts["1m"]) <= 2


@proves("interface: 200: array of market chart points in chronological order")
def test_a_markets_chart_goes_from_its_prior_to_its_price_and_ends_with_its_resolution(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(probabilities=[0.07])])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    ada = service.user(balance_kopecks=100_000)
    prices = [0.07]
    for _ in range(5):
        service.clock.advance(MINUTE_MS)
        prices.append(bet(ada, market_id, 1_000))
    service.clock.advance(MINUTE_MS)

    def chart() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = expect(service.client().get(f"/markets/{market_id}/chart"), 200)
        return found

    points = chart()
    assert [point["probability"] for point in points] == pytest.approx([*prices, prices[-1]], abs=1e-12)
    assert [point["timestamp"] for point in points] == sorted(point["timestamp"] for point in points)
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    resolved = chart()
    service.clock.advance(HOUR_MS)
    assert chart() == resolved
    assert resolved[:-1] == points[:-1]
    assert resolved[-1]["probability"] == points[-1]["probability"]


@proves("decisions: Charts are 404 or empty before publication")
def test_what_was_never_published_has_no_chart_for_anyone(service: Service) -> None:
    event = service.event(publish=False)
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    for client in (service.client(), service.creator.client, service.admin):
        refused(client.get(f"/pools/{pool_id}/charts"), 404, "pool_not_found")
        refused(client.get(f"/markets/{market_id}/chart"), 404, "market_not_found")


@ONCE
@pytest.mark.parametrize("bad", ["0", "-1", "01", "x", "1.0", "9223372036854775808"])
def test_ids_that_are_none_are_refused(service: Service, bad: str) -> None:
    refused(service.client().get(f"/pools/{bad}/charts"), 400, "invalid_pool_id")
    refused(service.client().get(f"/markets/{bad}/chart"), 400, "invalid_market_id")
    refused(service.client().get(f"/pools/{2**62}/charts"), 404, "pool_not_found")
    refused(service.client().get(f"/markets/{2**62}/chart"), 404, "market_not_found")
