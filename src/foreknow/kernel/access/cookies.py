"""Cookies as plain data: what features set; `web` writes the headers."""

from __future__ import annotations

from dataclasses import dataclass

#: The cookie of the access token.
ACCESS_COOKIE = "access_token"


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie to set, HttpOnly unless scripts of the page should read it; `max_age_s` 0 clears it."""

    name: str
    value: str
    max_age_s: int
    secure: bool
    readable: bool = False
