"""What every room's routes are given, and how a request that moves money is answered exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.db.engine import Database
from foreknow.db.stale import StaleReads
from foreknow.kernel.clock import Clock
from foreknow.kernel.pages import Cursors
from foreknow.ledger import SpentKey, confirm_spent, spend_keys, spent_keys
from foreknow.web.answers import Answer, replayed
from foreknow.web.endpoint import Claim
from foreknow.web.shared import SharedAnswers

_encode = msgspec.json.Encoder().encode


class SpentKeyRegister:
    """Tells the pipeline which idempotency keys are spent."""

    def __init__(self, db: Database) -> None:
        """Ask `db`."""
        self._db = db

    async def is_spent(self, scope: str, key: str) -> bool:
        """Tell whether the key already stands for an accepted request."""
        return bool(await self._db.read(lambda tx: spent_keys(tx, [(scope, key)])))


@dataclass(frozen=True, slots=True)
class Room:
    """The furniture of every room: the database, the clock (Unix milliseconds), the cursors' seal, what is public.

    `stale` reads what may show the database as it was a moment ago, and nothing that decides about money.
    """

    db: Database
    stale: StaleReads
    clock: Clock
    cursors: Cursors
    shared: SharedAnswers

    async def once(self, claim: Claim | None, work: Callable[[sa.Connection], Any], *, status: int) -> Answer:
        """Run a money-moving `work` in one transaction together with its idempotency key.

        A key that is spent already gives its first answer again and `work` does not run; a refusal spends nothing.
        Two copies at the same moment: the loser's insert of the key fails, its transaction runs again and replays.
        """

        def run(tx: sa.Connection) -> Answer:
            if claim is None:
                return Answer(_encode(work(tx)), status)
            spent = spent_keys(tx, [claim.scoped]).get(claim.scoped)
            if spent is not None:
                spent = spent.replay_for(claim.fingerprint)
                confirm_spent(tx, claim.scoped)
                return replayed(spent.body, spent.status)
            body = _encode(work(tx))
            spend_keys(tx, {claim.scoped: SpentKey(claim.fingerprint, status, body)}, at_ms=self.clock())
            return Answer(body, status)

        return await self.db.write(run)
