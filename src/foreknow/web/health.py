"""Health and readiness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.schema_types import STATUS, Timestamp
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import UNLIMITED, Endpoint, PlainRequest, get


class Health(msgspec.Struct, frozen=True):
    """The service is up; `uptime_seconds` since it began to accept orders."""

    status: Annotated[Literal["ok"], STATUS]
    timestamp: Timestamp
    uptime_seconds: Annotated[
        float, Meta(description="Seconds since the service began to accept orders.", examples=[86400.5])
    ]


class Ready(msgspec.Struct, frozen=True):
    """The database answers."""

    status: Annotated[Literal["ready"], STATUS]


class HealthRoutes:
    """GET /health and GET /ready."""

    def __init__(self, context: RouteContext, *, is_leaving: Callable[[], bool]) -> None:
        """Count the uptime from now; `is_leaving` returns whether the process is shutting down."""
        self._context = context
        self._is_leaving = is_leaving
        self._started_at_ms = context.clock()

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoints."""
        return [
            get(
                "/health",
                self.health,
                AuthLevel.NONE,
                Health,
                "Whether the service is up",
                operation_id="get_health",
                rate_limit_group=UNLIMITED,
                cannot_fail=True,
            ),
            get(
                "/ready",
                self.ready,
                AuthLevel.NONE,
                Ready,
                "Whether the database answers",
                operation_id="get_readiness",
                errors=(Unavailable,),
                rate_limit_group=UNLIMITED,
            ),
        ]

    async def health(self, _request: PlainRequest) -> Health:
        """Answer at once, without the database."""
        now_ms = self._context.clock()
        return Health("ok", iso(now_ms), (now_ms - self._started_at_ms) / 1000)

    async def ready(self, _request: PlainRequest) -> Ready:
        """Ask the database for a 1, unless balancers are to turn elsewhere."""
        if self._is_leaving():
            raise Unavailable("This server is about to stop; others go on.")
        await self._context.db.read(lambda tx: tx.execute(sa.select(1)).scalar_one())
        return Ready("ready")
