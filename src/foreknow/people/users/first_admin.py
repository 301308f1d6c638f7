"""The first admin, made with a link that `foreknow serve` prints while there was never an admin."""

from __future__ import annotations

import hashlib
import secrets

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.errors import InvalidState
from foreknow.people.users.errors import InvalidToken
from foreknow.people.users.tables import first_admin, users
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Path of the web client's page; the token follows.
PATH = "/setup#"
LIVES_MS = DAY_MS
_TOKEN_BYTES = 16
_ROW_ID = 1
_C = first_admin.c
_MADE = Insert(first_admin, ("id", "is_made"), conflict=on_conflict(first_admin, is_made="excluded.is_made"))
#: Changes nothing of a row that is there, and locks it.
_LOCKED = Insert(first_admin, ("id", "is_made"), conflict=on_conflict(first_admin, is_made="first_admin.is_made"))


def note_made(tx: WriteTx) -> None:
    """Note that there is an admin, or was: no link makes one any more."""
    apply(tx, _MADE, [(_ROW_ID, True)])


def issue(tx: WriteTx, *, at_ms: int) -> str | None:
    """Return the token of a new link, which ends the earlier one's; None where there is an admin, or was."""
    apply(tx, _LOCKED, [(_ROW_ID, False)])
    if _is_made(tx):
        return None
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    values = {"token_hash": _hash(token), "expires_at_ms": at_ms + LIVES_MS}
    tx.execute(first_admin.update().where(_C.id == _ROW_ID).values(values))
    return token


def check(tx: ReadTx, token: str, *, at_ms: int) -> None:
    """Raise `InvalidToken` for all but the newest link's token, and `InvalidState` once there is an admin, or was."""
    is_live = sa.and_(_C.token_hash == _hash(token), _C.expires_at_ms > at_ms)
    if tx.execute(sa.select(_C.id).where(_C.id == _ROW_ID, is_live)).first() is None:
        raise InvalidToken
    if _is_made(tx):
        raise InvalidState("This site has its first admin.")


def lock_and_check(tx: WriteTx, token: str, *, at_ms: int) -> None:
    """Do the same, and let no other use of a link go on until `tx` ends."""
    tx.execute(sa.select(_C.id).where(_C.id == _ROW_ID).with_for_update())
    check(tx, token, at_ms=at_ms)


def _is_made(tx: ReadTx) -> bool:
    # Admins of earlier releases are not noted.
    is_noted = sa.exists().where(_C.id == _ROW_ID, _C.is_made)
    return bool(tx.execute(sa.select(sa.or_(is_noted, sa.exists().where(users.c.is_admin)))).scalar_one())


def _hash(token: str) -> str:
    # 128 random bits need no salt and no stretching.
    return hashlib.sha256(token.encode()).hexdigest()
