"""Endpoints of pools."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools import service
from foreknow.pools.batches import BatchAnswer, batch_answer
from foreknow.pools.refusals import InvalidIds, PoolNotFound
from foreknow.pools.schemas import Pool, pool_view
from foreknow.web.answers import Answer
from foreknow.web.decoding import positive_int
from foreknow.web.endpoint import Call, Endpoint, Level, Param, get, post
from foreknow.web.room import Room

BATCH_MAX = 100
#: So many pools take a millisecond or two to show; where each has a hundred markets, some fifteen.
BRIEF_POOLS = 20


def _read_ids(text: str) -> list[int]:
    pieces = text.split(",")
    ids = [number for piece in pieces if (number := positive_int(piece)) is not None]
    if len(ids) != len(pieces) or len(pieces) > BATCH_MAX:
        raise InvalidIds
    return ids


IDS = Param(
    "ids",
    _read_ids,
    {"type": "string", "pattern": "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,99}$"},
    "Comma-separated pool ids, at most 100.",
    required=True,
    missing=InvalidIds,
)


class PoolRoutes:
    """Reading, pausing and resuming pools."""

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        for_who_runs_it = (PoolNotFound, Forbidden, InvalidState)
        return [
            get(
                "/pools/batch",
                self.batch,
                Level.NONE,
                list[Pool],
                "Several pools at once",
                query=(IDS,),
                refusals=(InvalidIds,),
                description="In the order asked, duplicates once, unknown and unpublished ones left out.",
            ),
            get("/pools/{pool_id}", self.one, Level.OPTIONAL, Pool, "One pool", refusals=(PoolNotFound,)),
            post(
                "/pools/{pool_id}/pause",
                self.pause,
                Level.REQUIRED,
                Pool,
                "Pause trading in a pool",
                refusals=for_who_runs_it,
                description="By its event's creator or an admin.",
            ),
            post(
                "/pools/{pool_id}/resume",
                self.resume,
                Level.REQUIRED,
                Pool,
                "Resume trading in a pool",
                refusals=for_who_runs_it,
                description="By its event's creator or an admin.",
            ),
        ]

    async def batch(self, call: Call) -> Answer:
        """Answer what is public among the ids."""
        asked: list[int] = call.query["ids"]
        ids = sorted(set(asked))

        def read(tx: sa.Connection) -> tuple[Answer, list[int]]:
            rows = service.visible_pools(tx, ids, visitor=None)
            return batch_answer([pool_view(row) for row in rows]), ids

        kept = await self._room.shared.answer(("pools", *ids), read, brief=len(ids) <= BRIEF_POOLS)
        assert isinstance(kept, BatchAnswer)
        return kept.in_order(asked)

    async def one(self, call: Call) -> Pool | Answer:
        """Answer one pool."""
        pool_id, visitor = call.path["pool_id"], call.visitor

        def read(tx: sa.Connection) -> tuple[Pool, list[int]]:
            return pool_view(service.visible_pool(tx, pool_id, visitor)), [pool_id]

        if visitor is None:
            return await self._room.shared.answer(("pool", pool_id), read)
        return (await self._room.stale.read(read, brief=True)).content

    async def pause(self, call: Call) -> Pool:
        """Stop trading in it."""
        return await self._set_paused(call, paused=True)

    async def resume(self, call: Call) -> Pool:
        """Let trading go on."""
        return await self._set_paused(call, paused=False)

    async def _set_paused(self, call: Call, *, paused: bool) -> Pool:
        return await self._room.db.write(
            lambda tx: pool_view(
                service.pause(tx, call.path["pool_id"], call.user, paused=paused, at_ms=self._room.clock())
            )
        )
