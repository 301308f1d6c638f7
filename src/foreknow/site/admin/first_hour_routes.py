"""Endpoints of a new site's first hour."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.platform.db.clock import now_ms
from foreknow.site.admin import first_hour
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import PlainRequest, delete, get
from foreknow.web.responses import Empty


class FirstHour(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of a new site, each with whether it is done."""

    market: Annotated[bool, Meta(description="Whether there is an event.", examples=[True])]
    invitation: Annotated[bool, Meta(description="Whether people were invited.", examples=[False])]
    looks: Annotated[
        bool, Meta(description="Whether the site has a name, a logo, an icon or a colour of its own.", examples=[True])
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
        """Answer from `context`; `has_looks`: the site has a name or looks of its own."""
        self._context = context
        self._has_looks = has_looks

    @get("/admin/first-hour", AuthLevel.ADMIN)
    async def get_first_hour(self, _request: PlainRequest) -> FirstHour:
        """The first steps of a new site, and which of them are done."""
        found = await self._context.db.lookup(first_hour.steps)
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
        await self._context.db.write_private(lambda tx: first_hour.put_away(tx, request.user, at_ms=now_ms(tx)))
        return Empty()
