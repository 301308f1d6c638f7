"""Rows of invitations. A sign-up locks its invitation before anything else; nothing else is locked with one."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.email_addresses import address_key
from foreknow.kernel.text import fold
from foreknow.people.invitations import mailed
from foreknow.people.invitations.errors import InvitationNotFound, InvitationUsed
from foreknow.people.invitations.tables import HAS_EMAIL, invitations
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Path of the web client's page; the token follows.
PATH = "/invite/"
_TOKEN_BYTES = 32
_C = invitations.c


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationRow:
    """An invitation, without its token."""

    id: int
    #: How many accounts may be made with it, and how many were.
    uses: int
    used: int
    expires_at_ms: int | None
    withdrawn_at_ms: int | None
    #: What each new account is given.
    credit_kopecks: int
    #: Whether each new account becomes a creator.
    creator: bool
    note: str
    created_at_ms: int
    #: Of one that was mailed: the address that it is for, and the name that the form begins with; None once used.
    email: str | None
    name: str | None
    #: The admin who had it mailed.
    admin_id: int | None

    def is_good(self, at_ms: int) -> bool:
        """Return whether an account may be made with it."""
        is_over = self.expires_at_ms is not None and self.expires_at_ms <= at_ms
        return self.used < self.uses and self.withdrawn_at_ms is None and not is_over


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A new invitation. `token` is not stored and cannot be shown again."""

    row: InvitationRow
    token: str

    def url(self, origin: str) -> str:
        """Return its URL on the site at `origin`; "": a path of the site."""
        return f"{origin}{PATH}{self.token}"


#: A part of a note that is a whole word, whatever its letters.
_WORD = r"(?<!\w){}(?!\w)"
_COLUMNS = [_C[name] for name in InvitationRow.__slots__]


def insert(
    tx: WriteTx,
    *,
    uses: int,
    expires_at_ms: int | None,
    credit_kopecks: int,
    creator: bool,
    note: str,
    at_ms: int,
    token: str = "",
    email: str | None = None,
    name: str | None = None,
    admin_id: int | None = None,
) -> NewInvitation:
    """Write an invitation with a new token, or with one that its maker can make again.

    `email`: it is for this address alone.
    """
    token = token or secrets.token_urlsafe(_TOKEN_BYTES)
    values = {
        "token_hash": _hash(token),
        "uses": uses,
        "expires_at_ms": expires_at_ms,
        "credit_kopecks": credit_kopecks,
        "creator": creator,
        "note": note,
        "created_at_ms": at_ms,
        "email": email,
        "email_key": None if email is None else address_key(email),
        "name": name,
        "admin_id": admin_id,
    }
    row = tx.execute(invitations.insert().values(values).returning(*_COLUMNS)).mappings().one()
    return NewInvitation(InvitationRow(**row), token)


def is_known(tx: ReadTx, token: str) -> bool:
    """Return whether there is an invitation with this token, good or not."""
    return tx.execute(sa.select(_C.id).where(_C.token_hash == _hash(token))).first() is not None


def offered(tx: ReadTx, token: str, *, at_ms: int) -> InvitationRow:
    """Return the invitation with this token, which may be used now; `InvitationUsed`."""
    return _good(tx.execute(sa.select(*_COLUMNS).where(*_is_good(token, at_ms))))


def use(tx: WriteTx, token: str, *, email: str, at_ms: int) -> InvitationRow:
    """Count a use of the invitation with this token by an address, and return it, locked until `tx` ends.

    `InvitationUsed`, also for another address than it is for; its own is cleared.
    """
    is_theirs = sa.or_(_C.email_key.is_(None), _C.email_key == address_key(email))
    # One statement: of two that come at once, the second waits for the first and then counts from there.
    counted = invitations.update().where(*_is_good(token, at_ms), is_theirs).values(used=_C.used + 1)
    row = _good(tx.execute(counted.returning(*_COLUMNS)))
    if row.email is not None:
        mailed.clear(tx, row.id)
    return row


def withdraw(tx: WriteTx, invitation_id: int, *, at_ms: int) -> bool:
    """Let no one use an invitation any more; return False where that was so before. `InvitationNotFound`."""
    wanted = invitations.update().where(_C.id == invitation_id, _C.withdrawn_at_ms.is_(None))
    if tx.execute(wanted.values(withdrawn_at_ms=at_ms)).rowcount:
        return True
    invitation(tx, invitation_id)
    return False


def invitation(tx: ReadTx, invitation_id: int) -> InvitationRow:
    """Return an invitation; `InvitationNotFound`."""
    found = find(tx, invitation_id)
    if found is None:
        raise InvitationNotFound
    return found


def find(tx: ReadTx, invitation_id: int) -> InvitationRow | None:
    """Return an invitation; None where there is none with this id."""
    row = tx.execute(sa.select(*_COLUMNS).where(_C.id == invitation_id)).mappings().one_or_none()
    return None if row is None else InvitationRow(**row)


def newest(tx: ReadTx, *, before_id: int | None, limit: int, has_email: bool | None = None) -> Sequence[InvitationRow]:
    """Return the newest invitations; with `before_id`, those with lower ids.

    `has_email`: only those that are for an address, or only the others.
    """
    query = sa.select(*_COLUMNS).order_by(_C.id.desc()).limit(limit)
    if has_email is not None:
        query = query.where(HAS_EMAIL if has_email else sa.not_(HAS_EMAIL))
    if before_id is not None:
        query = query.where(_C.id < before_id)
    return [InvitationRow(**row) for row in tx.execute(query).mappings()]


def _is_good(token: str, at_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        _C.token_hash == _hash(token),
        _C.used < _C.uses,
        _C.withdrawn_at_ms.is_(None),
        sa.or_(_C.expires_at_ms.is_(None), _C.expires_at_ms > at_ms),
    )


def _good(found: sa.Result[Any]) -> InvitationRow:
    row = found.mappings().one_or_none()
    if row is None:
        raise InvitationUsed
    return InvitationRow(**row)


def _hash(token: str) -> str:
    # 256 random bits need no salt and no stretching.
    return hashlib.sha256(token.encode()).hexdigest()


def forget(tx: WriteTx, invitation_id: int | None, names: Collection[str]) -> None:
    """Take a person's names out of notes, and clear that of the invitation that let in no one else (None: none)."""
    # The longest first: a name may begin with the nickname.
    ordered = sorted(filter(None, names), key=len, reverse=True)
    for row in tx.execute(sa.select(_C.id, _C.uses, _C.note).where(_C.note != "")).all():
        note = "" if row.id == invitation_id and row.uses == 1 else _without(row.note, ordered)
        if note != row.note:
            tx.execute(invitations.update().where(_C.id == row.id).values(note=note))


def _without(note: str, names: Sequence[str]) -> str:
    """Return a note with "…" for each name; "" where one stands there in letters that only folding finds."""
    if not names or not re.search(_words(map(fold, names)), fold(note)):
        return note
    rest = re.sub(_words(names), "…", note, flags=re.IGNORECASE)
    return "" if re.search(_words(map(fold, names)), fold(rest)) else rest


def _words(names: Iterable[str]) -> str:
    return "|".join(_WORD.format(re.escape(name)) for name in names)
