"""The worker: each score once, whichever processes score and whatever is killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, iso
from foreknow.people.notifications.tables import notifications
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Claim
from foreknow.site.forecast_scores import ScoreFollower
from foreknow.site.forecast_scores.tables import LEASE_MS, forecast_scorings, forecast_sums
from foreknow.site.record.tables import source_records
from tests.support import forecasts as said
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool
from tests.support.waiting import wait_until

PEOPLE = 9
#: Three people of a pool.
PIECE = 21


class Killed(Exception):
    """The process is gone."""


class Dying(ScoreFollower):
    """A process that dies as it begins one of its writes to a pool."""

    #: Writes before it.
    left = 0

    async def _write(self, claim: Claim | None, work: Callable[[WriteTx], None]) -> Claim | None:
        if not self.left:
            raise Killed
        self.left -= 1
        return await super()._write(claim, work)


def follower(service: Service, kind: type[ScoreFollower] = ScoreFollower) -> ScoreFollower:
    """Return what another process on the same database would run."""
    return kind(service.app.db, service.app.live, piece=PIECE)


def written(service: Service) -> tuple[Any, ...]:
    """Return what was written of all scores: notifications, sums and records by person, and what is left to do."""
    scored = sa.select(notifications.c.user_id).where(notifications.c.type == "forecast_scored")
    sums = sa.select(forecast_sums.c.user_id, forecast_sums.c.pools).where(forecast_sums.c.period == "all")
    records = sa.select(source_records.c.user_id, source_records.c.sums).where(source_records.c.tag == "")
    due = sa.select(forecast_scorings.c.due_at_ms)
    return (
        Counter(row[0] for row in said.kept(service, scored)),
        {row[0]: row[1] for row in said.kept(service, sums)},
        {row[0]: row[1]["mid"][0] for row in said.kept(service, records)},
        [row[0] for row in said.kept(service, due)],
    )


@proves("forecasts: pools are scored within a minute of being final, each once, whatever is killed.")
@pytest.mark.parametrize("deaths", [0, 1, 3])
def test_each_score_is_written_once(start_service: Callable[..., Service], deaths: int) -> None:
    service = start_service(trading="off")
    service.server.run(service.app.services.forecast_scores.stop())
    service.clock.stop_at(service.clock())
    people = said.grown_up(service, PEOPLE)
    (made,) = service.event(pools=[pool(finish_at=iso(service.clock() + 2 * DAY_MS))])["pools"]
    for person in people:
        said.said(person, made["id"], [0.7])
    assert said.crowd(service, made["id"]) is not None
    service.clock.advance(2 * DAY_MS)
    service.sign_out_shared()
    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    for at in range(deaths):
        dying = follower(service, Dying)
        assert isinstance(dying, Dying)
        dying.left = at
        with pytest.raises(Killed):
            service.server.run(dying.follow())
        service.clock.advance(2 * LEASE_MS)

    async def both() -> None:
        await asyncio.gather(follower(service).follow(), follower(service).follow())

    def is_done() -> bool:
        service.server.run(both())
        return bool(written(service)[3] == [None])

    wait_until(is_done)
    ids = {person.id for person in people}
    assert written(service) == (
        Counter(ids),
        dict.fromkeys(ids, 1),
        dict.fromkeys({0, *ids}, 1),
        [None],
    )
