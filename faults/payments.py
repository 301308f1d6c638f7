"""Payments: the process that pays a resolved pool is killed before and after each of its commits; another goes on.

python -m faults payments
python -m faults payments --database postgres --workers 2

Pools are resolved at once, at the end of a dispute window, and at the end of what an objection held. After each kill
the books must be right, every trader has the same money (balance plus positions), and the other process pays what is
left, each position once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from faults.killing import COMMITS, DoneWrongly, Trial, run_apart, run_command
from faults.payer import PIECE_POSITIONS
from foreknow.kernel.clock import MINUTE_MS, system_clock
from foreknow.market.pools.standing import HOLD_MS
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement.payments import PaymentService
from tests.trading.settlement.crowds import Crowd, pay_all, wealth

WINDOW_MINUTES = 1


class PaymentTrial(Trial):
    """A resolved pool of a crowd."""

    what = "pools"

    def __init__(self) -> None:
        super().__init__()
        #: Whether the pools have a dispute window, which has ended; and an objection held them, until lately.
        self.has_window = False
        self.was_held = False
        #: Positions that processes paid which went on.
        self.positions = 0
        self._crowd: Crowd | None = None
        self._expected: dict[int, int] = {}

    @property
    def crowd(self) -> Crowd:
        """The crowd whose pool is to be paid."""
        assert self._crowd is not None
        return self._crowd

    def kill(self, url: str, *, commits: Sequence[int] = COMMITS, workers: int = 1) -> Self:
        """Kill processes that pay at once, after a window, and after one in which the pool was held."""
        for self.has_window, self.was_held in ((False, False), (True, False), (True, True)):
            super().kill(url, commits=commits, workers=workers)
        return self

    @property
    def figures(self) -> str:
        """What came of the kills, in a line."""
        return (
            f"{self.kills} kills in {self.rounds} payments, {self.positions} positions paid by the process that"
            " went on, no trader had more or less at any check, every book right"
        )

    def prepare(self, url: str) -> None:
        """Let a crowd trade in a pool, and decide it."""
        self._crowd = run_apart(self._make(url))

    async def look(self, db: Database) -> None:
        """Note what everyone has."""
        self._expected = await self._wealth(db)

    async def check(self, db: Database) -> None:
        """Check what everyone has."""
        if await self._wealth(db) != self._expected:
            raise DoneWrongly("a trader has more or less")

    async def go_on(self, db: Database) -> None:
        """Pay what is left."""
        survivor = PaymentService(db, piece_positions=PIECE_POSITIONS)
        await pay_all(survivor)
        self.positions += survivor.metrics.rows

    async def check_done(self, db: Database) -> None:
        """Check that the pool is paid."""
        if (await db.read(lambda tx: load_pools(tx, [self.crowd.pool_id])))[self.crowd.pool_id].paying:
            raise DoneWrongly("the pool is not paid")

    async def _make(self, url: str) -> Crowd:
        def work(tx: WriteTx) -> Crowd:
            crowd = Crowd(tx, acme=self._crowd.acme if self._crowd else None)
            if self.has_window:
                tx.execute(pools.update().where(pools.c.id == crowd.pool_id).values(dispute_minutes=WINDOW_MINUTES))
            crowd.resolve(tx, payouts=[0.5, 0.25, 0.25])
            if self.was_held:
                crowd.object(tx)
            return crowd

        ago_ms = 2 * WINDOW_MINUTES * MINUTE_MS + (HOLD_MS if self.was_held else 0)
        db = open_database(url, clock=lambda: system_clock() - ago_ms)
        try:
            return await db.write(work)
        finally:
            await db.close()

    async def _wealth(self, db: Database) -> dict[int, int]:
        return await db.read(lambda tx: wealth(tx, self.crowd.traders, now_ms=system_clock()))


def main(arguments: list[str]) -> None:
    """Kill and check, and print the figures. Raises on a failure."""
    run_command("payments", __doc__, arguments, PaymentTrial())
