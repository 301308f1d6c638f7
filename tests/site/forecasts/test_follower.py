"""Several processes that keep crowds beside each other, whatever is said meanwhile."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
import sqlalchemy as sa

from foreknow.market.pools.tables import forecast_news
from foreknow.site.forecasts.follower import CrowdFollower
from foreknow.site.forecasts.tables import forecast_crowd_points, forecasts
from tests.support.forecasts import grown_up, kept, put, said, shown, some_pool, taken_back
from tests.support.service import Person, Service, expect
from tests.support.waiting import wait_until

STEPS = 24


def settled(service: Service, pool_id: int) -> list[float] | None:
    """Return the crowd once all news of a pool are counted."""
    news = sa.select(forecast_news.c.id).where(forecast_news.c.pool_id == pool_id)
    wait_until(lambda: not kept(service, news), workers=("crowds",))
    found: list[float] | None = shown(service.client(), pool_id)["crowd"]
    return found


def test_processes_at_once_keep_the_same_crowd(service: Service) -> None:
    pool_id, source = some_pool(service), random.Random(7)
    people = grown_up(service, 5)
    # Two more beside the service's own, each with its own memory.
    others = [CrowdFollower(service.app.db) for _ in range(2)]
    thought: dict[int, float] = {}

    def act(person: Person) -> None:
        if person.id in thought and source.random() < 0.3:
            taken_back(person, pool_id)
            del thought[person.id]
        elif source.random() < 0.1:
            active = {"is_active": False}
            expect(service.admin.patch(f"/admin/users/{person.id}", json=active), 200)
            thought.pop(person.id, None)
            people.remove(person)
        else:
            thought[person.id] = said(person, pool_id, [source.random()])["probabilities"][0]

    for step in range(STEPS):
        act(source.choice(people))
        if step % 3 < len(others):
            service.server.run(others[step % 3].follow())
        found = settled(service, pool_id)
        if len(thought) < 3:
            assert found is None
        else:
            assert found is not None
            # Said within seconds of 30 days, all weigh nearly the same: of an odd number it is the middle one.
            ordered = sorted(thought.values())
            if len(ordered) % 2:
                assert found == [pytest.approx(ordered[len(ordered) // 2], abs=1e-9)]
            else:
                assert ordered[len(ordered) // 2 - 1] <= found[0] <= ordered[len(ordered) // 2]


def test_a_point_is_written_for_each_change_and_none_twice(service: Service) -> None:
    pool_id, people = some_pool(service), grown_up(service, 3)
    for person in people:
        said(person, pool_id, [0.3])
    assert settled(service, pool_id) == [0.3]
    other = CrowdFollower(service.app.db)
    for number in range(3):
        for person in people:
            assert put(person, pool_id, [0.4 + number / 10]).is_success
        service.server.run(other.follow())
        settled(service, pool_id)
    service.server.run(other.follow())
    points = sa.select(forecast_crowd_points.c.probabilities).where(forecast_crowd_points.c.pool_id == pool_id)
    found = [packed for (packed,) in kept(service, points.order_by(forecast_crowd_points.c.at_ms))]
    assert all(one != after for one, after in pairwise(found))
    rows = sa.select(sa.func.count()).select_from(forecasts).where(forecasts.c.pool_id == pool_id)
    assert kept(service, rows) == [(12,)]
