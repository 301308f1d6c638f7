"""Endpoints of pools."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.transactions import ReadTx
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.pools import service
from foreknow.pools.batches import PoolBatch, pool_batch
from foreknow.pools.errors import InvalidIds, InvalidPoolId, PoolNotFound
from foreknow.pools.schemas import Pool, pool_view
from foreknow.validation.fields import positive_int
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, QueryRequest, get, post
from foreknow.web.params import Param, parameters, path_id, required
from foreknow.web.responses import Response

BATCH_MAX = 100
#: Limit of pools read on the event loop: 1-2 ms, or 15 ms if each has 100 markets.
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
    InvalidIds,
)


class _BatchResponse(Response, frozen=True, kw_only=True):
    """A cached response that can be given in any order of its pools."""

    batch: PoolBatch


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
                description="In the order asked, duplicates once, unknown and unpublished ones left out.",
            ),
            get("/pools/{pool_id}", self.one, AuthLevel.OPTIONAL, Pool, "One pool", errors=(PoolNotFound,)),
            post(
                "/pools/{pool_id}/pause",
                self.pause,
                AuthLevel.REQUIRED,
                Pool,
                "Pause trading in a pool",
                errors=pausing_errors,
                description="By its event's creator or an admin.",
            ),
            post(
                "/pools/{pool_id}/resume",
                self.resume,
                AuthLevel.REQUIRED,
                Pool,
                "Resume trading in a pool",
                errors=pausing_errors,
                description="By its event's creator or an admin.",
            ),
        ]

    async def batch(self, request: QueryRequest[BatchQuery]) -> Response:
        """Answer what is public among the ids."""
        asked = request.query.ids
        ids = sorted(set(asked))

        def read(tx: ReadTx) -> tuple[Response, list[int]]:
            batch = pool_batch([pool_view(row) for row in service.visible_pools(tx, ids, visitor=None)])
            return _BatchResponse(batch.body, batch=batch), ids

        shared = self._context.shared
        get = shared.get if len(ids) <= BRIEF_POOLS else shared.get_long
        kept = await get(("pools", *ids), read)
        assert isinstance(kept, _BatchResponse)
        return Response(kept.batch.in_order(asked))

    async def one(self, request: PathRequest[PoolPath]) -> Pool | Response:
        """Answer one pool."""
        pool_id, visitor = request.path.pool_id, request.visitor

        def read(tx: ReadTx) -> tuple[Pool, list[int]]:
            return pool_view(service.visible_pool(tx, pool_id, visitor)), [pool_id]

        if visitor is None:
            return await self._context.shared.get(("pool", pool_id), read)
        return (await self._context.stale.lookup(read)).content

    async def pause(self, request: PathRequest[PoolPath]) -> Pool:
        """Stop trading in it."""
        return await self._set_paused(request, paused=True)

    async def resume(self, request: PathRequest[PoolPath]) -> Pool:
        """Let trading go on."""
        return await self._set_paused(request, paused=False)

    async def _set_paused(self, request: PathRequest[PoolPath], *, paused: bool) -> Pool:
        return await self._context.db.write(
            lambda tx: pool_view(
                service.pause(tx, request.path.pool_id, request.user, paused=paused, at_ms=self._context.clock())
            )
        )
