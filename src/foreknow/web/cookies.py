"""The cookies of a request: whatever proxies made of them, from one function for HTTP and sockets alike."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import cookie_parser

from foreknow.kernel.access.api_keys import USER_KEY
from foreknow.kernel.access.callers import Authenticator, UserCaller
from foreknow.kernel.access.cookies import ACCESS_COOKIE, Cookies

#: Values of one name that are looked at: browsers send one for each path and domain that set it.
_VALUES_MAX = 8


def cookies_of(headers: Iterable[tuple[bytes, bytes]]) -> Cookies:
    """Return the values of each cookie, in their order; several fields are one (RFC 9113, 8.2.3)."""
    found: dict[str, list[str]] = {}
    for field, text in headers:
        if field == b"cookie":
            for pair in text.decode("latin-1").split(";"):
                for name, value in cookie_parser(pair).items():
                    values = found.setdefault(name, [])
                    if len(values) < _VALUES_MAX:
                        values.append(value)
    return found


def access_tokens(cookies: Cookies) -> list[str]:
    """Return the access tokens of a request's cookies, good or not.

    A key is for programs, which send a header: as a cookie it would ride on every page's requests.
    """
    tokens = [value.strip() for value in cookies.get(ACCESS_COOKIE, ())]
    return [token for token in tokens if token and not USER_KEY.fits(token)]


async def first_caller(tokens: Iterable[str], authenticator: Authenticator) -> UserCaller | None:
    """Return the user of the first token that is good; None without one."""
    for token in tokens:
        caller = await authenticator.user(token)
        if caller is not None:
            return caller
    return None
