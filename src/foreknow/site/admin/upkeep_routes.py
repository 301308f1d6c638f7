"""Endpoints of a site's upkeep: its newest backup, and whether it sends."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.schema_types import TIME_EXAMPLE, Time
from foreknow.people import admin_log
from foreknow.people.users import require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.sending import Guard, Hold
from foreknow.site.admin.backups import newest_backup_at_ms
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PlainRequest, get, post
from foreknow.web.responses import Empty


class SendingHold(msgspec.Struct, frozen=True):
    """Nothing is sent to partners or alert channels."""

    since: Annotated[Time, Meta(description="Since when nothing is sent, UTC.", examples=[TIME_EXAMPLE])]
    reason: Annotated[str, Meta(description="Why, for people.", examples=["it is a copy, or was restored"])]


class Upkeep(msgspec.Struct, frozen=True):
    """What an admin looks at now and then."""

    newest_backup_at: Annotated[
        Time | None,
        Meta(description="When `foreknow backup` was finished last, UTC; null for never.", examples=[TIME_EXAMPLE]),
    ]
    held: Annotated[SendingHold | None, Meta(description="Why nothing is sent; null if it is.")]


class UpkeepRoutes:
    """A site's upkeep."""

    def __init__(self, context: RouteContext, guard: Guard, *, is_trial: bool) -> None:
        """Answer from `context`; `is_trial`: this database is never the site."""
        self._context = context
        self._guard = guard
        self._is_trial = is_trial

    @get("/admin/upkeep", AuthLevel.ADMIN)
    async def get_upkeep(self, _request: PlainRequest) -> Upkeep:
        """The newest backup, and whether the site sends to partners and alert channels."""
        return await self._context.db.lookup(self._read)

    @post("/admin/upkeep/confirm", AuthLevel.ADMIN, errors=(InvalidState,))
    async def confirm_site(self, request: PlainRequest) -> Empty:
        """Say that this database is the site: what waits for partners and alert channels goes out.

        For one that was restored, copied or moved. Again, that changes nothing.
        """
        if self._is_trial:
            raise InvalidState("This is a copy for a trial (FOREKNOW_TRIAL).")
        await self._context.db.write_private(lambda tx: self._confirm(tx, request))
        return Empty()

    def _read(self, tx: ReadTx) -> Upkeep:
        hold = self._guard.look(tx).hold
        held = None if hold is None else SendingHold(iso(hold.since_ms), hold.reason)
        return Upkeep(iso_or_none(newest_backup_at_ms(tx)), held)

    def _confirm(self, tx: WriteTx, request: PlainRequest) -> None:
        require_live_session(tx, request.user, AuthLevel.ADMIN)
        ended: Hold | None = self._guard.confirm(tx)
        if ended is not None:
            details = {"reason": ended.reason}
            admin_log.record(tx, request.user, action="site.confirm", target="site", details=details, at_ms=now_ms(tx))
