"""API keys as texts: a prefix and 256 random bits. They are stored as hashes."""

from __future__ import annotations

import hashlib
import re
import secrets

_KEY_BYTES = 32


class KeyForm:
    """The form of a kind of keys."""

    def __init__(self, prefix: str) -> None:
        """`prefix` is how people and secret scanners recognise them."""
        self._prefix = prefix
        self._form = re.compile(rf"{re.escape(prefix)}[0-9a-f]{{{2 * _KEY_BYTES}}}")

    def new(self) -> str:
        """Return a new key, which cannot be guessed."""
        return self.of(secrets.token_hex(_KEY_BYTES))

    def of(self, digits: str) -> str:
        """Return the key of 64 hexadecimal digits, which are the secret."""
        return self._prefix + digits

    def fits(self, text: str) -> bool:
        """Return whether a text has this form; others need no query."""
        return self._form.fullmatch(text) is not None


#: Keys of partners, and users' own.
PARTNER_KEY = KeyForm("fkp_")
USER_KEY = KeyForm("fku_")


def hash_key(key: str) -> str:
    """Return the stored SHA-256 of a key. Its 256 random bits need no salt and no stretching."""
    return hashlib.sha256(key.encode()).hexdigest()
