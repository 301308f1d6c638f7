"""The cookies of somebody who is signed in, however they did it."""

from __future__ import annotations

from foreknow.users.service import Admission
from foreknow.web.answers import Cookie
from foreknow.web.pipeline import ACCESS_COOKIE

REFRESH_COOKIE = "refresh_token"


def admission_cookies(admission: Admission, *, secure: bool) -> list[Cookie]:
    """Return both tokens' cookies, and what others in the house want set besides."""
    signed_in = admission.signed_in
    return [
        Cookie(ACCESS_COOKIE, signed_in.access_token, signed_in.expires_in, secure),
        Cookie(REFRESH_COOKIE, admission.refresh_token, admission.refresh_expires_in_s, secure),
        *admission.cookies,
    ]
