"""Endpoints of series."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.access.callers import UserCaller
from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.events.schemas import EditSeriesBody
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.series import service
from foreknow.series.errors import InvalidSeriesId, SeriesNotFound
from foreknow.series.schemas import Series
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, Request, get, patch, post
from foreknow.web.params import parameters, path_id


@parameters
class SeriesPath:
    series_id: int = path_id(InvalidSeriesId)


class SeriesRoutes:
    """Reading, stopping, resuming and changing series."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/series/{series_id}",
                self.one,
                AuthLevel.OPTIONAL,
                Series,
                "One series",
                operation_id="get_series",
                errors=(SeriesNotFound,),
            ),
            post(
                "/series/{series_id}/stop",
                self.stop,
                AuthLevel.REQUIRED,
                Series,
                "Open no more instances of a series",
                operation_id="stop_series",
                errors=(SeriesNotFound, Forbidden),
                description="By its creator or an admin. The newest instance goes on.",
            ),
            post(
                "/series/{series_id}/resume",
                self.resume,
                AuthLevel.REQUIRED,
                Series,
                "Open instances of a stopped series again",
                operation_id="resume_series",
                errors=(SeriesNotFound, Forbidden, InvalidState),
                description="By its creator or an admin. Instances that are past meanwhile are left out.",
            ),
            patch(
                "/series/{series_id}",
                self.edit,
                AuthLevel.REQUIRED,
                Series,
                "Change the later instances of a series",
                operation_id="update_series",
                errors=(SeriesNotFound, Forbidden, InvalidState),
                description="By its creator or an admin. Fields as in creation; what is left out stays. `pools` "
                "replaces all pools, with the times of instance `next_index`.",
            ),
        ]

    async def one(self, request: PathRequest[SeriesPath]) -> Series:
        """Return one series."""
        at_ms = self._context.clock()
        return await self._context.public_reads.lookup_untraded(
            lambda tx: service.load_view(tx, request.path.series_id, at_ms=at_ms)
        )

    async def stop(self, request: PathRequest[SeriesPath]) -> Series:
        """Open no more instances."""
        return await self._change(request, service.stop)

    async def resume(self, request: PathRequest[SeriesPath]) -> Series:
        """Open instances again."""
        return await self._change(request, service.resume)

    async def _change(
        self, request: PathRequest[SeriesPath], change: Callable[[WriteTx, int, UserCaller], None]
    ) -> Series:
        def work(tx: WriteTx) -> Series:
            change(tx, request.path.series_id, request.user)
            return service.load_view(tx, request.path.series_id, at_ms=now_ms(tx))

        return await self._context.db.write(work)

    async def edit(self, request: Request[SeriesPath, None, EditSeriesBody]) -> Series:
        """Change later instances."""
        series_id, body = request.path.series_id, request.body
        service.check_edit(body)

        def work(tx: WriteTx) -> Series:
            service.edit(tx, series_id, body, request.user)
            return service.load_view(tx, series_id, at_ms=now_ms(tx))

        return await self._context.db.write(work)
