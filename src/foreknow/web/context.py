"""What every room's routes are given, and how a request that moves money is answered exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from foreknow.db.engine import Database
from foreknow.db.public_reads import PublicReads
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import Clock
from foreknow.kernel.pagination import Cursors
from foreknow.ledger import (
    IdempotencyRecord,
    find_idempotency_records,
    lock_idempotency_record,
    store_idempotency_records,
)
from foreknow.ledger.idempotency import IdempotencyKey
from foreknow.web.response_cache import ResponseCache
from foreknow.web.responses import Response, stored_response

_encode = msgspec.json.Encoder().encode


class StoredKeys:
    """Tells the pipeline which idempotency keys are spent."""

    def __init__(self, db: Database) -> None:
        """Ask `db`."""
        self._db = db

    async def is_spent(self, scope: str, key: str) -> bool:
        """Tell whether the key already stands for an accepted request."""
        return bool(await self._db.read(lambda tx: find_idempotency_records(tx, [(scope, key)])))


@dataclass(frozen=True, slots=True)
class RouteContext:
    """The furniture of every room: the database, the clock (Unix milliseconds), the cursors' seal, what is public.

    `stale` reads what may show the database as it was a moment ago, and nothing that decides about money.
    """

    db: Database
    stale: PublicReads
    clock: Clock
    cursors: Cursors
    shared: ResponseCache

    async def run_idempotent(
        self, idempotency_key: IdempotencyKey | None, work: Callable[[WriteTx], Any], *, status: int
    ) -> Response:
        """Run a money-moving `work` in one transaction together with its idempotency key.

        A key that is spent already gives its first answer again and `work` does not run; a refusal spends nothing.
        Two copies at the same moment: the loser's insert of the key fails, its transaction runs again and replays.
        """

        def run(tx: WriteTx) -> Response:
            if idempotency_key is None:
                return Response(_encode(work(tx)), status)
            spent = find_idempotency_records(tx, [idempotency_key.scoped]).get(idempotency_key.scoped)
            if spent is not None:
                spent = spent.replay_for(idempotency_key.fingerprint)
                lock_idempotency_record(tx, idempotency_key.scoped)
                return stored_response(spent.body, spent.status, replayed=True)
            body = _encode(work(tx))
            store_idempotency_records(
                tx,
                {idempotency_key.scoped: IdempotencyRecord(idempotency_key.fingerprint, status, body)},
                at_ms=self.clock(),
            )
            return Response(body, status)

        return await self.db.write(run)
