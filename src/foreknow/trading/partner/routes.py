"""Endpoints of partners, but their orders and quotes (`trading/entry/`) and their statements
(`trading/statement/`).
"""

from __future__ import annotations

from functools import partial

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BalanceLimit
from foreknow.people.users.sub_account_pages import sub_account_page
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.partner import service
from foreknow.trading.partner.errors import InsufficientBalance
from foreknow.trading.partner.schemas import (
    LENGTH_MAX,
    InvalidExternalUserId,
    ListedPartnerUser,
    PartnerBalance,
    PartnerUser,
    PartnerUserPage,
    Withdrawal,
    WithdrawalOrder,
    read_external_user_id,
)
from foreknow.trading.positions.valuation import BRIEF_MARKETS, TooManyMarkets
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, PlainRequest, QueryRequest, Request, get, post
from foreknow.web.params import PageQuery, Param, optional, parameters, path_text
from foreknow.web.responses import Response

_SCHEMA = {"type": "string", "minLength": 1, "maxLength": LENGTH_MAX, "examples": ["customer-17"]}


def external_user(description: str) -> Param[str]:
    """The query parameter of a partner's user."""
    return Param("external_user_id", read_external_user_id, _SCHEMA, description, InvalidExternalUserId)


BEGINNING = Param("q", str, {"type": "string"}, "Only users whose `external_user_id` begins with this; case counts.")


@parameters
class ExternalUserPath:
    external_user_id: str = path_text(
        read_external_user_id,
        {**_SCHEMA, "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$"},
        "The partner's own id of its user, percent-encoded (`/` as `%2F`); no control characters.",
    )


@parameters
class PartnerUsersQuery(PageQuery):
    q: str | None = optional(BEGINNING)


class PartnerRoutes(FeatureRoutes):
    """A partner's users, balance and withdrawals."""

    @get("/partner/users", AuthLevel.PARTNER)
    async def list_partner_users(self, request: QueryRequest[PartnerUsersQuery]) -> PartnerUserPage:
        """Users of yours, newest first.

        Those with a sub-account: it is made by a user's first bet. With `q`, a page may end early.
        """
        partner_id, query, cursors = request.partner.partner_id, request.query, self._context.cursors
        begins = query.q or ""
        binding = f"partner_users:{request.partner.scope}:{begins}"
        before_id: int | None = None
        if query.cursor is not None:
            (position,) = cursors.decode(query.cursor, binding=binding)
            assert isinstance(position, int)
            before_id = position

        def read(tx: ReadTx) -> tuple[list[ListedPartnerUser], int | None]:
            page = sub_account_page(tx, partner_id, begins=begins, before_id=before_id, limit=query.limit)
            return service.listed_users(tx, page), page.before_id

        # With a beginning not on the event loop: it may look at thousands of rows.
        source = self._context.db.read if begins else self._context.db.lookup
        users, next_id = await source(read)
        next_cursor = None if next_id is None else cursors.encode((next_id,), binding=binding)
        return PartnerUserPage(users, next_cursor, next_cursor is not None)

    @get("/partner/users/{external_user_id}", AuthLevel.PARTNER, errors=(InvalidExternalUserId,))
    async def get_partner_user(self, request: PathRequest[ExternalUserPath]) -> PartnerUser:
        """A user of yours, with balance and open positions.

        A user who has never bet does not exist yet: `exists` is false. The first bet makes them.
        """
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

    @get("/partner/balance", AuthLevel.PARTNER)
    async def get_partner_balance(self, request: PlainRequest) -> PartnerBalance:
        """Your float and your users' balances."""
        return await self._context.db.lookup(lambda tx: service.balance(tx, request.partner))

    @post(
        "/partner/users/{external_user_id}/withdraw",
        AuthLevel.PARTNER,
        response=Withdrawal,
        errors=(InvalidExternalUserId, InsufficientBalance, BalanceLimit),
        idempotent=True,
    )
    async def withdraw_from_partner_user(self, request: Request[ExternalUserPath, None, WithdrawalOrder]) -> Response:
        """Take money from a user's balance back to the float."""
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
