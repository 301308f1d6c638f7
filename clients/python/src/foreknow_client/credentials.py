"""Who a client is: a user's API key or access token, a partner's key, or a sign-in that renews itself.

No error, repr or log entry shows any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

#: Path, cookie ("" for none) and JSON body (None for none) of a POST for another access token.
Renewal: TypeAlias = tuple[str, str, Mapping[str, str] | None]
_REFRESH_COOKIE = "refresh_token"


def header_value(name: str, value: str) -> str:
    """Return a value that a header can carry. `ValueError`, which does not show it, for any other."""
    for place, character in enumerate(value, 1):
        if not "!" <= character <= "~":
            where = f"character {place} of {len(value)}"
            raise ValueError(f"{name} holds {_kind(character)} ({where}): it must be visible ASCII characters alone")
    return value


def _kind(character: str) -> str:
    if character in "\r\n":
        return "a line break"
    if not character.isascii():
        return "a character beyond ASCII"
    return "a space" if character == " " else "a control character"


class Credentials:
    """A visitor's: none. The other kinds derive from it."""

    #: How clients show who they are.
    shown_as = "a visitor"

    def __repr__(self) -> str:
        return f"<{self.shown_as}>"

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

    def renewed(self, access_token: str, cookies: Mapping[str, str]) -> None:
        """Keep the answer of a renewal. Raises `ValueError` for a token that no header can carry."""


class Token(Credentials):
    """An API key of a user (`fku_…`), or an access token, which ends after 20 minutes."""

    shown_as = "a user by key"

    def __init__(self, token: str) -> None:
        """Send this as a Bearer token. Raises `ValueError` where no header can carry it."""
        self._headers = {"authorization": f"Bearer {header_value('key', token)}"}

    def headers(self) -> Mapping[str, str]:
        """Return the Bearer token."""
        return self._headers


class PartnerKey(Credentials):
    """A partner's key."""

    shown_as = "a partner by key"

    def __init__(self, key: str) -> None:
        """Send this as X-Partner-Key. Raises `ValueError` where no header can carry it."""
        self._headers = {"x-partner-key": header_value("partner_key", key)}

    def headers(self) -> Mapping[str, str]:
        """Return the key."""
        return self._headers


class SignIn(Credentials):
    """A user's e-mail address or nickname, and the password: for what keys may not do. Signs in with the first call."""

    shown_as = "a user by password"

    def __init__(self, login: str, password: str) -> None:
        """Sign in as this user. Raises `ValueError` for what is no text of Unicode, as undecoded bytes are."""
        for name, text in (("login", login), ("password", password)):
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise ValueError(f"{name} holds bytes that are no UTF-8")
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

    def renewed(self, access_token: str, cookies: Mapping[str, str]) -> None:
        """Use the new tokens from now on."""
        refresh_token = header_value("refresh_token", cookies.get(_REFRESH_COOKIE, ""))
        self._headers = {"authorization": f"Bearer {header_value('access_token', access_token)}"}
        self._refresh_token = refresh_token
