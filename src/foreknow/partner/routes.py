"""Endpoints of partners, but their orders and quotes, which stand with the other orders in `foreknow.trading`."""

from __future__ import annotations

from functools import partial

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.kernel.errors import BalanceLimit
from foreknow.partner import service
from foreknow.partner.errors import InsufficientBalance
from foreknow.partner.external_ids import LENGTH_MAX, InvalidExternalUserId, read_external_user_id
from foreknow.partner.schemas import (
    PartnerBalance,
    PartnerTransactions,
    PartnerUser,
    Withdrawal,
    WithdrawalOrder,
)
from foreknow.partner.statement_routes import CSV_EXAMPLE, DESCRIPTION, StatementQuery, statement
from foreknow.positions.valuation import BRIEF_MARKETS, TooManyMarkets
from foreknow.web.context import RouteContext
from foreknow.web.downloads import CsvDownload
from foreknow.web.endpoint import Endpoint, PathRequest, PlainRequest, QueryRequest, Request, get, post
from foreknow.web.params import parameters, path_text
from foreknow.web.responses import Response


@parameters
class ExternalUserPath:
    external_user_id: str = path_text(
        read_external_user_id,
        {
            "type": "string",
            "minLength": 1,
            "maxLength": LENGTH_MAX,
            "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$",
            "examples": ["customer-17"],
        },
        "The partner's own id of its user, percent-encoded (`/` as `%2F`); no control characters.",
    )


class PartnerRoutes:
    """A partner's users, balance, withdrawals and transactions."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/partner/users/{external_user_id}",
                self.user,
                AuthLevel.PARTNER,
                PartnerUser,
                "A user of yours, with balance and open positions",
                operation_id="get_partner_user",
                errors=(InvalidExternalUserId,),
                description="A user who has never bet does not exist yet: `exists` is false. The first bet makes them.",
            ),
            get(
                "/partner/balance",
                self.balance,
                AuthLevel.PARTNER,
                PartnerBalance,
                "Your float and your users' balances",
                operation_id="get_partner_balance",
            ),
            post(
                "/partner/users/{external_user_id}/withdraw",
                self.withdraw,
                AuthLevel.PARTNER,
                Withdrawal,
                "Take money from a user's balance back to the float",
                operation_id="withdraw_from_partner_user",
                errors=(InvalidExternalUserId, InsufficientBalance, BalanceLimit),
                idempotent=True,
            ),
            get(
                "/partner/transactions",
                self.transactions,
                AuthLevel.PARTNER,
                PartnerTransactions,
                "Every movement of your money, newest first",
                operation_id="list_partner_transactions",
                csv=CSV_EXAMPLE,
                description="From the first one on, the changes add up to the float and to the users' balances. "
                f"{DESCRIPTION}",
            ),
        ]

    async def user(self, request: PathRequest[ExternalUserPath]) -> PartnerUser:
        """Show one user."""
        partner_id, external_user_id = request.partner.partner_id, request.path.external_user_id
        read = partial(
            service.user_state,
            partner_id=partner_id,
            external_user_id=external_user_id,
            now_ms=self._context.clock(),
        )
        try:
            return await self._context.db.lookup(partial(read, markets_max=BRIEF_MARKETS))
        except TooManyMarkets:
            return await self._context.db.read(read)

    async def balance(self, request: PlainRequest) -> PartnerBalance:
        """Show the balances."""
        return await self._context.db.lookup(lambda tx: service.balance(tx, request.partner))

    async def withdraw(self, request: Request[ExternalUserPath, None, WithdrawalOrder]) -> Response:
        """Move money to the float."""
        return await self._context.run_idempotent(
            request.idempotency_key,
            lambda tx: service.withdraw(
                tx,
                request.partner,
                external_user_id=request.path.external_user_id,
                amount_kopecks=request.body.amount_kopecks,
                at_ms=now_ms(tx),
            ),
            status=200,
        )

    async def transactions(self, request: QueryRequest[StatementQuery]) -> PartnerTransactions | CsvDownload:
        """List what moved."""
        partner_id = request.partner.partner_id
        return await statement(self._context, request, "partner_transactions", lambda _tx: partner_id)
