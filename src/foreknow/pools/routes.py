"""Endpoints of pools."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools import service
from foreknow.pools.errors import InvalidIds, InvalidPoolId, PoolNotFound
from foreknow.pools.schemas import Pool, pool_view
from foreknow.validation.fields import positive_int
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, QueryRequest, get, post
from foreknow.web.params import Param, parameters, path_id, required
from foreknow.web.responses import Response

BATCH_MAX = 100


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
    InvalidIds,
)


@parameters
class PoolPath:
    pool_id: int = path_id(InvalidPoolId)


@parameters
class BatchQuery:
    ids: list[int] = required(IDS)


class PoolRoutes:
    """Reading, pausing and resuming pools."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        pausing_errors = (PoolNotFound, Forbidden, InvalidState)
        return [
            get(
                "/pools/batch",
                self.batch,
                AuthLevel.NONE,
                list[Pool],
                "Several pools at once",
                operation_id="get_pools",
                description="In the order asked, duplicates once, unknown and unpublished ones left out.",
            ),
            get(
                "/pools/{pool_id}",
                self.one,
                AuthLevel.OPTIONAL,
                Pool,
                "One pool",
                operation_id="get_pool",
                errors=(PoolNotFound,),
            ),
            post(
                "/pools/{pool_id}/pause",
                self.pause,
                AuthLevel.REQUIRED,
                Pool,
                "Pause trading in a pool",
                operation_id="pause_pool",
                errors=pausing_errors,
                description="By its event's creator or an admin.",
            ),
            post(
                "/pools/{pool_id}/resume",
                self.resume,
                AuthLevel.REQUIRED,
                Pool,
                "Resume trading in a pool",
                operation_id="resume_pool",
                errors=pausing_errors,
                description="By its event's creator or an admin.",
            ),
        ]

    async def batch(self, request: QueryRequest[BatchQuery]) -> Response:
        """Return what is public among the ids."""
        # In the order asked, duplicates once.
        ids = dict.fromkeys(request.query.ids)
        return await self._context.responses.get_pools(ids, self._public_pools)

    async def one(self, request: PathRequest[PoolPath]) -> Pool | Response:
        """Return one pool."""
        pool_id, visitor = request.path.pool_id, request.visitor

        def read(tx: ReadTx) -> tuple[Pool, list[int]]:
            row = service.visible_pool(tx, pool_id, visitor)
            return pool_view(row, now_ms=self._context.clock()), [pool_id]

        if visitor is None:
            return await self._context.responses.get_pool(pool_id, read)
        return (await self._context.public_reads.lookup(read)).content

    async def pause(self, request: PathRequest[PoolPath]) -> Pool:
        """Stop trading in it."""
        return await self._set_paused(request, paused=True)

    async def resume(self, request: PathRequest[PoolPath]) -> Pool:
        """Let trading go on."""
        return await self._set_paused(request, paused=False)

    async def _set_paused(self, request: PathRequest[PoolPath], *, paused: bool) -> Pool:
        def work(tx: WriteTx) -> Pool:
            row = service.pause(tx, request.path.pool_id, request.user, paused=paused)
            return pool_view(row, now_ms=now_ms(tx))

        return await self._context.db.write(work)

    def _public_pools(self, tx: ReadTx, pool_ids: Sequence[int]) -> dict[int, Pool]:
        at_ms = self._context.clock()
        return {row.id: pool_view(row, now_ms=at_ms) for row in service.visible_pools(tx, pool_ids, visitor=None)}
