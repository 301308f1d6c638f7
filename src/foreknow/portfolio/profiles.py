"""Who may see whose profits."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.users.refusals import UserNotFound
from foreknow.users.tables import users
from foreknow.web.callers import UserCaller


def check_profits_shown(tx: sa.Connection, user_id: int, visitor: UserCaller | None) -> None:
    """Raise `UserNotFound` for a hidden profile, but to its owner and admins, and for a sub-account to everybody."""
    query = sa.select(users.c.profile_hidden).where(users.c.id == user_id, users.c.partner_id.is_(None))
    hidden = tx.execute(query).scalar()
    if hidden is None:
        raise UserNotFound
    if hidden and (visitor is None or (visitor.user_id != user_id and not visitor.is_admin)):
        raise UserNotFound
