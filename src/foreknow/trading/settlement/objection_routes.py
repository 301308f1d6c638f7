"""Endpoints of objections to results, and of confirming a result."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, RateLimited
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.routes import PoolPath
from foreknow.market.pools.schemas import Pool, pool_view
from foreknow.market.pools.store import load_pools
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.errors import OwnEvent
from foreknow.trading.partner.schemas import InvalidExternalUserId, read_external_user_id
from foreknow.trading.settlement import objection_queue, objection_views, objections
from foreknow.trading.settlement.objection_schemas import (
    ConfirmBody,
    ObjectedResultPage,
    Objection,
    ObjectionBody,
    ObjectionHiding,
    ObjectionPage,
    PartnerObjectionBody,
)
from foreknow.trading.settlement.objections import InvalidObjectionId, ObjectionNotFound, ObjectionsOff
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.service import AlreadyResolved
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.endpoint import QueryRequest, Request, get, post, put
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Response, json_response

_AGAIN = {200: "You have objected to this result before: that objection."}


@parameters
class ObjectionPath:
    objection_id: int = path_id(InvalidObjectionId)


class ObjectionRoutes(FeatureRoutes):
    """Objecting to results, reading and hiding objections, confirming results."""

    def __init__(self, context: RouteContext, payments: PaymentService) -> None:
        """Answer from `context`, once `payments` has paid what a confirmation makes final."""
        super().__init__(context)
        self._payments = payments

    @post(
        "/pools/{pool_id}/objections",
        AuthLevel.REQUIRED,
        response=Objection,
        status=201,
        other_statuses=_AGAIN,
        errors=(PoolNotFound, Forbidden, ObjectionsOff, InvalidState, RateLimited),
    )
    async def create_objection(self, request: Request[PoolPath, None, ObjectionBody]) -> Response:
        """Object to a pool's result, within its dispute window.

        By who held shares of the pool when its trading ended. It is for all to see. An objection that `holds` keeps
        the result from being final until an admin confirms or replaces it, at most 7 days longer. One has one a result,
        and at most 20 in 24 hours.
        """
        pool_id, wanted = request.path.pool_id, request.body.wanted()

        def work(tx: WriteTx) -> tuple[Objection, bool]:
            terms = self._context.settings.at(tx)
            row, is_new = objections.object_to(tx, pool_id, wanted, request.user, terms=terms)
            return objection_views.view(tx, row.id, request.user), is_new

        shown, is_new = await self._context.db.write(work)
        return json_response(shown, status=201 if is_new else 200)

    @post(
        "/partner/pools/{pool_id}/objections",
        AuthLevel.PARTNER,
        response=Objection,
        status=201,
        other_statuses=_AGAIN,
        errors=(InvalidExternalUserId, PoolNotFound, Forbidden, ObjectionsOff, InvalidState, RateLimited),
    )
    async def create_partner_objection(self, request: Request[PoolPath, None, PartnerObjectionBody]) -> Response:
        """Object to a pool's result for one of your users.

        As people do: one of all your users objects to a result, and together they have at most 20 objections in 24
        hours.
        """
        pool_id, wanted = request.path.pool_id, request.body.wanted()
        external_user_id = read_external_user_id(request.body.external_user_id)

        def work(tx: WriteTx) -> tuple[Objection, bool]:
            terms = self._context.settings.at(tx)
            row, is_new = objections.object_for(tx, pool_id, wanted, request.partner, external_user_id, terms=terms)
            return objection_views.views(tx, [row], None, own=True)[0], is_new

        shown, is_new = await self._context.db.write(work)
        return json_response(shown, status=201 if is_new else 200)

    @get("/pools/{pool_id}/objections", AuthLevel.OPTIONAL, errors=(PoolNotFound,))
    async def list_objections(self, request: Request[PoolPath, PageQuery, None]) -> ObjectionPage:
        """List the objections to a pool's results, newest first."""
        pool_id = request.path.pool_id
        found = await newest_first(
            self._context,
            request,
            f"objections:{pool_id}",
            lambda tx, before_id, limit: objection_views.page(
                tx, pool_id, request.visitor, before_id=before_id, limit=limit
            ),
        )
        return ObjectionPage(list(found.rows), found.next_cursor, found.has_more)

    @post(
        "/pools/{pool_id}/confirm",
        AuthLevel.ADMIN,
        errors=(PoolNotFound, OwnEvent, InvalidState, AlreadyResolved),
    )
    async def confirm_pool(self, request: Request[PoolPath, None, ConfirmBody]) -> Pool:
        """Confirm a pool's result in spite of the objections to it.

        They are rejected, and no later one holds it: it is final at the end of its dispute window, at once if that is
        past. An admin who made the event or ever traded in the pool leaves it to another, where there is one. Confirmed
        already, nothing changes.
        """
        pool_id, body, db = request.path.pool_id, request.body, self._context.db
        note = body.said()
        row = await db.write(
            lambda tx: objections.confirm(tx, pool_id, request.user, verdict=body.verdict, seen=body.seen, note=note)
        )
        if row.paying:
            await self._payments.wait_until_paid([pool_id])
        return await db.read(lambda tx: pool_view(load_pools(tx, [pool_id])[pool_id], now_ms=now_ms(tx)))

    @get("/admin/objections", AuthLevel.OPERATOR)
    async def list_objected_results(self, request: QueryRequest[PageQuery]) -> ObjectedResultPage:
        """List the results that someone objects to, those first that have waited longest.

        With who objects, how much is at stake for them, how they fared before, and what their proposals would pay.
        """
        context, (limit, cursor) = self._context, (request.query.limit, request.query.cursor)
        binding = f"objections:{request.user.scope}"
        (after_id,) = (0,) if cursor is None else context.cursors.decode(cursor, binding=binding)
        assert isinstance(after_id, int)
        rows = await context.db.read(
            lambda tx: objection_queue.waiting(tx, request.user, after_id=after_id, limit=limit + 1)
        )
        found = context.cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.id,))
        return ObjectedResultPage(list(found.rows), found.next_cursor, found.has_more)

    @put("/admin/objections/{objection_id}/hidden", AuthLevel.OPERATOR, errors=(ObjectionNotFound,))
    async def hide_objection(self, request: Request[ObjectionPath, None, ObjectionHiding]) -> Objection:
        """Hide what an objection says, or show it again.

        `reason` and `source_url` of a hidden one are "" for all but its author, operators and admins; it holds all the
        same.
        """
        body, note = request.body, request.body.said()
        return await self._context.db.write(
            lambda tx: objection_views.hide(tx, request.path.objection_id, request.user, hidden=body.hidden, note=note)
        )
