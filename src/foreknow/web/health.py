"""Health and readiness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.schema_types import STATUS, Timestamp
from foreknow.platform.db.write_probe import WriteProbe
from foreknow.platform.sending import is_held
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import UNLIMITED, PlainRequest, get


class Health(msgspec.Struct, frozen=True):
    """The service is up; `uptime_seconds` since it began to accept orders."""

    status: Annotated[Literal["ok"], STATUS]
    timestamp: Timestamp
    uptime_seconds: Annotated[
        float, Meta(description="Seconds since the service began to accept orders.", examples=[86400.5])
    ]


class Ready(msgspec.Struct, frozen=True):
    """The database answers. `sending` is there while nothing is sent: the database was restored or copied."""

    status: Annotated[Literal["ready"], STATUS]
    sending: (
        Annotated[
            Literal["held"], Meta(description="Nothing is sent to partners or alert channels; left out if it is.")
        ]
        | UnsetType
    ) = UNSET


class HealthRoutes:
    """GET /health and GET /ready."""

    def __init__(self, context: RouteContext, *, is_leaving: Callable[[], bool]) -> None:
        """Count the uptime from now; `is_leaving` returns whether the process is shutting down."""
        self._context = context
        self._is_leaving = is_leaving
        self._probe = WriteProbe(context.db)
        self._started_at_ms = context.clock()

    @get("/health", AuthLevel.NONE, rate_limit_group=UNLIMITED, cannot_fail=True, for_strangers=True)
    async def get_health(self, _request: PlainRequest) -> Health:
        """Whether the service is up."""
        # At once, without the database.
        now_ms = self._context.clock()
        return Health("ok", iso(now_ms), (now_ms - self._started_at_ms) / 1000)

    @get("/ready", AuthLevel.NONE, errors=(Unavailable,), rate_limit_group=UNLIMITED, for_strangers=True)
    async def get_readiness(self, _request: PlainRequest) -> Ready:
        """Whether the database answers and takes writes."""
        # Not if balancers are to turn elsewhere.
        if self._is_leaving():
            raise Unavailable("This server is about to stop; others go on.")
        held = await self._context.db.read(is_held)
        await self._probe.check()
        return Ready("ready", "held" if held else UNSET)
