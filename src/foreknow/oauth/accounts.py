"""Whose account it is that a provider vouches for: known already, linked by a verified address, or new."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.db.transactions import WriteTx
from foreknow.oauth import store
from foreknow.oauth.errors import EmailNotVerified
from foreknow.oauth.provider import VerifiedIdentity
from foreknow.users import password_reset
from foreknow.users.accounts import NewPerson, create_user
from foreknow.users.errors import EmailTaken
from foreknow.users.sessions import revoke_all
from foreknow.users.store import find_person_by_email, lock_person, update_person


@dataclass(frozen=True, slots=True)
class Account:
    """An account, and whether its sessions were ended: then the gate must forget the user after the commit."""

    user_id: int
    sessions_ended: bool = False


def account_of(tx: WriteTx, vouched: VerifiedIdentity, *, now_ms: int) -> Account:
    """Find, link or make the account; `EmailNotVerified`, `EmailTaken`."""
    known = store.find_user_id(tx, issuer=vouched.issuer, subject=vouched.subject)
    if known is not None:
        return Account(known)
    if vouched.email is None:
        raise EmailNotVerified
    found = find_person_by_email(tx, vouched.email)
    if found is None:
        # No password: nobody has proved to us that they know one.
        person = NewPerson(email=vouched.email, password="", name=vouched.name, nickname="")
        account = Account(create_user(tx, person, password_hash=None, email_verified=True, at_ms=now_ms).id)
    elif is_same_address(found.email, vouched.email):
        account = _link(tx, found.id, now_ms=now_ms)
    else:
        raise EmailTaken
    store.add_identity(tx, issuer=vouched.issuer, subject=vouched.subject, user_id=account.user_id, at_ms=now_ms)
    return account


def is_same_address(one: str, other: str) -> bool:
    """Tell whether two addresses differ in nothing but upper and lower case.

    Addresses that are unique without regard to case are too coarse here: folding makes ſ an s and ß a double one, and
    in another's mailbox that is another address.
    """
    return one.lower() == other.lower() and one.upper() == other.upper()


def _link(tx: WriteTx, user_id: int, *, now_ms: int) -> Account:
    row = lock_person(tx, user_id)
    if row.email_verified:
        return Account(user_id)
    # Whoever made this account may have had no right to the address; its owner has it from now on, alone.
    update_person(tx, user_id, {"email_verified": True, "password_hash": None})
    password_reset.void(tx, user_id)
    revoke_all(tx, user_id, now_ms=now_ms)
    return Account(user_id, sessions_ended=True)
