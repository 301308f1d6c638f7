"""Endpoints of clarifications."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, Muted
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.site.clarifications import service
from foreknow.site.clarifications.errors import (
    ClarificationNotFound,
    InvalidClarificationId,
    TooManyClarifications,
)
from foreknow.site.clarifications.schemas import Clarification, ClarificationBody, ClarificationPage
from foreknow.site.comments.schemas import HidingBody
from foreknow.site.comments.service import check_note
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import Request, get, post, put
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Response, json_response


@parameters
class ClarificationPath:
    clarification_id: int = path_id(InvalidClarificationId)


class ClarificationRoutes(FeatureRoutes):
    """Writing, reading and hiding clarifications."""

    @post(
        "/pools/{pool_id}/clarifications",
        AuthLevel.REQUIRED,
        response=Clarification,
        status=201,
        other_statuses={200: "The newest one has the same texts."},
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, PoolNotFound, Forbidden, InvalidState, TooManyClarifications),
    )
    async def create_clarification(self, request: Request[PoolPath, None, ClarificationBody]) -> Response:
        """Make a pool's rules clearer.

        By its event's creator until its finish_at, by an admin until its result; at most 20 a pool. It stands below
        the rules, which it does not change, and nothing edits it. Who holds shares, has open orders or follows the
        event is notified, of an event once in 60 minutes.
        """
        pool_id, (text, text_ru) = request.path.pool_id, request.body.texts()
        shown, is_new = await self._context.db.write(
            lambda tx: service.clarify(tx, pool_id, request.user, text=text, text_ru=text_ru)
        )
        return json_response(shown, status=201 if is_new else 200)

    @get("/pools/{pool_id}/clarifications", AuthLevel.OPTIONAL, errors=(PoolNotFound,))
    async def list_clarifications(self, request: Request[PoolPath, PageQuery, None]) -> ClarificationPage:
        """List the clarifications of a pool's rules, oldest first."""
        pool_id, context = request.path.pool_id, self._context
        limit, cursor = request.query.limit, request.query.cursor
        binding = f"clarifications:{pool_id}:{'' if request.caller is None else request.caller.scope}"
        (after_id,) = (0,) if cursor is None else context.cursors.decode(cursor, binding=binding)
        assert isinstance(after_id, int)
        source = context.public_reads.lookup_untraded if cursor is None else context.db.lookup
        rows = await source(lambda tx: service.page(tx, pool_id, request.visitor, after_id=after_id, limit=limit + 1))
        found = context.cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.id,))
        return ClarificationPage(list(found.rows), found.next_cursor, found.has_more)

    @put("/admin/clarifications/{clarification_id}/hidden", AuthLevel.OPERATOR, errors=(ClarificationNotFound,))
    async def hide_clarification(self, request: Request[ClarificationPath, None, HidingBody]) -> Clarification:
        """Hide a clarification, or show it again.

        The texts of a hidden one are "" for all but its author, operators and admins; its place stays.
        """
        body, note, clarification_id = request.body, check_note(request.body), request.path.clarification_id
        return await self._context.db.write(
            lambda tx: service.hide(tx, clarification_id, request.user, hidden=body.hidden, note=note)
        )
