"""A new site's first hour: what an admin has done of its first steps, read from what is there.

No table says so: there is an event, there is an invitation, and who put the steps away did so in the admin log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import DAY_MS
from foreknow.market.events.tables import events
from foreknow.people import admin_log, invitations
from foreknow.people.users import require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PlainRequest, delete, get
from foreknow.web.responses import Empty

#: Age of the first event from which a site is no new one: those of earlier releases never are.
PAST_AFTER_MS = 7 * DAY_MS
_PUT_AWAY = "first_hour.put_away"


class FirstHour(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of a new site, each with whether it is done."""

    market: Annotated[bool, Meta(description="Whether there is an event.", examples=[True])]
    invitation: Annotated[bool, Meta(description="Whether people were invited.", examples=[False])]
    looks: Annotated[
        bool, Meta(description="Whether the site has a logo, an icon or a colour of its own.", examples=[True])
    ]
    over: Annotated[
        bool,
        Meta(
            description="Whether there is nothing more to show: all steps are done, an admin has put them away, or the "
            "first event is a week old.",
            examples=[False],
        ),
    ]


class FirstHourRoutes:
    """The steps of an admin on a new site."""

    def __init__(self, context: RouteContext, *, has_looks: bool) -> None:
        """Answer from `context`; `has_looks`: the site has looks of its own."""
        self._context = context
        self._has_looks = has_looks

    @get("/admin/first-hour", AuthLevel.ADMIN)
    async def get_first_hour(self, _request: PlainRequest) -> FirstHour:
        """The first steps of a new site, and which of them are done."""
        found = await self._context.db.lookup(steps)
        is_all = found.market and found.invitation and self._has_looks
        return FirstHour(
            market=found.market,
            invitation=found.invitation,
            looks=self._has_looks,
            over=is_all or found.is_put_away or found.is_past,
        )

    @delete("/admin/first-hour", AuthLevel.ADMIN)
    async def end_first_hour(self, request: PlainRequest) -> Empty:
        """Put the first steps away for all admins. Again, that changes nothing."""
        await self._context.db.write_private(lambda tx: put_away(tx, request.user, at_ms=now_ms(tx)))
        return Empty()


@dataclass(frozen=True, slots=True)
class Steps:
    """What is done: whether there is an event and an invitation; whether the steps are put away, or long past."""

    market: bool
    invitation: bool
    is_put_away: bool
    is_past: bool


def steps(tx: ReadTx) -> Steps:
    """Return how far a site has come."""
    first_at_ms = tx.execute(sa.select(events.c.created_at_ms).order_by(events.c.id).limit(1)).scalar()
    return Steps(
        market=first_at_ms is not None,
        invitation=bool(invitations.newest(tx, before_id=None, limit=1)),
        is_put_away=_is_put_away(tx),
        is_past=first_at_ms is not None and first_at_ms <= now_ms(tx) - PAST_AFTER_MS,
    )


def put_away(tx: WriteTx, admin: UserCaller, *, at_ms: int) -> None:
    """Put the steps away for all admins, permanently; again, that changes nothing. `Unauthorized`, `Forbidden`."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    if not _is_put_away(tx):
        admin_log.record(tx, admin, action=_PUT_AWAY, target="site", details={}, at_ms=at_ms)


def _is_put_away(tx: ReadTx) -> bool:
    return bool(admin_log.newest_entries(tx, action=_PUT_AWAY, before_id=None, limit=1))
