"""Whose profits and trades may be seen."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.transactions import ReadTx

_HIDDEN = CompiledQuery(sa.select(users.c.profile_hidden).where(users.c.id == sa.bindparam("user_id"), IS_PERSON))


def check_shown(tx: ReadTx, user_id: int, visitor: UserCaller | None) -> None:
    """Raise `UserNotFound` for who is no person, and for a hidden profile except to its owner and admins."""
    found = _HIDDEN.fetch(tx, {"user_id": user_id})
    may_see_hidden = visitor is not None and (visitor.user_id == user_id or visitor.is_admin)
    if not found or (found[0][0] and not may_see_hidden):
        raise UserNotFound
