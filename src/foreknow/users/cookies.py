"""The cookies of somebody who is signed in, however they did it."""

from __future__ import annotations

from foreknow.users.service import SignInResult
from foreknow.web.pipeline import ACCESS_COOKIE
from foreknow.web.responses import Cookie

REFRESH_COOKIE = "refresh_token"
#: Tells the page itself, which cannot read the two, until when it need not refresh; no secret.
UNTIL_COOKIE = "session_until"


def sign_in_cookies(admission: SignInResult, *, secure: bool) -> list[Cookie]:
    """Return both tokens' cookies, the readable one of their end, and what others in the house want set besides."""
    signed_in = admission.signed_in
    return [
        Cookie(ACCESS_COOKIE, signed_in.access_token, signed_in.expires_in, secure),
        Cookie(REFRESH_COOKIE, admission.refresh_token, admission.refresh_expires_in_s, secure),
        Cookie(UNTIL_COOKIE, str(admission.access_expires_at_s), admission.refresh_expires_in_s, secure, readable=True),
        *admission.cookies,
    ]


def cleared_cookies(*, secure: bool) -> list[Cookie]:
    """Return what takes away all that `sign_in_cookies` sets for a session."""
    return [
        Cookie(ACCESS_COOKIE, "", 0, secure),
        Cookie(REFRESH_COOKIE, "", 0, secure),
        Cookie(UNTIL_COOKIE, "", 0, secure, readable=True),
    ]
