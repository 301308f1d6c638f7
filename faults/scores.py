"""Scores: the process that scores a pool is killed before and after each of its commits; another goes on.

python -m faults scores
python -m faults scores --database postgres --workers 2

After each kill no one has a score twice, and after the other process everyone has the one that the pool gave them: in
their notifications, their sums and their record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa

from faults.killing import DoneWrongly, Trial, run_apart, run_command
from faults.payer import score_follower
from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso, system_clock
from foreknow.market.pools.tables import pools
from foreknow.people.notifications.tables import notifications
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.forecast_scores.tables import forecast_scorings, forecast_sums
from foreknow.site.forecasts.tables import forecasts
from foreknow.site.record.tables import source_records
from foreknow.trading.settlement import service
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.trading.settlement.crowds import pay_all
from tests.trading.settlement.world import event, person

#: More than one transaction writes.
PEOPLE = 9
#: The pool was to last for a month, of which the last hour is left.
LASTED_MS = 30 * DAY_MS


class ScoreTrial(Trial):
    """A final pool of which people have said what they think."""

    what = "scores"

    def __init__(self) -> None:
        super().__init__()
        #: Scores written by the processes that went on.
        self.scores = 0
        self._pool_id = 0
        self._people: Sequence[int] = ()

    @property
    def figures(self) -> str:
        """What came of the kills, in a line."""
        return (
            f"{self.kills} kills in {self.rounds} pools, {self.scores} scores written by the process that went on,"
            " each once, every book right"
        )

    def prepare(self, url: str) -> None:
        """Let people say what they think, and resolve the pool."""
        run_apart(self._make(url))

    async def look(self, db: Database) -> None:
        """Check that no one has a score yet."""
        await self._check_notified(db, at_most=0)

    async def check(self, db: Database) -> None:
        """Check that no one has a score twice."""
        await self._check_notified(db, at_most=1)

    async def go_on(self, db: Database) -> None:
        """Score what is left."""
        notified, _, _ = await db.read(self._written)
        follower = score_follower(db)
        while await follower.follow():
            pass
        self.scores += PEOPLE - notified.total()

    async def check_done(self, db: Database) -> None:
        """Check that the pool is scored, everyone once."""
        notified, _, _ = await db.read(self._written)
        if notified != Counter(self._people):
            raise DoneWrongly(f"scored: {notified} of {self._people}")
        due = sa.select(forecast_scorings.c.due_at_ms).where(forecast_scorings.c.pool_id == self._pool_id)
        if await db.read(lambda tx: tx.execute(due).scalars().all()) != [None]:
            raise DoneWrongly("the pool is still to be scored")

    async def _check_notified(self, db: Database, *, at_most: int) -> None:
        notified, summed, records = await db.read(self._written)
        if not notified == summed == records or max(notified.values(), default=0) > at_most:
            raise DoneWrongly(f"scores: {notified} notified of, {summed} summed up, {records} in records")

    def _written(self, tx: ReadTx) -> tuple[Counter[int], Counter[int], Counter[int]]:
        """Return how often each person was notified, counted, and recorded."""
        n, s, r = notifications.c, forecast_sums.c, source_records.c
        notified = sa.select(n.user_id).where(n.type == "forecast_scored", n.user_id.in_(self._people))
        summed = sa.select(s.user_id, s.pools).where(s.period == "all", s.user_id.in_(self._people))
        counted = Counter({one.user_id: one.pools for one in tx.execute(summed)})
        recorded = sa.select(r.user_id, r.sums).where(r.tag == "", r.user_id.in_(self._people))
        # Pools at the middle of their time.
        records = Counter({one.user_id: one.sums["mid"][0] for one in tx.execute(recorded)})
        return Counter(tx.execute(notified).scalars()), counted, records

    async def _make(self, url: str) -> None:
        db = open_database(url)
        try:
            # Of pools that were final before the first start no one is scored.
            await score_follower(db).prepare()
            await db.write(self._say)
            await pay_all(PaymentService(db))
        finally:
            await db.close()

    def _say(self, tx: WriteTx) -> None:
        creator, now_ms = person(tx, creator=True), system_clock()
        described = {"name": "Will it?", "finish_at": iso(now_ms + HOUR_MS)}
        (pool,) = event(tx, creator, described).pools
        self._pool_id, begin_ms = pool.id, now_ms - LASTED_MS
        tx.execute(pools.update().where(pools.c.id == pool.id).values(published_at_ms=begin_ms))
        self._people = [person(tx).user_id for _ in range(PEOPLE)]
        for number, user_id in enumerate(self._people, start=1):
            chances = [number / (PEOPLE + 1)]
            said = {"sent": chances, "probabilities": chances, "market": [0.5], "note": "", "accepted": [begin_ms]}
            at = {"since_ms": begin_ms, "created_at_ms": begin_ms}
            tx.execute(forecasts.insert().values(pool_id=pool.id, user_id=user_id, **at, **said))
        service.resolve(tx, pool.id, ResolveBody(won_side=0), creator)


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    run_command("scores", __doc__, arguments, ScoreTrial())
