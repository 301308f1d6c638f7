"""What the command line does to accounts: as an admin would, logged as the command line's."""

from __future__ import annotations

from collections.abc import Mapping

from foreknow import admin_log
from foreknow.admin import service
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import system_clock
from foreknow.settings import Settings
from foreknow.users import accounts, store
from foreknow.users.errors import UserNotFound
from foreknow.users.password_reset import ResetLink
from foreknow.users.store import UserRow


def add_user(
    tx: WriteTx, settings: Settings, *, email: str, password: str, name: str, roles: Mapping[str, bool]
) -> int:
    """Make an account and return its id; `BadRequest`, `EmailTaken`."""
    now_ms = system_clock()
    row = accounts.add_user(tx, settings, email=email, password=password, name=name, roles=roles, at_ms=now_ms)
    given = {role: True for role, has_it in roles.items() if has_it}
    admin_log.record(tx, None, action="user.add", target=f"user:{row.id}", details=given, at_ms=now_ms)
    return row.id


def reset_link(tx: WriteTx, *, email: str) -> ResetLink:
    """Make a link with which whoever has this address sets a new password; `UserNotFound`, `InvalidState`."""
    person = _person(tx, email)
    return service.issue_reset_link(tx, None, user_id=person.id, at_ms=system_clock())


def credit_user(tx: WriteTx, *, email: str, amount_kopecks: int) -> int:
    """Give money to whoever has this address and return the balance; `UserNotFound`, `InsufficientFunds` and others."""
    person = _person(tx, email)
    done = service.credit(tx, None, user_id=person.id, amount_kopecks=amount_kopecks, note="", at_ms=system_clock())
    return done.balance_kopecks


def _person(tx: ReadTx, email: str) -> UserRow:
    person = store.find_person_by_email(tx, email)
    if person is None:
        raise UserNotFound(f"Nobody here has the address {email}.")
    return person
