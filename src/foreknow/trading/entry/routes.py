"""What all endpoints of orders share: in whose voice they speak, how one is declared, and answered by the desk.

An endpoint of a user's voice and one of a partner's declare their own bodies, errors and summaries; one handler answers
both. Their bodies have the same names in Python (`USER_NAMES`), so that it reads either, and writes either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.pricing import PARTNER_SIDES
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.limit_orders.lists import OrderFilter
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.partner.schemas import read_external_user_id
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, HandlerMethod, RateLimitGroup, post
from foreknow.web.responses import LaterResponse, Response, stored_response

Body = TypeVar("Body", bound=msgspec.Struct)


class UserVoice(msgspec.Struct, frozen=True, gc=False):
    """A user, who trades for themselves."""

    caller: UserCaller
    external_user_id: ClassVar[None] = None

    def side(self, side: str) -> str:
        """Spell YES or NO."""
        return side

    def owns(self, order: LimitOrderRow) -> bool:
        """Return whether an order is the user's."""
        return order.user_id == self.caller.user_id

    def orders(self, _tx: ReadTx) -> OrderFilter:
        """Return the filter that shows all of the user's orders."""
        return OrderFilter(user_id=self.caller.user_id)

    async def float_balance_kopecks(self, _db: Database) -> int:
        """Return 0: no float is behind a user."""
        return 0


class PartnerVoice(msgspec.Struct, frozen=True, gc=False):
    """A partner, for one of its users or, where none is named, for all of them; `InvalidExternalUserId`."""

    caller: PartnerCaller
    external_user_id: str | None

    def __post_init__(self) -> None:
        """Refuse an id that the contract does not allow."""
        if self.external_user_id is not None:
            read_external_user_id(self.external_user_id)

    def side(self, side: str) -> str:
        """Spell YES or NO."""
        return PARTNER_SIDES[side]

    def owns(self, order: LimitOrderRow) -> bool:
        """Return whether an order is of the user named, or of any of the partner's."""
        is_users = self.external_user_id in {None, order.external_user_id}
        return order.partner_id == self.caller.partner_id and is_users

    def orders(self, tx: ReadTx) -> OrderFilter | None:
        """Return the filter that shows all such orders; None for a user who does not exist yet."""
        if self.external_user_id is None:
            return OrderFilter(partner_id=self.caller.partner_id)
        name = (self.caller.partner_id, self.external_user_id)
        found = find_sub_accounts(tx, [name]).get(name)
        return None if found is None else OrderFilter(user_id=found.user_id, partner_id=self.caller.partner_id)

    async def float_balance_kopecks(self, db: Database) -> int:
        """Return what the partner's float holds now."""
        partner_id = self.caller.partner_id
        found = await db.lookup(lambda tx: balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=[partner_id]))
        return found[partner_id]


Voice: TypeAlias = UserVoice | PartnerVoice


def body_of(kind: type[Body], facts: Mapping[str, Any]) -> Body:
    """Return a body of `kind`, of those facts that it declares; its voice's words are among them."""
    return kind(**{name: facts[name] for name in kind.__struct_fields__})


TRADING = RateLimitGroup("trading")


def takes_orders(
    path: str, level: AuthLevel, response: type, errors: tuple[type[DomainError], ...], group: RateLimitGroup = TRADING
) -> Callable[[HandlerMethod], HandlerMethod]:
    """Declare that a method takes orders of users or of partners; only users have keys with scopes."""
    return post(
        path,
        level,
        response=response,
        status=201,
        errors=errors,
        idempotent=True,
        rate_limit_group=group,
        key_scope="trade",
        takes_order=True,
    )


class EntryRoutes:
    """Endpoints that hand orders to the desk."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk

    def _said(self, request: BodyRequest[Any], voice: Voice, receipt: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what every order says; `receipt` makes its response body of what became of it."""
        return {
            "caller": voice.caller,
            "external_user_id": voice.external_user_id,
            "outcomes": request.body.outcomes,
            "idempotency_key": request.idempotency_key,
            "receipt": receipt,
        }

    def _queue(self, order: OrderKind) -> LaterResponse:
        """Queue an order; answer once it is executed."""
        return LaterResponse(self._desk.queue(order), _response_of)


def _response_of(receipt: Receipt) -> Response:
    """Return the response to an order that was executed, now or by an earlier request."""
    return stored_response(receipt.body, receipt.status, replayed=receipt.replayed)
