"""Endpoints of partners' administration."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.platform.db.clock import now_ms
from foreknow.site.admin import service
from foreknow.site.admin.partner_views import key_view, overviews
from foreknow.site.admin.schemas import (
    FloatChange,
    FloatOrder,
    IssuedPartner,
    NewPartnerKey,
    PartnerKeys,
    PartnerOrder,
    PartnerPage,
)
from foreknow.trading.partner.errors import InvalidKeyId, KeyNotFound, NameTaken, PartnerNotFound, TooManyKeys
from foreknow.trading.partner.keys import PartnerAuthenticator, live_keys
from foreknow.trading.partner.service import is_partner_name
from foreknow.trading.partner.store import partner_by_name
from foreknow.trading.statement.lines import PartnerTransactionPage
from foreknow.trading.statement.routes import CSV_EXAMPLE, DESCRIPTION, StatementQuery, statement
from foreknow.web.context import RouteContext
from foreknow.web.downloads import CsvDownload
from foreknow.web.endpoint import BodyRequest, PathRequest, QueryRequest, Request, delete, get, post
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, parameters, path_id, path_text
from foreknow.web.responses import Empty, Response


def _read_name(text: str) -> str:
    # No partner has the name "". PostgreSQL takes no NUL, which stands for broken UTF-8.
    return text if is_partner_name(text) else ""


@parameters
class PartnerPath:
    partner_name: str = path_text(
        _read_name, {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "examples": ["acme"]}, "The partner's name."
    )


@parameters
class PartnerKeyPath(PartnerPath):
    key_id: int = path_id(InvalidKeyId)


class AdminPartnerRoutes:
    """Partners, their keys, and money in and out of their floats."""

    def __init__(self, context: RouteContext, authenticator: PartnerAuthenticator) -> None:
        """Answer from `context`; `authenticator` invalidates revoked keys."""
        self._context = context
        self._authenticator = authenticator

    @get("/admin/partners", AuthLevel.ADMIN)
    async def list_partners(self, request: QueryRequest[PageQuery]) -> PartnerPage:
        """All partners, newest first."""
        page = await newest_first(self._context, request, "partners", overviews)
        return PartnerPage([row.shown for row in page.rows], page.next_cursor, page.has_more)

    @post("/admin/partners", AuthLevel.ADMIN, status=201, errors=(NameTaken,))
    async def create_partner(self, request: BodyRequest[PartnerOrder]) -> IssuedPartner:
        """Make a partner with its first key.

        The key is shown in this answer and never again.
        """
        added = await self._context.db.write(
            lambda tx: service.add_partner(tx, request.user, name=request.body.name, at_ms=now_ms(tx))
        )
        return IssuedPartner(added.name, added.key.id, added.key.key)

    @get("/admin/partners/{partner_name}/keys", AuthLevel.ADMIN, errors=(PartnerNotFound,))
    async def list_partner_keys(self, request: PathRequest[PartnerPath]) -> PartnerKeys:
        """A partner's live keys."""
        found = await self._context.db.read(lambda tx: live_keys(tx, partner_by_name(tx, request.path.partner_name).id))
        return PartnerKeys(list(map(key_view, found)))

    @post("/admin/partners/{partner_name}/keys", AuthLevel.ADMIN, status=201, errors=(PartnerNotFound, TooManyKeys))
    async def create_partner_key(self, request: PathRequest[PartnerPath]) -> NewPartnerKey:
        """Issue a further key.

        The key is shown in this answer and never again. To rotate: issue, switch over, revoke.
        """
        issued = await self._context.db.write(
            lambda tx: service.issue_partner_key(tx, request.user, name=request.path.partner_name, at_ms=now_ms(tx))
        )
        return NewPartnerKey(issued.id, issued.key)

    @delete("/admin/partners/{partner_name}/keys/{key_id}", AuthLevel.ADMIN, errors=(PartnerNotFound, KeyNotFound))
    async def revoke_partner_key(self, request: PathRequest[PartnerKeyPath]) -> Empty:
        """Revoke a key permanently."""
        try:
            await self._context.db.write(
                lambda tx: service.revoke_partner_key(
                    tx,
                    request.user,
                    name=request.path.partner_name,
                    key_id=request.path.key_id,
                    at_ms=now_ms(tx),
                )
            )
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.forget()
        return Empty()

    @get(
        "/admin/partners/{partner_name}/transactions",
        AuthLevel.ADMIN,
        errors=(PartnerNotFound,),
        csv=CSV_EXAMPLE,
        description=f"As the partner sees them. {DESCRIPTION}",
    )
    async def list_partner_statement(
        self, request: Request[PartnerPath, StatementQuery, None]
    ) -> PartnerTransactionPage | CsvDownload:
        """Every movement of a partner's money, newest first."""
        name = request.path.partner_name
        return await statement(
            self._context, request, f"partner_transactions:{name}", lambda tx: partner_by_name(tx, name).id
        )

    @post(
        "/admin/partners/{partner_name}/deposit",
        AuthLevel.ADMIN,
        response=FloatChange,
        status=201,
        errors=(PartnerNotFound, BalanceLimit),
        idempotent=True,
    )
    async def deposit_to_partner(self, request: Request[PartnerPath, None, FloatOrder]) -> Response:
        """Put money on a partner's float."""
        return await self._change_float(request, service.deposit)

    @post(
        "/admin/partners/{partner_name}/payout",
        AuthLevel.ADMIN,
        response=FloatChange,
        status=201,
        errors=(PartnerNotFound, InsufficientFunds),
        idempotent=True,
    )
    async def pay_out_partner(self, request: Request[PartnerPath, None, FloatOrder]) -> Response:
        """Take money from a partner's float."""
        return await self._change_float(request, service.pay_out)

    async def _change_float(
        self, request: Request[PartnerPath, None, FloatOrder], change: Callable[..., FloatChange]
    ) -> Response:
        return await self._context.run_idempotent(
            request.idempotency_key,
            lambda tx: change(
                tx,
                request.user,
                name=request.path.partner_name,
                amount_kopecks=request.body.amount_kopecks,
                at_ms=now_ms(tx),
            ),
            status=201,
        )
