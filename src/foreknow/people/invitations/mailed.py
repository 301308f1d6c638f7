"""Invitations that are mailed, each to one address: their links, how many there are, and addresses that want none.

A link's token is derived from the row, so that no waiting mail holds it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.email_addresses import address_key
from foreknow.kernel.text import base64url
from foreknow.people.invitations.tables import invitation_days, invitations, uninvited_addresses
from foreknow.platform.db.changes import Insert, apply, on_conflict
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: How long one is good; and how long after its end its address is kept.
LIVES_MS = 30 * DAY_MS
#: How long no other is mailed to who has one.
FRESH_MS = 7 * DAY_MS
#: Most that a site mails in a UTC day.
PER_DAY_MAX = 2_000
#: Age of the newest piece from which what was reserved counts no more: its process was killed.
RESERVED_MS = 30 * SECOND_MS
_C, _D, _U = invitations.c, invitation_days.c, uninvited_addresses.c
#: Of an invitation that does not need its address any more.
_CLEARED = {"email": None, "email_key": None, "name": None}
#: Makes a day's row where it is missing, and locks it.
_LOCK_DAY = Insert(
    invitation_days,
    ("day", "invited", "reserved", "touched_at_ms"),
    conflict=on_conflict(invitation_days, invited="invitation_days.invited"),
)
_UNINVITED = Insert(
    uninvited_addresses,
    ("address_hash", "created_at_ms"),
    conflict=on_conflict(uninvited_addresses, created_at_ms="uninvited_addresses.created_at_ms"),
)


class InvitationLinks:
    """Derives tokens, and the hashes of addresses that are invited no more."""

    def __init__(self, key: bytes) -> None:
        """`key` is the same on all servers, for ever."""
        self._key = key

    def token(self, email: str, created_at_ms: int) -> str:
        """Return the token of an invitation to an address."""
        return base64url(self._digest(f"invitation\n{created_at_ms}\n{address_key(email)}"))

    def address_hash(self, email: str) -> str:
        """Return what stands for an address, by whichever spelling, among those that are invited no more."""
        return self._digest(f"address\n{address_key(email)}").hex()

    def _digest(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode(), hashlib.sha256)


def lock_day(tx: WriteTx, *, at_ms: int) -> int:
    """Lock the counter of a UTC day against other inviters until `tx` ends, and return how many may still be mailed."""
    day = at_ms // DAY_MS
    tx.execute(invitation_days.delete().where(_D.day < day - 1))
    apply(tx, _LOCK_DAY, [(day, 0, 0, at_ms)])
    return left_of_day(tx, at_ms=at_ms)


def left_of_day(tx: ReadTx, *, at_ms: int) -> int:
    """Return how many invitations may still be mailed on this UTC day; under 0 for none."""
    reserved = sa.case((_D.touched_at_ms > at_ms - RESERVED_MS, _D.reserved), else_=0)
    taken = tx.execute(sa.select(_D.invited + reserved).where(_D.day == at_ms // DAY_MS)).scalar()
    return PER_DAY_MAX - (taken or 0)


def reserve(tx: WriteTx, *, count: int, at_ms: int) -> None:
    """Reserve invitations of a locked day."""
    is_live = _D.touched_at_ms > at_ms - RESERVED_MS
    reserved = sa.case((is_live, _D.reserved), else_=0) + count
    of_day = invitation_days.update().where(_D.day == at_ms // DAY_MS)
    tx.execute(of_day.values(reserved=reserved, touched_at_ms=at_ms))


def lock_reserved(tx: WriteTx, *, reserved: int, day: int, at_ms: int) -> None:
    """Lock the counter of a day on which some invitations were reserved, and take them back."""
    left = sa.case((_D.reserved > reserved, _D.reserved - reserved), else_=0)
    tx.execute(invitation_days.update().where(_D.day == day).values(reserved=left, touched_at_ms=at_ms))


def count(tx: WriteTx, *, invited: int, day: int) -> None:
    """Count invitations of a locked day."""
    tx.execute(invitation_days.update().where(_D.day == day).values(invited=_D.invited + invited))


def freshly_invited(tx: ReadTx, keys: Collection[str], *, at_ms: int) -> set[str]:
    """Return which addresses, by their keys, have a live invitation of `FRESH_MS` whose mail waits or was taken."""
    query = sa.select(_C.email_key).where(
        _C.email_key.in_(keys),
        _C.used < _C.uses,
        _C.withdrawn_at_ms.is_(None),
        _C.expires_at_ms > at_ms,
        _C.created_at_ms > at_ms - FRESH_MS,
        _C.unsent_at_ms.is_(None),
    )
    return set(tx.execute(query).scalars())


def names_of(tx: ReadTx, keys: Collection[str]) -> dict[str, str]:
    """Return the name that the newest invitation of each address was given; those without are left out."""
    named = sa.select(_C.email_key, _C.name).where(_C.email_key.in_(keys), _C.name.is_not(None)).order_by(_C.id)
    return {key: name for key, name in tx.execute(named)}  # noqa: C416 - rows are no pairs of strings


def withdraw_of(tx: WriteTx, keys: Collection[str], *, at_ms: int) -> None:
    """Withdraw the invitations of these addresses, which get newer ones."""
    live = invitations.update().where(_C.email_key.in_(keys), _C.withdrawn_at_ms.is_(None))
    tx.execute(live.values(withdrawn_at_ms=at_ms))


def note_unsent(tx: WriteTx, invitation_id: int, *, at_ms: int) -> None:
    """Note that the mail of an invitation was given up: another one may be mailed."""
    tx.execute(invitations.update().where(_C.id == invitation_id).values(unsent_at_ms=at_ms))


def uninvite(tx: WriteTx, address_hash: str, *, at_ms: int) -> None:
    """Invite an address no more, for ever."""
    apply(tx, _UNINVITED, [(address_hash, at_ms)])


def uninvited_among(tx: ReadTx, address_hashes: Collection[str]) -> set[str]:
    """Return which of these addresses are invited no more."""
    return set(tx.execute(sa.select(_U.address_hash).where(_U.address_hash.in_(address_hashes))).scalars())


def clear(tx: WriteTx, invitation_id: int) -> None:
    """Clear the address and name of an invitation that is used."""
    tx.execute(invitations.update().where(_C.id == invitation_id).values(_CLEARED))


def clear_of(tx: WriteTx, emails: Collection[str]) -> None:
    """Clear these addresses, of a deleted account, in all invitations."""
    keys = [address_key(email) for email in emails if email]
    tx.execute(invitations.update().where(_C.email_key.in_(keys)).values(_CLEARED))


def is_any_outlived(tx: ReadTx, *, at_ms: int) -> bool:
    """Return whether an invitation that ended `LIVES_MS` ago still has its address."""
    return tx.execute(sa.select(_C.id).where(*_is_outlived(at_ms)).limit(1)).first() is not None


def clear_outlived(tx: WriteTx, *, at_ms: int) -> None:
    """Clear the addresses and names of invitations that ended `LIVES_MS` ago."""
    tx.execute(invitations.update().where(*_is_outlived(at_ms)).values(_CLEARED))


def _is_outlived(at_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    ended_ms = at_ms - LIVES_MS
    return _C.email_key.is_not(None), sa.or_(_C.withdrawn_at_ms <= ended_ms, _C.expires_at_ms <= ended_ms)
