"""The value of a chat session's cookie: 128 random bits, stored as a hash. `chat.cookies` reads and sets the cookie."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence

COOKIE = "chat_session"
#: A year: longer than any conversation; each new session has a new cookie.
COOKIE_AGE_S = 365 * 24 * 3600
_TOKEN_BYTES = 16
_FORM = re.compile(rf"[0-9a-f]{{{2 * _TOKEN_BYTES}}}")


def new_token() -> str:
    """Return the value of a new cookie."""
    return secrets.token_hex(_TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Return the stored hash of a cookie's value. 128 random bits need no salt and no stretching."""
    return hashlib.sha256(token.encode()).hexdigest()


def read(cookies: Sequence[str]) -> tuple[str, ...]:
    """Return those values of a request's cookies that are well-formed."""
    return tuple(filter(_FORM.fullmatch, cookies))
