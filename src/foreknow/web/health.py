"""Health and readiness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unavailable
from foreknow.web.endpoint import Call, Endpoint, Group, Level, get
from foreknow.web.room import Room


class Health(msgspec.Struct, frozen=True):
    """The service is up; `uptime_seconds` since it began to accept orders."""

    status: Literal["ok"]
    timestamp: str
    uptime_seconds: float


class Ready(msgspec.Struct, frozen=True):
    """The database answers."""

    status: Literal["ready"]


class HealthRoutes:
    """GET /health and GET /ready."""

    def __init__(self, room: Room, *, is_leaving: Callable[[], bool]) -> None:
        """Count the uptime from now; `is_leaving` tells whether the process was told to stop."""
        self._room = room
        self._is_leaving = is_leaving
        self._started_at_ms = room.clock()

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            get("/health", self.health, Level.NONE, Health, "Whether the service is up", limited_as=Group.FREE),
            get(
                "/ready",
                self.ready,
                Level.NONE,
                Ready,
                "Whether the database answers",
                refusals=(Unavailable,),
                limited_as=Group.FREE,
            ),
        ]

    async def health(self, _call: Call) -> Health:
        """Answer at once, without the database."""
        now_ms = self._room.clock()
        return Health("ok", iso(now_ms), (now_ms - self._started_at_ms) / 1000)

    async def ready(self, _call: Call) -> Ready:
        """Ask the database for a 1, unless balancers are to turn elsewhere."""
        if self._is_leaving():
            raise Unavailable("This server is about to stop; others go on.")
        await self._room.db.read(lambda tx: tx.execute(sa.select(1)).scalar_one())
        return Ready("ready")
