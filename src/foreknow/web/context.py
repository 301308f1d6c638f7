"""What every feature's routes are made with, and how a request that moves money is executed exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import Clock, iso
from foreknow.kernel.errors import Muted
from foreknow.kernel.pagination import Cursors
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from foreknow.money.ledger import (
    IdempotencyRecord,
    find_idempotency_records,
    lock_idempotency_record,
    store_idempotency_records,
)
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.public_reads import PublicReads
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import LiveSettings
from foreknow.web.endpoint import EndpointOptions
from foreknow.web.response_cache import ResponseCache
from foreknow.web.responses import Response, stored_response

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class RouteContext:
    """What every feature needs: the database, the clock (Unix milliseconds), signed cursors, cached public responses,
    and the settings as they count now.

    `public_reads` may show the database as it was a moment ago; nothing that decides about money uses them.
    """

    db: Database
    public_reads: PublicReads
    clock: Clock
    cursors: Cursors
    responses: ResponseCache
    settings: LiveSettings = field(default_factory=lambda: LiveSettings(Settings()))

    @property
    def terms(self) -> Terms:
        """The settings that rules depend on, a second old at most; what decides in a transaction reads them there."""
        return self.settings.now

    def check_unmuted(self, caller: UserCaller) -> None:
        """Raise `Muted` for a caller whom an operator or admin has muted."""
        if caller.is_muted(self.clock()):
            assert caller.muted_until_ms is not None
            raise Muted(until=iso(caller.muted_until_ms))

    async def run_idempotent(
        self, idempotency_key: IdempotencyKey | None, work: Callable[[WriteTx], Any], *, status: int
    ) -> Response:
        """Run a money-moving `work` in one transaction together with its idempotency key.

        For a spent key the first response is returned again and `work` does not run. An error spends no key. Of two
        concurrent copies, the second one's insert of the key fails; its transaction runs again and replays.
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
                at_ms=now_ms(tx),
            )
            return Response(body, status)

        return await self.db.write(run)


class FeatureRoutes:
    """Handlers of a feature, each with its endpoint declared by `get`, `post` … (`web.endpoint`)."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def for_unmuted(self) -> EndpointOptions:
        """Refuse muted callers: options of an endpoint, whose `errors` name `Muted`."""
        return {"check_caller": self._context.check_unmuted}
