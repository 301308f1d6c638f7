"""The account of a verified identity: a known one, one linked by its verified address, or a new one."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.kernel.email_addresses import address_key, ascii_domain
from foreknow.people.oauth import store
from foreknow.people.oauth.errors import NoVerifiedEmail
from foreknow.people.oauth.provider import VerifiedIdentity
from foreknow.people.users.account_mails import end_links
from foreknow.people.users.accounts import NewPerson, sign_up
from foreknow.people.users.admission import Admission, SignUpRules
from foreknow.people.users.errors import EmailTaken
from foreknow.people.users.schemas import UserLanguage
from foreknow.people.users.sessions import revoke_all
from foreknow.people.users.store import UserRow, find_person_by_email, lock_person, update_person
from foreknow.platform.db.transactions import WriteTx


@dataclass(frozen=True, slots=True)
class SignInAccount:
    """An account; after `sessions_ended`, call `UserAuthenticator.invalidate` after the commit."""

    user_id: int
    sessions_ended: bool = False
    #: Made now.
    is_new: bool = False


def find_or_create_account(
    tx: WriteTx,
    identity: VerifiedIdentity,
    rules: SignUpRules,
    admission: Admission,
    *,
    now_ms: int,
    language: UserLanguage | None = None,
) -> SignInAccount:
    """Find, link or create the account; `NoVerifiedEmail`, `EmailTaken`, and for a new one the errors of
    `accounts.sign_up`.
    """
    known = store.find_user_id(tx, issuer=identity.issuer, subject=identity.subject)
    if known is not None:
        return SignInAccount(known)
    if identity.email is None:
        raise NoVerifiedEmail
    found = _locked(tx, identity.email)
    if found is None:
        # Without a password: only the provider has checked one.
        person = NewPerson(email=identity.email, password="", name=identity.name, nickname="", language=language)
        row = sign_up(tx, person, rules, admission, password_hash=None, email_verified=True, at_ms=now_ms)
        account = SignInAccount(row.id, is_new=True)
    elif is_same_address(found.email, identity.email):
        account = _link(tx, found, now_ms=now_ms)
    else:
        raise EmailTaken
    store.add_identity(tx, issuer=identity.issuer, subject=identity.subject, user_id=account.user_id, at_ms=now_ms)
    return account


def is_same_address(one: str, other: str) -> bool:
    """Return whether two addresses differ only in upper and lower case, and in how their domain is spelled.

    The case folding of `users.email_key` is too coarse before the @: it maps ſ to s and ß to ss, which may be another
    mailbox.
    """
    return _parts(one) == _parts(other)


def _parts(email: str) -> tuple[str, str, str]:
    local, _, domain = email.rpartition("@")
    # What is no domain, in an address of an earlier release, is itself alone.
    return local.lower(), local.upper(), ascii_domain(domain) or domain


def _locked(tx: WriteTx, email: str) -> UserRow | None:
    """Return the account with this address, locked."""
    found = find_person_by_email(tx, email)
    # Until the lock its address may have changed.
    row = None if found is None else lock_person(tx, found.id)
    return row if row is not None and address_key(row.email) == address_key(email) else None


def _link(tx: WriteTx, row: UserRow, *, now_ms: int) -> SignInAccount:
    if row.email_verified:
        return SignInAccount(row.id)
    # The account's creator may not own the address: the password, the sessions and all links end, a new address that
    # waits is taken back, so that only the owner has access.
    update_person(tx, row.id, {"email_verified": True, "password_hash": None})
    end_links(tx, row.id)
    revoke_all(tx, row.id, now_ms=now_ms)
    return SignInAccount(row.id, sessions_ended=True)
