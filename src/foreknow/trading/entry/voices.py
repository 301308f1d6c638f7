"""The two voices of orders: a user's, who trades for themselves, and a partner's, which trades for users of its own.

An endpoint of each declares its bodies, its errors and its summary; one handler answers both. Their bodies have the
same names in Python (`USER_NAMES`), so that the handler reads either, and writes either of the same facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.pricing import PARTNER_SIDES
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.limit_orders.lists import OrderFilter
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.partner.external_ids import read_external_user_id

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
