"""Ends an account: what its row, its sessions and its keys held is gone. What it made and traded stays."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.errors import InvalidState
from foreknow.people.users import login_throttle, password_reset, store
from foreknow.people.users.profiles import DELETED_NAME
from foreknow.people.users.store import UserRow
from foreknow.people.users.tables import active_days, sessions, user_keys, users
from foreknow.platform.db.transactions import WriteTx


def check_not_last_admin(tx: WriteTx, person: UserRow) -> None:
    """Raise `InvalidState` for the only admin that can sign in; all admins stay locked until `tx` ends."""
    if not person.is_admin:
        return
    admins = sa.select(users.c.id).where(users.c.is_admin, users.c.is_active).order_by(users.c.id)
    if set(tx.execute(admins.with_for_update(key_share=True)).scalars()) <= {person.id}:
        raise InvalidState("The last admin stays one: make another first.")


def end_account(tx: WriteTx, person: UserRow, *, at_ms: int) -> str | None:
    """End the sessions and keys of a locked account and clear its row, whose address and nickname are free again.

    Return the object of its avatar, which is due for deletion. Call `UserAuthenticator.invalidate` after the commit.
    """
    avatar_object = store.show_avatar(tx, person, url="", object_name=None, at_ms=at_ms)
    login_throttle.clear(tx, person.id, [login for login in (person.email, person.nickname) if login])
    password_reset.delete(tx, person.id)
    # Keys refer to their sessions.
    for table in (user_keys, sessions, active_days):
        tx.execute(table.delete().where(table.c.user_id == person.id))
    cleared = {
        "email": "",
        "email_key": None,
        "email_verified": False,
        "email_pending": None,
        "refused_email": None,
        "language": None,
        "time_zone": None,
        "password_hash": None,
        "name": DELETED_NAME,
        "nickname": "",
        "profile_hidden": True,
        "is_creator": False,
        "is_admin": False,
        "is_stats_viewer": False,
        "is_operator": False,
        "is_active": False,
        "invitation_id": None,
        "terms_version": None,
        "muted_until_ms": None,
        "show_holds": False,
        "show_forecast": False,
        "deleted_at_ms": at_ms,
    }
    store.update_person(tx, person.id, cleared)
    return avatar_object
