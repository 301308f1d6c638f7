"""Whose profits and trades may be seen."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.access.callers import UserCaller
from foreknow.db.transactions import ReadTx
from foreknow.users.errors import UserNotFound
from foreknow.users.tables import HOUSE_TRADER_KEY, users


def check_shown(tx: ReadTx, user_id: int, visitor: UserCaller | None) -> None:
    """Raise `UserNotFound` for a sub-account, and for a hidden profile except to its owner and admins."""
    hidden = tx.execute(_HIDDEN, {"user_id": user_id}).scalar()
    if hidden is None:
        raise UserNotFound
    if hidden and (visitor is None or (visitor.user_id != user_id and not visitor.is_admin)):
        raise UserNotFound


#: Neither a partner's sub-account nor the house's own trader, of which users see nothing but their trades.
IS_PERSON = sa.and_(users.c.partner_id.is_(None), sa.func.coalesce(users.c.nickname_key, "") != HOUSE_TRADER_KEY)
_HIDDEN = sa.select(users.c.profile_hidden).where(users.c.id == sa.bindparam("user_id"), IS_PERSON)
