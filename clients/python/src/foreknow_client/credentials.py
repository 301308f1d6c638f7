"""Who a client is: a user's API key or access token, a partner's key, or a sign-in that renews itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

#: Path, cookie ("" for none) and JSON body (None for none) of a POST for another access token.
Renewal: TypeAlias = tuple[str, str, Mapping[str, str] | None]
_REFRESH_COOKIE = "refresh_token"


class Credentials:
    """A visitor's: none. The other kinds derive from it."""

    @property
    def can_renew(self) -> bool:
        """Whether there is a way to another token once this one is refused."""
        return False

    def headers(self) -> Mapping[str, str]:
        """Return the headers that say who calls; none before the first sign-in."""
        return {}

    def renewals(self) -> Iterator[Renewal]:
        """Yield the ways to another token, the cheapest first."""
        yield from ()

    def renewed(self, body: Mapping[str, Any], cookies: Mapping[str, str]) -> None:
        """Keep the answer of a renewal."""


class Token(Credentials):
    """An API key of a user (`fku_…`), or an access token, which ends after 20 minutes."""

    def __init__(self, token: str) -> None:
        """Send this as a Bearer token."""
        self._headers = {"authorization": f"Bearer {token}"}

    def headers(self) -> Mapping[str, str]:
        """Return the Bearer token."""
        return self._headers


class PartnerKey(Credentials):
    """A partner's key."""

    def __init__(self, key: str) -> None:
        """Send this as X-Partner-Key."""
        self._headers = {"x-partner-key": key}

    def headers(self) -> Mapping[str, str]:
        """Return the key."""
        return self._headers


class SignIn(Credentials):
    """A user's e-mail address or nickname, and the password: for what keys may not do. Signs in with the first call."""

    def __init__(self, login: str, password: str) -> None:
        """Sign in as this user."""
        self._login = login
        self._password = password
        self._headers: Mapping[str, str] = {}
        self._refresh_token = ""

    @property
    def can_renew(self) -> bool:
        """Always: by the refresh token, and by the password once the session is over."""
        return True

    def headers(self) -> Mapping[str, str]:
        """Return the access token; nothing before the first sign-in."""
        return self._headers

    def renewals(self) -> Iterator[Renewal]:
        """Yield the refresh, if there is a session, and the sign-in."""
        if self._refresh_token:
            yield "/auth/refresh", f"{_REFRESH_COOKIE}={self._refresh_token}", None
        yield "/auth/sign-in", "", {"login": self._login, "password": self._password}

    def renewed(self, body: Mapping[str, Any], cookies: Mapping[str, str]) -> None:
        """Use the new tokens from now on."""
        self._headers = {"authorization": f"Bearer {body['access_token']}"}
        self._refresh_token = cookies.get(_REFRESH_COOKIE, "")
