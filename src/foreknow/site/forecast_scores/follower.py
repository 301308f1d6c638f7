"""The worker that scores final pools, each once, and asks who has not said for long whether they still think so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Claim, Follower
from foreknow.platform.jobs.piecewise import RENEW_S, piece_rows
from foreknow.platform.settings import LiveSettings
from foreknow.site.forecast_scores import finding, writing
from foreknow.site.forecast_scores.scoring import Scoring
from foreknow.site.forecast_scores.tables import CURSOR, SCORINGS, forecast_scorings

#: Nothing wakes it.
POLL_S = 2.0
#: Seconds of rest for each second of reading or writing, so that orders find processor and database free.
REST_SHARE = 0.5
#: Rows that a person's part of a pool has besides its records.
_ROWS_EACH = 5


class ScoreFollower(Follower):
    """Scores each final pool once, however many processes there are and whatever is killed.

    A process that works on a pool holds a lease of its row. The lease keeps processes apart, no more: each piece looks,
    under the lock of that row, what is written already.
    """

    def __init__(self, db: Database, live: LiveSettings, *, piece: int | None = None) -> None:
        """Score the pools of `db`; whether orders are taken as a pool becomes final, `live` says.

        `piece`: rows of a transaction, by default what suits the database.
        """
        super().__init__("forecast-scores", db, CURSOR, poll_s=POLL_S)
        self._live = live
        self._piece_rows = piece or 4 * piece_rows(db)

    async def follow(self) -> bool:
        """Do some of what is new; return whether there may be more."""
        found = await self.step(
            finding.next_final,
            lambda tx, final: finding.schedule(tx, final, trading=self._live.at(tx).takes_orders),
        )
        has_scored = await self._score_next()
        old = await self.step(finding.next_old, finding.ask)
        return has_scored or (found is not None and found.is_full) or (old is not None and old.is_full)

    async def _score_next(self) -> bool:
        """Score a pool that is due; return whether any was."""
        if not await self.db.lookup(lambda tx: SCORINGS.is_any_due(tx, now_ms=now_ms(tx))):
            return False
        claims = await self.db.write_private(lambda tx: SCORINGS.claim(tx, now_ms=now_ms(tx), limit=1))
        if not claims:
            return False
        await self._score(claims[0])
        return True

    async def _score(self, claim: Claim) -> None:
        columns = forecast_scorings.c
        is_trading = sa.select(columns.trading).where(columns.pool_id == claim.key)
        scoring = await self.db.read(
            lambda tx: Scoring(tx, claim.key, trading=bool(tx.execute(is_trading).scalar_one()))
        )
        held: Claim | None = claim
        loop = asyncio.get_running_loop()
        renew_at_s = loop.time() + RENEW_S
        is_more = True
        while is_more:
            began_s = loop.time()
            is_more = await self.db.read(scoring.read_some)
            if began_s >= renew_at_s:
                held = await self._renewed(held)
                renew_at_s = began_s + RENEW_S
            if held is None:
                return
            await asyncio.sleep(REST_SHARE * (loop.time() - began_s))
        earned = scoring.earned()
        rows_each = _ROWS_EACH + (1 + len(scoring.event.tags) if scoring.is_enough else 0)
        for some in chunks(sorted(earned), max(1, self._piece_rows // rows_each)):
            began_s = loop.time()
            held = await self._write(held, partial(writing.write, scoring=scoring, earned=earned, user_ids=some))
            if held is None:
                return
            await asyncio.sleep(REST_SHARE * (loop.time() - began_s))
        if held is not None:
            await self._finish(held, scoring)

    async def _renewed(self, claim: Claim | None) -> Claim | None:
        return await self._write(claim, lambda _tx: None)

    async def _write(self, claim: Claim | None, work: Callable[[WriteTx], None]) -> Claim | None:
        """Write under the lock of the pool's row; None, and nothing is written, where another process has it."""
        if claim is None:
            return None
        known = claim

        def run(tx: WriteTx) -> Claim | None:
            held = SCORINGS.renew(tx, known, now_ms=now_ms(tx), resets_claims=True)
            if held is not None:
                work(tx)
            return held

        return await self.db.write_private(run)

    async def _finish(self, claim: Claim, scoring: Scoring) -> None:
        def finish(tx: WriteTx) -> None:
            if SCORINGS.reschedule(tx, claim, due_at_ms=None):
                writing.write_crowd(tx, scoring)

        await self.db.write_private(finish)
