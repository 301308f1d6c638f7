"""The cookies of a signed-in user, by password or provider."""

from __future__ import annotations

from foreknow.kernel.access.cookies import ACCESS_COOKIE, Cookie
from foreknow.people.users.service import SignInResult

REFRESH_COOKIE = "refresh_token"
#: When the access token expires, for the page's scripts, which cannot read the tokens' cookies; not a secret.
UNTIL_COOKIE = "session_until"


def sign_in_cookies(result: SignInResult, *, secure: bool) -> list[Cookie]:
    """Return the cookies of both tokens, the readable one of their expiry, and those of other features."""
    signed_in = result.signed_in
    return [
        Cookie(ACCESS_COOKIE, signed_in.access_token, signed_in.expires_in, secure),
        Cookie(REFRESH_COOKIE, result.refresh_token, result.refresh_expires_in_s, secure),
        Cookie(UNTIL_COOKIE, str(result.access_expires_at_s), result.refresh_expires_in_s, secure, readable=True),
        *result.cookies,
    ]


def cleared_cookies(*, secure: bool) -> list[Cookie]:
    """Return the cookies that clear those of a session."""
    return [
        Cookie(ACCESS_COOKIE, "", 0, secure),
        Cookie(REFRESH_COOKIE, "", 0, secure),
        Cookie(UNTIL_COOKIE, "", 0, secure, readable=True),
    ]
