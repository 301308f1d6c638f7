"""Decisions, "Charts …". Interface, "GET /api/v1/pools/{id}/charts" and "GET /api/v1/markets/{id}/chart"."""

from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.money.pricing import Side
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.orders import at_the_desk
from tests.support.proofs import proves
from tests.support.service import ADMIN_EMAIL, PASSWORD, Person, Service, expect, pool, refused

MINUTE_MS = 60_000
#: Of each chart: how long a bucket is, and how many there are at most.
CHARTS = {"1h": (MINUTE_MS, 60), "1d": (15 * MINUTE_MS, 96), "1w": (60 * MINUTE_MS, 168), "1m": (360 * MINUTE_MS, 120)}
SHAPE = (
    "decisions: Pool charts: `1h` by minute, `1d` by 15 minutes, `1w` by hour, `1m` (30 days) by 6 hours; each point "
    "the probabilities at the end of its bucket, filled forward, none before publication, its timestamp the bucket's "
    "end (60, 96, 168, 120 buckets), the last one the current price at now; `values` holds one number a market."
)


def ms(timestamp: str) -> int:
    assert timestamp.endswith("Z")
    return round(datetime.fromisoformat(timestamp).timestamp() * 1_000)


def pool_charts(service: Service, pool_id: int) -> dict[str, list[dict[str, Any]]]:
    charts: dict[str, list[dict[str, Any]]] = expect(service.client().get(f"/pools/{pool_id}/charts"), 200)
    assert charts.keys() == CHARTS.keys()
    return charts


def bet(service: Service, person: Person, market: int, side: str = "YES", stake: int = 10_000) -> float:
    order = {"market_id": market, "token_type": side, "amount_kopecks": stake}
    client = service.client(token=service.sign_in(person.email, person.password))
    return float(expect(client.post("/market/bets", json=order), 201)["probability_after"])


async def bet_often(service: Service, person: Person, market: int, *, count: int) -> None:
    """Bet many times at the same moment."""
    order = await at_the_desk(service, person, market, Side.YES, 10_000)
    await asyncio.gather(*(service.app.services.desk.place(order) for _ in range(count)))


def now_ms(service: Service) -> int:
    return service.clock()


@proves(
    SHAPE,
    "interface: - 200: object with the keys 1h, 1d, 1w, 1m; each value is an array of pool chart points (timestamp, "
    "values with one probability per market outcome).",
    "interface: - Pool chart point: timestamp (string ISO 8601), values (number[], one probability per market "
    "outcome).",
)
def test_charts_begin_at_publication_and_end_now(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2])])
    before = datetime.now(UTC).timestamp() * 1_000
    for points in pool_charts(service, event["pools"][0]["id"]).values():
        assert 1 <= len(points) <= 2
        for point in points:
            assert point.keys() == {"timestamp", "values"}
            assert point["values"] == pytest.approx([0.5, 0.3, 0.2], abs=1e-9)
        assert abs(ms(points[-1]["timestamp"]) - before) < 20_000


@proves(SHAPE)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("name", CHARTS)
def test_a_full_chart_has_all_its_buckets_filled_forward(moving_service: Service, name: str) -> None:
    service, (step_ms, count) = moving_service, CHARTS[name]
    event = service.event(pools=[pool(["A", "B"])])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**9)
    service.clock.advance(step_ms)
    first = bet(service, person, market)
    first_at = now_ms(service)
    service.clock.advance(step_ms * (count // 2))
    second = bet(service, person, market)
    second_at = now_ms(service)
    service.clock.advance(step_ms * (count // 2 - 2))
    points = pool_charts(service, pool_id)[name]

    assert count - 1 <= len(points) <= count
    times = [ms(point["timestamp"]) for point in points]
    assert all(time % step_ms == 0 for time in times[:-1])
    assert {later - earlier for earlier, later in itertools.pairwise(times[:-1])} == {step_ms}
    assert 0 < times[-1] - times[-2] <= step_ms
    assert abs(times[-1] - now_ms(service)) < 20_000
    assert all(sum(point["values"]) == pytest.approx(1) for point in points)
    for point, time in zip(points, times, strict=True):
        expected = second if time > second_at + 1_000 else first if time > first_at + 1_000 else 0.5
        if not any(abs(time - at) <= 1_000 for at in (first_at, second_at)):
            assert point["values"][0] == pytest.approx(expected, abs=1e-12), point


@proves(SHAPE)
def test_what_is_older_than_a_chart_shows_as_its_first_price(moving_service: Service) -> None:
    service = moving_service
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**9)
    price = bet(service, person, market)
    service.clock.advance(max(step_ms * (count + 5) for step_ms, count in CHARTS.values()))

    for name, points in pool_charts(service, event["pools"][0]["id"]).items():
        step_ms, count = CHARTS[name]
        assert len(points) == count
        assert {point["values"][0] for point in points} == {price}
        span_ms = ms(points[-1]["timestamp"]) - ms(points[0]["timestamp"])
        assert (count - 2) * step_ms <= span_ms <= count * step_ms


@proves(SHAPE, "interface: Data is pre-aggregated.")
def test_a_bucket_shows_the_price_at_its_end(moving_service: Service) -> None:
    service = moving_service
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**9)
    # To the middle of a minute, so that both trades fall into one bucket.
    service.clock.advance(MINUTE_MS - service.clock() % MINUTE_MS + MINUTE_MS // 2)
    bet(service, person, market)
    price = bet(service, person, market)
    service.clock.advance(5 * MINUTE_MS)
    with service.without("trades"):
        values = [point["values"][0] for point in pool_charts(service, event["pools"][0]["id"])["1h"]]
        life = expect(service.client().get(f"/markets/{market}/chart"), 200)

    assert set(values) == {0.5, price}
    assert [point["probability"] for point in life][-1] == price


@proves("decisions: the last one the current price at now")
def test_charts_end_in_the_current_price(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    person = service.user(balance_kopecks=10**6)
    for market in markets:
        bet(service, person, market, stake=5_000)
        shown = [expect(service.client().get(f"/markets/{each}"), 200)["yes_probability"] for each in markets]
        for points in pool_charts(service, event["pools"][0]["id"]).values():
            assert points[-1]["values"] == shown
        for index, each in enumerate(markets):
            chart = expect(service.client().get(f"/markets/{each}/chart"), 200)
            assert chart[-1]["probability"] == shown[index]


@proves(
    "decisions: Market chart: from the prior at publication to the current price, at most 1,000 points, thinned evenly "
    "with the first and the last kept.",
    "interface: - 200: array of market chart points in chronological order.",
    "interface: - Market chart point: timestamp (string ISO 8601), probability (number, YES probability).",
)
def test_a_market_chart_tells_its_whole_life(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], probabilities=[0.3, 0.7])])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user(balance_kopecks=10**6)
    prices = [bet(service, person, first, side, stake=1_000) for side in ("YES", "YES", "NO", "YES")]
    chart = expect(service.client().get(f"/markets/{first}/chart"), 200)
    other = expect(service.client().get(f"/markets/{second}/chart"), 200)

    assert all(point.keys() == {"timestamp", "probability"} for point in chart)
    prices_shown = [point["probability"] for point in chart]
    assert prices_shown[0] == pytest.approx(0.3, abs=1e-12)
    assert [price for price in prices_shown if price in prices] in (prices, [*prices, prices[-1]])
    times = [point["timestamp"] for point in chart]
    assert times == sorted(times)
    # A pool is priced as a whole: a bet on one outcome moves all.
    assert other[0]["probability"] == pytest.approx(0.7, abs=1e-12)
    assert other[-1]["probability"] == pytest.approx(1 - prices[-1], abs=1e-12)


@proves("decisions: at most 1,000 points, thinned evenly with the first and the last kept.")
def test_a_long_life_is_thinned_to_a_thousand_points(service: Service) -> None:
    event = service.event(pools=[pool(b=10**8)])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**12)
    service.server.run(bet_often(service, person, market, count=1_210))
    chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
    prices_shown = [point["probability"] for point in chart]

    assert 500 <= len(chart) <= 1_000
    assert prices_shown == sorted(prices_shown)
    assert prices_shown[0] == 0.5
    assert prices_shown[-1] == expect(service.client().get(f"/markets/{market}"), 200)["yes_probability"]
    steps = [later - earlier for earlier, later in itertools.pairwise(prices_shown[:-1])]
    assert max(steps) <= 2.1 * min(steps)


@proves("decisions: PnL chart: cumulative realized profit in roubles after every sale and every settled position")
def test_a_profit_chart_has_a_point_for_every_sale(service: Service) -> None:
    market = service.event(pools=[pool(b=10**6)])["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**6)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100_000}
    expect(person.client.post("/market/bets", json=order), 201)
    total = 0
    expected = []
    for _ in range(12):
        sale = {"market_id": market, "token_type": "YES", "shares": 1_000}
        total += expect(person.client.post("/market/positions/sell", json=sale), 201)["pnl"]
        expected.append(total / 100)

    points = expect(person.client.get("/users/me/pnl/chart"), 200)["points"]
    assert [point["pnl"] for point in points] == expected
    assert expect(service.client().get(f"/users/{person.id}/pnl/chart"), 200)["points"] == points


RANGE = (
    "client: | 4 | GET /pools/{id}/charts `?range=1h|1d|1w|1m|all` | that key alone; `all`: from publication, ≤ 1,000 "
    "points (the stored life); else 400 `bad_request` |"
)


def resolve(service: Service, pool_id: int, won_side: int) -> str:
    """Resolve a pool as an admin, and return when that was."""
    admin = service.client(token=service.sign_in(ADMIN_EMAIL, PASSWORD))
    decided = expect(admin.post(f"/pools/{pool_id}/resolve", json={"won_side": won_side}), 200)
    return str(decided["resolution"]["decided_at"])


def life(service: Service, pool_id: int) -> list[dict[str, Any]]:
    body = expect(service.client().get(f"/pools/{pool_id}/charts?range=all"), 200)
    assert body.keys() == {"all"}
    points: list[dict[str, Any]] = body["all"]
    return points


@proves(RANGE)
def test_one_chart_comes_alone_and_is_the_one_of_all(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[pool(["A", "B"])])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**6)
    for _ in range(3):
        bet(service, person, market)
        service.clock.advance(40 * MINUTE_MS)
    whole = pool_charts(service, pool_id)

    for name in CHARTS:
        alone = expect(service.client().get(f"/pools/{pool_id}/charts?range={name}"), 200)
        assert alone.keys() == {name}
        # The last point is the present, a moment later.
        assert alone[name][:-1] == whole[name][:-1]
        assert alone[name][-1]["values"] == whole[name][-1]["values"]
    for query in ("range=2h", "range=", "range=1H", "range=1h&range=1d"):
        refused(service.client().get(f"/pools/{pool_id}/charts?{query}"), 400, "bad_request")
    refused(service.client().get(f"/pools/{2**63 - 1}/charts?range=all"), 404, "pool_not_found")


@proves(RANGE)
def test_the_whole_life_of_a_pool_has_the_points_of_its_markets_charts(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], probabilities=[0.3, 0.7])])
    pool_id, markets = event["pools"][0]["id"], [market["id"] for market in event["pools"][0]["markets"]]
    person = service.user(balance_kopecks=10**6)
    assert life(service, pool_id)[0]["values"] == pytest.approx([0.3, 0.7], abs=1e-12)
    for market in [*markets, *markets]:
        bet(service, person, market, stake=1_000)
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    points = life(service, pool_id)

    for index, market in enumerate(markets):
        chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
        assert [(point["timestamp"], point["values"][index]) for point in points] == [
            (point["timestamp"], point["probability"]) for point in chart
        ]
    # Its life is over: the chart goes on no further.
    assert life(service, pool_id) == points
    draft = service.event(publish=False)["pools"][0]["id"]
    refused(service.client().get(f"/pools/{draft}/charts?range=all"), 404, "pool_not_found")


@proves(RANGE)
def test_the_whole_life_of_a_pool_begins_at_its_prior_and_ends_with_its_trading(moving_service: Service) -> None:
    service = moving_service
    described = pool()
    described["finish_at"] = iso(service.clock() + 60 * MINUTE_MS)
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 10}
    event = service.event(pools=[described])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    price = bet(service, service.user(balance_kopecks=10**6), market)

    # A day on, it is not resolved yet.
    service.clock.advance(24 * 60 * MINUTE_MS)
    waiting = life(service, pool_id)
    published_at = expect(service.client().get(f"/events/{event['id']}/page"), 200)["published_at"]
    assert (waiting[0]["timestamp"], waiting[0]["values"]) == (published_at, [0.5])
    assert (waiting[-1]["timestamp"], waiting[-1]["values"]) == (described["finish_at"], [price])
    # Nor does a result move it, nor its correction.
    for won_side in (0, 1):
        resolve(service, pool_id, won_side)
        assert life(service, pool_id) == waiting
    chart = expect(service.client().get(f"/markets/{market}/chart"), 200)
    assert (chart[-1]["timestamp"], chart[-1]["probability"]) == (described["finish_at"], price)


@proves(RANGE)
def test_a_result_before_the_end_ends_the_whole_life(moving_service: Service) -> None:
    service = moving_service
    described = pool()
    described["finish_at"] = iso(service.clock() + 10**10)
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 60}
    event = service.event(pools=[described])
    pool_id = event["pools"][0]["id"]
    service.clock.advance(MINUTE_MS)
    decided_at = resolve(service, pool_id, 0)
    for _ in range(2):
        service.clock.advance(20 * MINUTE_MS)
        assert life(service, pool_id)[-1]["timestamp"] == decided_at
        # A correction comes later: trading ended with the first result.
        resolve(service, pool_id, 1)


@proves(RANGE)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("outcomes", "most"), [(2, 1_000), (100, 502)])
def test_a_long_life_of_a_pool_has_at_most_a_thousand_points(service: Service, outcomes: int, most: int) -> None:
    event = service.event(pools=[pool([f"Outcome {number}" for number in range(outcomes)], b=10**8)])
    pool_id, market = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10**12)
    service.server.run(bet_often(service, person, market, count=997))
    points = life(service, pool_id)
    prices = [point["values"][0] for point in points]

    assert most // 2 < len(points) <= most
    assert prices == sorted(prices)
    assert prices[0] == pytest.approx(1 / outcomes, abs=1e-12)
    assert prices[-1] == expect(service.client().get(f"/markets/{market}"), 200)["yes_probability"]
    assert {len(point["values"]) for point in points} == {outcomes}
