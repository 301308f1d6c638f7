"""The cookie `device`, which marks a browser that has signed in to an account before.

Guessers lock an account for unknown browsers only: failures of a browser with this cookie are counted separately
(`users.login_throttle`), after "Slow Down Online Guessing Attacks with Device Cookies" (OWASP). The cookie proves
nothing else; the password is still required. It outlives the sign-out, and each sign-in replaces it.

    <time set, Unix seconds>.<128 random bits>.<signature over both and the user's id>

It does not contain the user's id, so that the next person at a shared browser learns nothing of the last one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from foreknow.kernel.access.cookies import Cookie, Cookies
from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.text import base64url
from foreknow.kernel.validation.fields import natural_int

DEVICE_COOKIE = "device"
#: Lifetime of the cookie.
DEVICE_MS = 365 * DAY_MS
_RANDOM_BYTES = 16


class DeviceCookies:
    """Issues and verifies the cookie."""

    def __init__(self, key: bytes, *accepted: bytes, secure: bool) -> None:
        """Sign with `key`, the same on all servers; verify with it and those `accepted`.

        `secure` sets the cookie's Secure attribute.
        """
        self._keys = (key, *accepted)
        self._secure = secure

    def cookie(self, user_id: int, *, now_ms: int) -> Cookie:
        """Return a new cookie for a user who has just signed in."""
        payload = f"{now_ms // SECOND_MS}.{base64url(secrets.token_bytes(_RANDOM_BYTES))}"
        value = f"{payload}.{_signature(self._keys[0], payload, user_id)}"
        return Cookie(DEVICE_COOKIE, value, DEVICE_MS // SECOND_MS, self._secure)

    def find(self, cookies: Cookies, *, user_id: int | None, now_ms: int) -> str | None:
        """Return the id of a browser that has signed in to this account before; None for any other."""
        found = (self._read(value, user_id or 0, now_ms) for value in cookies.get(DEVICE_COOKIE) or ("",))
        return next(filter(None, found), None)

    def _read(self, value: str, user_id: int, now_ms: int) -> str | None:
        set_at, _, rest = value.partition(".")
        device_id, _, signature = rest.partition(".")
        # Computed for unknown logins too, to take the same time: ids start at 1.
        expected = [_signature(key, f"{set_at}.{device_id}", user_id) for key in self._keys]
        set_at_s = natural_int(set_at)
        if not any(hmac.compare_digest(each.encode(), signature.encode()) for each in expected) or set_at_s is None:
            return None
        return device_id if now_ms < set_at_s * SECOND_MS + DEVICE_MS else None


def _signature(key: bytes, payload: str, user_id: int) -> str:
    return base64url(hmac.digest(key, f"{payload}.{user_id}".encode(), hashlib.sha256))
