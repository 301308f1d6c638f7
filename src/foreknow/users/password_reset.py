"""Links with which somebody who cannot sign in sets a new password: one a person, good for an hour and once.

An admin makes one and sees to it that it reaches the right person. A newer one, a new password or an account that is
not active any more voids it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import HOUR_MS
from foreknow.kernel.errors import InvalidState
from foreknow.users import store
from foreknow.users.errors import InvalidToken
from foreknow.users.tables import password_resets

LINK_MS = HOUR_MS
#: The web client's page, with the token behind it.
PATH = "/reset/"
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class ResetLink:
    """A new link. `token` is shown now and cannot be shown again."""

    token: str
    expires_at_ms: int

    def url(self, origin: str) -> str:
        """Return its address on the site that is reached at `origin`."""
        return f"{origin}{PATH}{self.token}"


def issue(tx: WriteTx, user_id: int, *, now_ms: int) -> ResetLink:
    """Make a person's link, which voids the one before; `UserNotFound`, `InvalidState` where not active."""
    if not store.lock_person(tx, user_id).is_active:
        raise InvalidState("The account is not active.")
    link = ResetLink(secrets.token_urlsafe(_TOKEN_BYTES), now_ms + LINK_MS)
    void(tx, user_id)
    row = {"user_id": user_id, "token_hash": _hash(link.token), "expires_at_ms": link.expires_at_ms}
    tx.execute(password_resets.insert().values(row))
    return link


def find_user_id(tx: ReadTx, token: str, *, now_ms: int) -> int:
    """Return whose link it is that may still be used; `InvalidToken`."""
    query = sa.select(password_resets.c.user_id).where(*_good(token, now_ms))
    user_id: int | None = tx.execute(query).scalar()
    if user_id is None:
        raise InvalidToken
    return user_id


def use_up(tx: WriteTx, token: str, *, now_ms: int) -> int:
    """Use a link up and return whose it was, with the person's row locked; `InvalidToken`."""
    user_id = find_user_id(tx, token, now_ms=now_ms)
    # The person first, as `issue` does. Whoever was before us may have used the link, or voided it.
    person = store.lock_person(tx, user_id)
    used = tx.execute(password_resets.delete().where(*_good(token, now_ms)).returning(password_resets.c.user_id))
    if used.first() is None or not person.is_active:
        raise InvalidToken
    return user_id


def void(tx: WriteTx, user_id: int) -> None:
    """Let a person's link be good for nothing."""
    tx.execute(password_resets.delete().where(password_resets.c.user_id == user_id))


def _good(token: str, now_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (password_resets.c.token_hash == _hash(token), password_resets.c.expires_at_ms > now_ms)


def _hash(token: str) -> str:
    # 256 random bits need no salt and no stretching.
    return hashlib.sha256(token.encode()).hexdigest()
