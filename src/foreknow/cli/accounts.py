"""Accounts of people: the same rules as for an admin, logged as done by the command line."""

from __future__ import annotations

from collections.abc import Mapping

from foreknow import admin_log
from foreknow.admin import service
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.settings import Settings
from foreknow.users import accounts, store
from foreknow.users.errors import UserNotFound
from foreknow.users.password_reset import ResetLink
from foreknow.users.store import UserRow


def add_user(
    tx: WriteTx, settings: Settings, *, email: str, password: str, name: str, roles: Mapping[str, bool]
) -> int:
    """Make an account and return its id; `BadRequest`, `EmailTaken`."""
    at_ms = now_ms(tx)
    row = accounts.add_user(tx, settings, email=email, password=password, name=name, roles=roles, at_ms=at_ms)
    granted = {role: True for role, is_granted in roles.items() if is_granted}
    admin_log.record(tx, None, action="user.add", target=f"user:{row.id}", details=granted, at_ms=at_ms)
    return row.id


def reset_link(tx: WriteTx, *, email: str) -> ResetLink:
    """Make a link that sets a new password for the user with this address; `UserNotFound`, `InvalidState`."""
    person = _person(tx, email)
    return service.issue_reset_link(tx, None, user_id=person.id, at_ms=now_ms(tx))


def credit_user(tx: WriteTx, *, email: str, amount_kopecks: int) -> int:
    """Credit the user with this address and return the balance; `UserNotFound`, `InsufficientFunds` and others."""
    person = _person(tx, email)
    done = service.credit(tx, None, user_id=person.id, amount_kopecks=amount_kopecks, note="", at_ms=now_ms(tx))
    return done.balance_kopecks


def _person(tx: ReadTx, email: str) -> UserRow:
    person = store.find_person_by_email(tx, email)
    if person is None:
        raise UserNotFound(f"No user has the address {email}.")
    return person
