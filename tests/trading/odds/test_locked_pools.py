"""A pool that another transaction holds keeps the other pools of its event from nothing."""

from __future__ import annotations

from collections.abc import Iterator

import asyncpg
import pytest

from tests.support.following import Follower, following
from tests.support.service import pool


@pytest.fixture
def follower(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Follower]:
    """A follower that waits for a lock for a moment only."""
    monkeypatch.setattr("foreknow.platform.db.postgres.database.LOCK_S", 0.5)
    with following(database_url) as made:
        yield made


def test_a_pool_that_waits_for_a_lock_keeps_no_other_pool_from_its_source(follower: Follower) -> None:
    if follower.service.app.db.is_sqlite:
        pytest.skip("has one lock, for which all wait")
    names = ["Reds", "Blues"]
    event = follower.event({"Reds": "0.7", "Blues": "0.3"}, pools=[pool(names), pool(names)])
    before = follower.prices(event, 0)

    async def round_beside_a_lock() -> list[bool]:
        holder = await asyncpg.connect(follower.service.app.db.url)
        try:
            await holder.execute(f"BEGIN; SELECT 1 FROM pools WHERE id = {event['pools'][0]['id']} FOR UPDATE")
            return await follower.rounds._runners["polymarket"].run_due(only=[event["id"]])
        finally:
            await holder.close()

    follower.wait(31_000)
    assert follower.service.server.run(round_beside_a_lock()) == [True]
    assert (follower.prices(event, 0), follower.prices(event, 1)) == (before, [0.7, 0.3])
    assert follower.round(event)
    assert follower.prices(event, 0) == [0.7, 0.3]
