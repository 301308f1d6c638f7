"""Endpoints of series."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, Muted
from foreknow.market.events.schemas import EditSeriesBody
from foreknow.market.series import service
from foreknow.market.series.errors import InvalidSeriesId, SeriesNotFound
from foreknow.market.series.schemas import Series
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, Request, get, patch, post
from foreknow.web.params import parameters, path_id


@parameters
class SeriesPath:
    series_id: int = path_id(InvalidSeriesId)


class SeriesRoutes(FeatureRoutes):
    """Reading, stopping, resuming and changing series."""

    @get("/series/{series_id}", AuthLevel.OPTIONAL, errors=(SeriesNotFound,))
    async def get_series(self, request: PathRequest[SeriesPath]) -> Series:
        """One series."""
        at_ms = self._context.clock()
        return await self._context.public_reads.lookup_untraded(
            lambda tx: service.load_view(tx, request.path.series_id, at_ms=at_ms)
        )

    @post("/series/{series_id}/stop", AuthLevel.REQUIRED, errors=(SeriesNotFound, Forbidden))
    async def stop_series(self, request: PathRequest[SeriesPath]) -> Series:
        """Open no more instances of a series.

        By its creator or an admin. The newest instance goes on.
        """
        return await self._change(request, service.stop)

    @post(
        "/series/{series_id}/resume",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, SeriesNotFound, Forbidden, InvalidState),
    )
    async def resume_series(self, request: PathRequest[SeriesPath]) -> Series:
        """Open instances of a stopped series again.

        By its creator or an admin. Instances that are past meanwhile are left out.
        """
        return await self._change(request, service.resume)

    async def _change(
        self, request: PathRequest[SeriesPath], change: Callable[[WriteTx, int, UserCaller], None]
    ) -> Series:
        def work(tx: WriteTx) -> Series:
            change(tx, request.path.series_id, request.user)
            return service.load_view(tx, request.path.series_id, at_ms=now_ms(tx))

        return await self._context.db.write(work)

    @patch(
        "/series/{series_id}",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, SeriesNotFound, Forbidden, InvalidState),
    )
    async def update_series(self, request: Request[SeriesPath, None, EditSeriesBody]) -> Series:
        """Change the later instances of a series.

        By its creator or an admin. Fields as in creation; what is left out stays. `pools` replaces all pools, with the
        times of instance `next_index`.
        """
        series_id, body = request.path.series_id, request.body
        service.check_edit(body)

        def work(tx: WriteTx) -> Series:
            service.edit(tx, series_id, body, request.user)
            return service.load_view(tx, series_id, at_ms=now_ms(tx))

        return await self._context.db.write(work)
