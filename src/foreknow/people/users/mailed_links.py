"""Tokens of links in mails: to verify an address, and to set a new password.

They are signed, not stored. What they are good for ends with what they are signed over: the address and, of a new
password, the hash of the old one.

    <user's id>.<end, Unix seconds>.<signature>
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.text import base64url
from foreknow.kernel.validation.fields import natural_int, positive_int
from foreknow.people.users.store import UserRow

#: Path of the web client's page; the token follows.
VERIFY_PATH = "/verify/"
_PARTS = 3


def is_mailed(token: str) -> bool:
    """Return whether a token has the form of a mailed one; an admin's link to a new password has another."""
    return "." in token


@dataclass(frozen=True, slots=True)
class LinkClaim:
    """What a token says; whether it is ours is known once its user is."""

    user_id: int
    ends_at_s: int
    signature: str


class MailedLinks:
    """Issues and verifies the tokens."""

    def __init__(self, key: bytes, *accepted: bytes) -> None:
        """Sign with `key`, the same on all servers; verify with it and those `accepted`."""
        self._keys = (key, *accepted)

    def verification(self, user_id: int, email: str, *, ends_at_ms: int) -> str:
        """Return the token that verifies an address of a user."""
        return self._token("verify", user_id, ends_at_ms // SECOND_MS, email)

    def reset(self, person: UserRow, password_hash: str | None, *, ends_at_ms: int) -> str:
        """Return the token that sets a new password for the old one."""
        return self._token("reset", person.id, ends_at_ms // SECOND_MS, _state(person, password_hash))

    def read(self, token: str, *, now_ms: int) -> LinkClaim | None:
        """Return what a token says; None for one that has ended or has another form."""
        parts = token.split(".")
        if len(parts) != _PARTS:
            return None
        user_id, ends_at_s = positive_int(parts[0]), natural_int(parts[1])
        if user_id is None or ends_at_s is None or ends_at_s * SECOND_MS <= now_ms:
            return None
        return LinkClaim(user_id, ends_at_s, parts[2])

    def verifies(self, claim: LinkClaim, email: str) -> bool:
        """Return whether the token verifies this address of its user."""
        return self._is_signed(claim, "verify", email)

    def resets(self, claim: LinkClaim, person: UserRow, password_hash: str | None) -> bool:
        """Return whether the token sets a new password for this old one."""
        return self._is_signed(claim, "reset", _state(person, password_hash))

    def _token(self, use: str, user_id: int, ends_at_s: int, what: str) -> str:
        return f"{user_id}.{ends_at_s}.{_signature(self._keys[0], use, user_id, ends_at_s, what)}"

    def _is_signed(self, claim: LinkClaim, use: str, what: str) -> bool:
        given = claim.signature.encode()
        expected = (_signature(key, use, claim.user_id, claim.ends_at_s, what) for key in self._keys)
        return any(hmac.compare_digest(one.encode(), given) for one in expected)


def _state(person: UserRow, password_hash: str | None) -> str:
    return f"{person.email}\n{password_hash or ''}"


def _signature(key: bytes, use: str, user_id: int, ends_at_s: int, what: str) -> str:
    return base64url(hmac.digest(key, f"{use}\n{user_id}\n{ends_at_s}\n{what}".encode(), hashlib.sha256))
