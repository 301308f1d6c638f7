"""What a crowd thinks of a pool, now and as it was."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS
from foreknow.people.users.tables import users
from foreknow.site.forecasts.tables import forecast_crowd_points
from tests.support.forecasts import CROWDS, chart, crowd, grown_up, kept, said, shown, some_pool, taken_back
from tests.support.lists import open_list, split
from tests.support.orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, pool
from tests.support.waiting import let_work

CROWD = "forecasts: `crowd` (null while fewer than 3 of them weigh something),"
WEIGHTS = (
    "forecasts: **Crowd**: each standing forecast weighs 2^(created_at / H), H the larger of a day and T / 3 (T below);"
)
EXCLUDED = "forecasts: of accounts muted, inactive or under 24 h old nothing."
ONE = (
    "forecasts: One market: the weighted median (the least value at which the weights of values up to it reach half; "
    "at half, within 10⁻¹², the mean of it and the next)."
)
ORDERED = "forecasts: Number and date: the weighted medians of the cumulative probabilities, differences taken."
MEAN = "forecasts: Else the weighted mean. To 1e-9."
FOLLOWED = "forecasts: A follower writes it and its chart within 2 s, no request does; its past stays as written."
CHART = (
    "forecasts: | GET /pools/{id}/forecasts/chart (Optional) `?range=` | that key: points of the crowd as it was, from "
    "3 forecasters on;"
)


@proves(CROWD, WEIGHTS, ONE, FOLLOWED)
def test_the_crowd_of_one_market_is_the_weighted_median(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    finish_at = "2100-01-01T00:00:00Z"
    pool_id = some_pool(service, finish_at=finish_at)
    ann, bob, cem, dan = grown_up(service, 4)
    said(ann, pool_id, [0.2])
    said(bob, pool_id, [0.6])
    assert crowd(service, pool_id) is None
    said(cem, pool_id, [0.7])
    assert crowd(service, pool_id) == [0.6]
    said(dan, pool_id, [0.8])
    assert crowd(service, pool_id) == pytest.approx([0.65], abs=1e-9)
    taken_back(dan, pool_id)
    taken_back(cem, pool_id)
    assert crowd(service, pool_id) is None


@proves(WEIGHTS, ORDERED, MEAN)
def test_later_words_weigh_more_by_a_half_life(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    # No end: H is 30 days.
    number = pool(probabilities=[0.2, 0.3, 0.5])
    number["metadata"]["shape"] = {"kind": "number", "edges": [10, 20]}
    event = service.event(pools=[pool(["A", "B", "C"]), number])
    named_id, number_id = (one["id"] for one in event["pools"])
    people = grown_up(service, 3)
    opinions = ([0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2])
    for person, probabilities in zip(people, opinions, strict=True):
        client = service.client(service.sign_in(person.email, PASSWORD))
        for pool_id in (named_id, number_id):
            expect(client.put(f"/pools/{pool_id}/forecast", json={"probabilities": probabilities}), 200)
        service.clock.advance(30 * DAY_MS)
    # Weights 1, 2 and 4.
    wanted = [(0.1 + 2 * 0.3 + 4 * 0.6) / 7, (0.2 + 2 * 0.3 + 4 * 0.2) / 7, (0.7 + 2 * 0.4 + 4 * 0.2) / 7]
    assert crowd(service, named_id) == pytest.approx(wanted, abs=1e-9)
    assert crowd(service, number_id) == pytest.approx([0.6, 0.2, 0.2], abs=1e-9)
    # Renewed, the first weighs as much as twice the last: 8, 2 and 4.
    client = service.client(service.sign_in(people[0].email, PASSWORD))
    expect(client.put(f"/pools/{number_id}/forecast", json={"probabilities": opinions[0]}), 200)
    assert crowd(service, number_id) == pytest.approx(opinions[0], abs=1e-9)


@proves(EXCLUDED)
def test_the_young_the_muted_and_the_inactive_weigh_nothing(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    pool_id = some_pool(service)
    people = [*grown_up(service, 4), service.user()]
    for number, person in enumerate(people):
        said(person, pool_id, [number / 10])
    assert crowd(service, pool_id) == pytest.approx([0.15], abs=1e-9)
    ann, bob = people[:2]
    expect(service.admin.patch(f"/admin/users/{ann.id}", json={"is_active": False}), 200)
    assert crowd(service, pool_id) == pytest.approx([0.2], abs=1e-9)
    hour = service.clock() + HOUR_MS
    until = sa.select(users.c.muted_until_ms).where(users.c.id == bob.id)
    expect(service.admin.put(f"/admin/users/{bob.id}/muted", json={"until": "2100-01-01T00:00:00Z"}), 200)
    assert kept(service, until)[0][0] > hour
    assert crowd(service, pool_id) is None
    assert shown(service.client(), pool_id)["forecasters"] == 5
    expect(service.admin.put(f"/admin/users/{bob.id}/muted", json={"until": None}), 200)
    assert crowd(service, pool_id) == pytest.approx([0.2], abs=1e-9)
    # The youngest is a day old, and no one has said anything.
    service.clock.advance(DAY_MS)
    assert crowd(service, pool_id) == pytest.approx([0.25], abs=1e-9)


@proves(CHART, FOLLOWED)
def test_the_chart_shows_the_crowd_as_it_was(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock() // HOUR_MS * HOUR_MS)
    pool_id = some_pool(service)
    people = grown_up(service, 4)
    assert chart(service.client(), pool_id) == []
    for number, person in enumerate(people[:3]):
        said(person, pool_id, [0.1 + number / 10])
    assert crowd(service, pool_id) == [0.2]
    service.clock.advance(2 * HOUR_MS)
    clients = [service.client(service.sign_in(person.email, PASSWORD)) for person in people]
    expect(clients[3].put(f"/pools/{pool_id}/forecast", json={"probabilities": [0.25]}), 200)
    assert crowd(service, pool_id) == [0.25]
    hours = chart(service.client(), pool_id, "1w")
    assert [point["values"] for point in hours] == [[0.2], [0.2], [0.25], [0.25]][: len(hours)]
    assert [point["values"] for point in chart(service.client(), pool_id)] == [[0.2], [0.25]]
    # Gone, and with it the crowd, but not what it was.
    body = {"password": PASSWORD}
    for client in clients[:2]:
        expect(client.post("/users/me/delete", json=body), 200)
    assert crowd(service, pool_id) is None
    service.clock.advance(HOUR_MS)
    assert [point["values"] for point in chart(service.client(), pool_id)] == [[0.2], [0.25]]
    assert chart(service.client(), pool_id, "1w") == hours
    both = expect(service.client().get(f"/pools/{pool_id}/forecasts/chart"), 200)
    assert both.keys() == {"1h", "1d", "1w", "1m"}


@proves(FOLLOWED)
def test_a_crowd_is_written_once_and_only_where_it_changes(service: Service) -> None:
    pool_id = some_pool(service)
    people = grown_up(service, 3)
    for person in people:
        said(person, pool_id, [0.4])
    assert crowd(service, pool_id) == [0.4]
    points = sa.select(forecast_crowd_points.c.at_ms).where(forecast_crowd_points.c.pool_id == pool_id)
    before = kept(service, points)
    for person in people:
        said(person, pool_id, [0.4])
    let_work(CROWDS)
    assert kept(service, points) == before


@proves(
    "forecasts: before it f and p of what came of Other are the same parts of Other's, floors first.",
)
def test_the_crowd_of_a_list_goes_on_after_a_split(service: Service) -> None:
    pool_id = open_list(service)["id"]
    for person in grown_up(service, 3):
        said(person, pool_id, [0.2, 0.2, 0.6])
    assert crowd(service, pool_id) == pytest.approx([0.2, 0.2, 0.6], abs=1e-9)
    split(service, pool_id, "Dana", 0.25)
    wanted = pytest.approx([0.2, 0.2, 0.45, 0.15], abs=1e-9)
    assert shown(service.client(), pool_id)["crowd"] == wanted
    assert crowd(service, pool_id) == wanted
    points: list[dict[str, Any]] = chart(service.client(), pool_id)
    assert points[0]["values"] == pytest.approx([0.2, 0.2, 0.6, 0], abs=1e-9)
    assert points[-1]["values"] == wanted


@proves("forecasts: Orders pay nothing for it;")
def test_an_order_asks_nothing_of_forecasts(service: Service) -> None:
    event = service.event()
    market_id, pool_id = event["pools"][0]["markets"][0]["id"], event["pools"][0]["id"]
    ann = service.user(balance_kopecks=10_000)
    said(ann, pool_id, [0.9])
    let_work(CROWDS)
    tables = ("forecasts", "forecast_crowds", "forecast_crowd_points", "forecast_cursor", "forecast_news")
    # Tables that are not there cannot be read or written.
    with service.without(*tables):
        expect(bet(ann, market_id, "YES", 1_000), 201)
        expect(sell(ann, market_id, "YES"), 201)
    assert shown(ann.client, pool_id)["mine"]["probabilities"] == [0.9]
