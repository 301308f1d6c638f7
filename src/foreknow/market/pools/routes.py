"""Endpoints of pools."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.kernel.validation.fields import positive_int
from foreknow.market.pools import service
from foreknow.market.pools.errors import InvalidIds, InvalidPoolId, PoolNotFound
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, QueryRequest, get, post
from foreknow.web.params import Param, parameters, path_id, required
from foreknow.web.responses import Response

BATCH_MAX = 100
_PAUSING_ERRORS = (PoolNotFound, Forbidden, InvalidState)


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


class PoolRoutes(FeatureRoutes):
    """Reading, pausing and resuming pools."""

    @get("/pools/batch", AuthLevel.NONE, response=list[Pool], cached=True)
    async def get_pools(self, request: QueryRequest[BatchQuery]) -> Response:
        """Several pools at once.

        In the order asked, duplicates once, unknown and unpublished ones left out.
        """
        # In the order asked, duplicates once.
        ids = dict.fromkeys(request.query.ids)
        return await self._context.responses.get_pools(ids, self._public_pools)

    @get("/pools/{pool_id}", AuthLevel.OPTIONAL, errors=(PoolNotFound,), cached=True)
    async def get_pool(self, request: PathRequest[PoolPath]) -> Pool | Response:
        """One pool."""
        pool_id, visitor = request.path.pool_id, request.visitor

        def read(tx: ReadTx) -> tuple[Pool, list[int]]:
            row = service.visible_pool(tx, pool_id, visitor)
            return pool_view(row, now_ms=self._context.clock()), [pool_id]

        if visitor is None:
            return await self._context.responses.get_pool(pool_id, read)
        return (await self._context.public_reads.lookup(read)).content

    @post("/pools/{pool_id}/pause", AuthLevel.REQUIRED, errors=_PAUSING_ERRORS)
    async def pause_pool(self, request: PathRequest[PoolPath]) -> Pool:
        """Pause trading in a pool.

        By its event's creator or an admin. Once the creator has paused a pool that a rule resolves, only an admin
        cancels the event.
        """
        return await self._set_paused(request, paused=True)

    @post("/pools/{pool_id}/resume", AuthLevel.REQUIRED, errors=_PAUSING_ERRORS)
    async def resume_pool(self, request: PathRequest[PoolPath]) -> Pool:
        """Resume trading in a pool.

        By its event's creator or an admin.
        """
        return await self._set_paused(request, paused=False)

    async def _set_paused(self, request: PathRequest[PoolPath], *, paused: bool) -> Pool:
        def work(tx: WriteTx) -> Pool:
            row = service.pause(tx, request.path.pool_id, request.user, paused=paused)
            return pool_view(row, now_ms=now_ms(tx))

        return await self._context.db.write(work)

    def _public_pools(self, tx: ReadTx, pool_ids: Sequence[int]) -> dict[int, Pool]:
        at_ms = self._context.clock()
        return {row.id: pool_view(row, now_ms=at_ms) for row in service.visible_pools(tx, pool_ids, visitor=None)}
