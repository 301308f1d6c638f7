"""Cookies as plain data: what features set; `web` writes the headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: What a request brings: the values of each name, in their order. The first that is good counts.
Cookies: TypeAlias = Mapping[str, Sequence[str]]
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
