"""The cookie of a chat session: 128 random bits, of which the database keeps a hash."""

from __future__ import annotations

import hashlib
import re
import secrets

COOKIE = "chat_session"
#: A year: the cookie outlives any conversation, and each new session has a new one.
COOKIE_AGE_S = 365 * 24 * 3600
_TOKEN_BYTES = 16
_FORM = re.compile(rf"[0-9a-f]{{{2 * _TOKEN_BYTES}}}")


def new_token() -> str:
    """Return the value of a new cookie."""
    return secrets.token_hex(_TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Return what is stored of a cookie's value. 128 random bits need no salt and no stretching."""
    return hashlib.sha256(token.encode()).hexdigest()


def read(cookie: str | None) -> str | None:
    """Return a cookie's value where it may be one of ours: anything else need not be looked up."""
    return cookie if cookie is not None and _FORM.fullmatch(cookie) else None
