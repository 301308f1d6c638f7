"""Password reset links: one per person, single use, valid for an hour.

An admin issues a link and delivers it. A newer link, a new password or deactivating the account invalidates it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS
from foreknow.kernel.errors import InvalidState
from foreknow.people.users import store
from foreknow.people.users.errors import InvalidToken
from foreknow.people.users.tables import password_resets
from foreknow.platform.db.transactions import ReadTx, WriteTx

LINK_MS = HOUR_MS
#: Path of the web client's page; the token follows.
PATH = "/reset/"
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class ResetLink:
    """A new link. `token` is not stored and cannot be shown again."""

    token: str
    expires_at_ms: int

    def url(self, origin: str) -> str:
        """Return its URL on the site at `origin`; "": a path of the site."""
        return f"{origin}{PATH}{self.token}"


def issue(tx: WriteTx, user_id: int, *, now_ms: int) -> ResetLink:
    """Create a person's link, replacing an older one; `UserNotFound`, `InvalidState` if not active."""
    if not store.lock_person(tx, user_id).is_active:
        raise InvalidState("The account is not active.")
    link = ResetLink(secrets.token_urlsafe(_TOKEN_BYTES), now_ms + LINK_MS)
    delete(tx, user_id)
    row = {"user_id": user_id, "token_hash": _hash(link.token), "expires_at_ms": link.expires_at_ms}
    tx.execute(password_resets.insert().values(row))
    return link


def find_user_id(tx: ReadTx, token: str, *, now_ms: int) -> int:
    """Return the owner of a valid link; `InvalidToken`."""
    query = sa.select(password_resets.c.user_id).where(*_valid(token, now_ms))
    user_id: int | None = tx.execute(query).scalar()
    if user_id is None:
        raise InvalidToken
    return user_id


def redeem(tx: WriteTx, token: str, *, now_ms: int) -> int:
    """Use a link and return its owner, whose row is then locked; `InvalidToken`."""
    user_id = find_user_id(tx, token, now_ms=now_ms)
    # Locks the person first, as `issue` does. The link may be gone after the wait for the lock.
    person = store.lock_person(tx, user_id)
    used = tx.execute(password_resets.delete().where(*_valid(token, now_ms)).returning(password_resets.c.user_id))
    if used.first() is None or not person.is_active:
        raise InvalidToken
    return user_id


def delete(tx: WriteTx, user_id: int) -> None:
    """Delete a person's link, if any."""
    tx.execute(password_resets.delete().where(password_resets.c.user_id == user_id))


def _valid(token: str, now_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (password_resets.c.token_hash == _hash(token), password_resets.c.expires_at_ms > now_ms)


def _hash(token: str) -> str:
    # 256 random bits need no salt and no stretching.
    return hashlib.sha256(token.encode()).hexdigest()
