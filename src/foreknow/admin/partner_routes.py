"""Endpoints of partners' administration."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.access.levels import AuthLevel
from foreknow.admin import service
from foreknow.admin.partner_views import key_view, overviews
from foreknow.admin.schemas import (
    FloatChange,
    FloatOrder,
    IssuedPartner,
    NewPartnerKey,
    PartnerKeys,
    PartnerOrder,
    Partners,
)
from foreknow.db.clock import now_ms
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.partner.authenticator import PartnerAuthenticator
from foreknow.partner.errors import InvalidKeyId, KeyNotFound, NameTaken, PartnerNotFound, TooManyKeys
from foreknow.partner.keys import live_keys
from foreknow.partner.schemas import PartnerTransactions
from foreknow.partner.service import is_partner_name
from foreknow.partner.statement_routes import CSV_EXAMPLE, DESCRIPTION, StatementQuery, statement
from foreknow.partner.store import partner_by_name
from foreknow.web.context import RouteContext
from foreknow.web.downloads import CsvDownload
from foreknow.web.endpoint import BodyRequest, Endpoint, PathRequest, QueryRequest, Request, delete, get, post
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

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [*self._of_partners(), *self._of_keys(), *self._of_floats()]

    def _of_partners(self) -> list[Endpoint]:
        return [
            get(
                "/admin/partners",
                self.partners,
                AuthLevel.ADMIN,
                Partners,
                "All partners, newest first",
                operation_id="list_partners",
            ),
            post(
                "/admin/partners",
                self.add,
                AuthLevel.ADMIN,
                IssuedPartner,
                "Make a partner with its first key",
                operation_id="create_partner",
                status=201,
                errors=(NameTaken,),
                description="The key is shown in this answer and never again.",
            ),
        ]

    def _of_keys(self) -> list[Endpoint]:
        return [
            get(
                "/admin/partners/{partner_name}/keys",
                self.keys,
                AuthLevel.ADMIN,
                PartnerKeys,
                "A partner's live keys",
                operation_id="list_partner_keys",
                errors=(PartnerNotFound,),
            ),
            post(
                "/admin/partners/{partner_name}/keys",
                self.issue_key,
                AuthLevel.ADMIN,
                NewPartnerKey,
                "Issue a further key",
                operation_id="create_partner_key",
                status=201,
                errors=(PartnerNotFound, TooManyKeys),
                description="The key is shown in this answer and never again. To rotate: issue, switch over, revoke.",
            ),
            delete(
                "/admin/partners/{partner_name}/keys/{key_id}",
                self.revoke_key,
                AuthLevel.ADMIN,
                Empty,
                "Revoke a key permanently",
                operation_id="revoke_partner_key",
                errors=(PartnerNotFound, KeyNotFound),
            ),
        ]

    def _of_floats(self) -> list[Endpoint]:
        return [
            get(
                "/admin/partners/{partner_name}/transactions",
                self.transactions,
                AuthLevel.ADMIN,
                PartnerTransactions,
                "Every movement of a partner's money, newest first",
                operation_id="list_transactions_of_partner",
                errors=(PartnerNotFound,),
                csv=CSV_EXAMPLE,
                description=f"As the partner sees them. {DESCRIPTION}",
            ),
            post(
                "/admin/partners/{partner_name}/deposit",
                self.deposit,
                AuthLevel.ADMIN,
                FloatChange,
                "Put money on a partner's float",
                operation_id="deposit_to_partner",
                status=201,
                errors=(PartnerNotFound, BalanceLimit),
                idempotent=True,
            ),
            post(
                "/admin/partners/{partner_name}/payout",
                self.pay_out,
                AuthLevel.ADMIN,
                FloatChange,
                "Take money from a partner's float",
                operation_id="pay_out_partner",
                status=201,
                errors=(PartnerNotFound, InsufficientFunds),
                idempotent=True,
            ),
        ]

    async def partners(self, request: QueryRequest[PageQuery]) -> Partners:
        """List the partners with their money."""
        page = await newest_first(self._context, request, "partners", overviews)
        return Partners([row.shown for row in page.rows], page.next_cursor, page.has_more)

    async def transactions(
        self, request: Request[PartnerPath, StatementQuery, None]
    ) -> PartnerTransactions | CsvDownload:
        """List what moved."""
        name = request.path.partner_name
        return await statement(
            self._context, request, f"partner_transactions:{name}", lambda tx: partner_by_name(tx, name).id
        )

    async def add(self, request: BodyRequest[PartnerOrder]) -> IssuedPartner:
        """Make a partner."""
        added = await self._context.db.write(
            lambda tx: service.add_partner(tx, request.user, name=request.body.name, at_ms=now_ms(tx))
        )
        return IssuedPartner(added.name, added.key.id, added.key.key)

    async def keys(self, request: PathRequest[PartnerPath]) -> PartnerKeys:
        """List a partner's keys, without the keys themselves."""
        found = await self._context.db.read(lambda tx: live_keys(tx, partner_by_name(tx, request.path.partner_name).id))
        return PartnerKeys(list(map(key_view, found)))

    async def issue_key(self, request: PathRequest[PartnerPath]) -> NewPartnerKey:
        """Issue a key."""
        issued = await self._context.db.write(
            lambda tx: service.issue_partner_key(tx, request.user, name=request.path.partner_name, at_ms=now_ms(tx))
        )
        return NewPartnerKey(issued.id, issued.key)

    async def revoke_key(self, request: PathRequest[PartnerKeyPath]) -> Empty:
        """Revoke a key: this process refuses it from the next request on."""
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

    async def deposit(self, request: Request[PartnerPath, None, FloatOrder]) -> Response:
        """Put money in."""
        return await self._change_float(request, service.deposit)

    async def pay_out(self, request: Request[PartnerPath, None, FloatOrder]) -> Response:
        """Take money out."""
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
