"""Endpoints of partners, but their orders and quotes, which stand with the other orders in `foreknow.trading`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import sqlalchemy as sa

from foreknow import statements
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BalanceLimit
from foreknow.partner import service
from foreknow.partner.external_ids import InvalidExternalUserId, read_external_user_id
from foreknow.partner.refusals import InsufficientBalance
from foreknow.partner.schemas import (
    PartnerBalance,
    PartnerTransaction,
    PartnerTransactions,
    PartnerUser,
    Withdrawal,
    WithdrawalOrder,
)
from foreknow.positions.valuing import BRIEF_MARKETS, TooMany
from foreknow.statements import StatementRow
from foreknow.web.answers import Answer
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Level, get, post
from foreknow.web.listing import newest_first
from foreknow.web.room import Room

EXTERNAL_USER_ID = {"external_user_id": read_external_user_id}


class PartnerRoutes:
    """A partner's users, balance, withdrawals and transactions."""

    def __init__(self, room: Room) -> None:
        """Answer from `room`."""
        self._room = room

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            get(
                "/partner/users/{external_user_id}",
                self.user,
                Level.PARTNER,
                PartnerUser,
                "A user of yours, with balance and open positions",
                path_readers=EXTERNAL_USER_ID,
                refusals=(InvalidExternalUserId,),
                description="A user who has never bet does not exist yet: `exists` is false. The first bet makes them.",
            ),
            get("/partner/balance", self.balance, Level.PARTNER, PartnerBalance, "Your float and your users' balances"),
            post(
                "/partner/users/{external_user_id}/withdraw",
                self.withdraw,
                Level.PARTNER,
                Withdrawal,
                "Take money from a user's balance back to the float",
                body=WithdrawalOrder,
                path_readers=EXTERNAL_USER_ID,
                refusals=(InvalidExternalUserId, InsufficientBalance, BalanceLimit),
                idempotent=True,
            ),
            get(
                "/partner/transactions",
                self.transactions,
                Level.PARTNER,
                PartnerTransactions,
                "Every movement of your money, newest first",
                query=(LIMIT, CURSOR),
                description="From the first one on, the changes add up to the float and to the users' balances.",
            ),
        ]

    async def user(self, call: Call) -> PartnerUser:
        """Show one user."""
        partner_id, external_user_id = call.partner.partner_id, call.path["external_user_id"]
        read = partial(service.user_state, partner_id=partner_id, external_user_id=external_user_id)
        try:
            return await self._room.db.read(partial(read, markets_max=BRIEF_MARKETS), brief=True)
        except TooMany:
            return await self._room.db.read(read)

    async def balance(self, call: Call) -> PartnerBalance:
        """Show the balances."""
        return await self._room.db.read(lambda tx: service.balance(tx, call.partner), brief=True)

    async def withdraw(self, call: Call) -> Answer:
        """Move money to the float."""
        body: WithdrawalOrder = call.body
        return await self._room.once(
            call.claim,
            lambda tx: service.withdraw(
                tx,
                call.partner,
                external_user_id=call.path["external_user_id"],
                amount_kopecks=body.amount_kopecks,
                at_ms=self._room.clock(),
            ),
            status=200,
        )

    async def transactions(self, call: Call) -> PartnerTransactions:
        """List what moved."""
        partner_id = call.partner.partner_id

        def read(tx: sa.Connection, before_id: int | None, limit: int) -> Sequence[StatementRow]:
            return statements.page(tx, partner_id=partner_id, before_id=before_id, limit=limit)

        page = await newest_first(self._room, call, "partner_transactions", read)
        return PartnerTransactions([_transaction(row) for row in page.rows], page.next_cursor, page.has_more)


def _transaction(row: StatementRow) -> PartnerTransaction:
    return PartnerTransaction(
        id=row.id,
        type=row.type,
        external_user_id=row.external_user_id,
        market_id=row.market_id,
        bet_id=row.trade_id if row.type == "bet" else None,
        sale_id=row.trade_id if row.type == "sale" else None,
        float_change_kopecks=row.float_change_kopecks,
        balance_change_kopecks=row.balance_change_kopecks,
        created_at=iso(row.created_at_ms),
    )
