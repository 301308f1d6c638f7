"""The worker that pays allowances, one short transaction after the other, so that orders go on between them.

Which period is paid, and how far, is one row that each transaction locks and moves on with its transfers: whatever is
killed, and however many processes pay, each user gets a period's allowance once.
"""

from __future__ import annotations

import asyncio
import time

import structlog

from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.platform.settings import LiveSettings
from foreknow.site.allowance import granting
from foreknow.site.allowance import state as states
from foreknow.site.allowance.granting import GrantPiece
from foreknow.site.allowance.state import AllowanceState

log = structlog.get_logger("foreknow.allowance")

#: How often a process looks whether a period has begun.
POLL_S = 1.0
#: Grants of a transaction. All orders wait for it on SQLite, those of its users on PostgreSQL: 20 ms at most.
PIECE = 64
#: Seconds of rest after each second of pieces, so that orders find the database and the processor free.
REST_SHARE = 1.0
#: Longest wait at shutdown for the piece under way.
STOP_S = 10.0


class AllowanceService(Background):
    """Pays the allowance that the settings say."""

    def __init__(self, db: Database, settings: LiveSettings, *, poll_s: float = POLL_S) -> None:
        """Where the settings ask for verified e-mail addresses, only those with one get it."""
        super().__init__(Worker("allowances", self.pay, poll_s=poll_s, stop_s=STOP_S))
        self._db = db
        self._settings = settings

    async def prepare(self) -> None:
        """Note what is set before anything is served, so that it counts from the next period, however soon that is."""
        found, current = await self._db.lookup(self._look)
        if current != found:
            await self._db.write_private(self._turn)

    async def pay(self) -> bool:
        """Begin a period or pay a piece of it; return whether there may be more to do."""
        found, current = await self._db.lookup(self._look)
        if current != found:
            await self._db.write_private(self._turn)
            return True
        if current is None or current.due_terms is None or not self._settings.now.takes_orders:
            return False
        state, terms = current, current.due_terms
        began_s = time.perf_counter()

        def find(tx: ReadTx) -> GrantPiece:
            verified_only = self._settings.at(tx).asks_for_verification
            return granting.find_piece(tx, state, terms, size=PIECE, verified_only=verified_only)

        piece = await self._db.read(find)
        await self._db.write_brief(lambda tx: granting.grant(tx, piece))
        if piece.through_id is None:
            log.info("allowance paid", every=terms.every, start_ms=state.start_ms)
        await asyncio.sleep(REST_SHARE * (time.perf_counter() - began_s))
        return True

    def _look(self, tx: ReadTx) -> tuple[AllowanceState | None, AllowanceState | None]:
        found = states.find(tx)
        return found, states.at(found, self._settings.at(tx).granted_allowance, now_ms(tx))

    def _turn(self, tx: WriteTx) -> None:
        found = states.lock(tx)
        current = states.at(found, self._settings.at(tx).granted_allowance, now_ms(tx))
        if current != found:
            states.store(tx, current)
