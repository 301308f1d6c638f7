"""Links in mails of notices and invitations, with which no more such are mailed (RFC 8058).

    <user's id>.<types, joined by a hyphen>.<signature>
    invitations.<hash of the address>.<signature>

They are signed, not stored, with a key of their own in the database: no setting that is replaced ends them. Those of
notices end with the address that they were sent to.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass

from foreknow.kernel.text import base64url
from foreknow.kernel.validation.fields import positive_int
from foreknow.people.invitations.mailed import InvitationLinks, uninvite
from foreknow.people.notifications.kinds import KINDS
from foreknow.people.notifications.service import stop_mails
from foreknow.people.users import store
from foreknow.people.users.errors import InvalidToken
from foreknow.people.users.store import UserRow
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Path of the page; the token follows.
PATH = "/unsubscribe/"
#: The name of the key in the database.
KEY_NAME = "unsubscribe-links"
_PARTS = 3
_INVITATIONS = "invitations"
#: Of SHA-256: 128 bits.
_SIGNATURE_BYTES = 16
#: Longest token that is looked at, longer than one of all types.
_LENGTH_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """What a token stands for."""

    #: None for the address of an invitation.
    person: UserRow | None
    types: tuple[str, ...] = ()
    #: What stands for an address that is to be invited no more.
    address_hash: str = ""


class UnsubscribeLinks:
    """Issues tokens, and does what they are for."""

    def __init__(self, key: bytes) -> None:
        """`key` is the same on all servers, for ever."""
        self._key = key
        #: Those of the invitations themselves.
        self.invitations = InvitationLinks(key)

    def invitation_token(self, address: str) -> str:
        """Return the token of an invitation's mail to an address."""
        address_hash = self.invitations.address_hash(address)
        return f"{_INVITATIONS}.{address_hash}.{self._invitation_signature(address_hash)}"

    def token(self, user_id: int, address: str, types: Collection[str]) -> str:
        """Return the token of a mail to an address."""
        joined = "-".join(sorted(set(types)))
        return f"{user_id}.{joined}.{self._signature(user_id, joined, address)}"

    def find(self, tx: ReadTx, token: str) -> Unsubscription:
        """Return what a token stands for; `InvalidToken`."""
        parts = token.split(".")
        if len(parts) == _PARTS and parts[0] == _INVITATIONS:
            if not hmac.compare_digest(self._invitation_signature(parts[1]).encode(), parts[2].encode()):
                raise InvalidToken
            return Unsubscription(None, address_hash=parts[1])
        user_id = positive_int(parts[0])
        if len(token) > _LENGTH_MAX or len(parts) != _PARTS or user_id is None:
            raise InvalidToken
        person = store.find_person(tx, user_id)
        if person is None:
            raise InvalidToken
        expected = self._signature(user_id, parts[1], person.email)
        if not hmac.compare_digest(expected.encode(), parts[2].encode()):
            raise InvalidToken
        # A type of this or an earlier release.
        return Unsubscription(person, tuple(kind for kind in parts[1].split("-") if kind in KINDS))

    def use(self, tx: WriteTx, token: str) -> Unsubscription:
        """Mail the types of a token no more, or invite its address no more; `InvalidToken`."""
        found = self.find(tx, token)
        if found.person is None:
            uninvite(tx, found.address_hash, at_ms=now_ms(tx))
            return found
        user_id = store.lock_person(tx, found.person.id).id
        # Again: the address may have changed meanwhile.
        found = self.find(tx, token)
        stop_mails(tx, user_id, found.types)
        return found

    def _invitation_signature(self, address_hash: str) -> str:
        return base64url(
            hmac.digest(self._key, f"uninvite\n{address_hash}".encode(), hashlib.sha256)[:_SIGNATURE_BYTES]
        )

    def _signature(self, user_id: int, types: str, address: str) -> str:
        what = f"{user_id}\n{types}\n{address}".encode()
        return base64url(hmac.digest(self._key, what, hashlib.sha256)[:_SIGNATURE_BYTES])
