"""The cookie `device`: tells a browser that has signed in to an account before from one that never did.

Strangers who guess at an account close it to everybody who might be one of them. Whoever brings this cookie is not:
its failures are counted by themselves (`users.failures`), after "Slow Down Online Guessing Attacks with Device
Cookies" (OWASP). It proves nothing else and signs nobody in; the password is asked for all the same. It outlives the
sign-out, each sign-in sets a new one, and a browser keeps that of the account it signed in to last.

    <when it was set, Unix seconds>.<128 random bits>.<signature over both and the user's id>

The id itself is not in it, so that whoever comes to a shared browser next learns nothing of its last user.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping

from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.text import base64url
from foreknow.validation.fields import natural_int
from foreknow.web.responses import Cookie

DEVICE_COOKIE = "device"
#: For so long after its last sign-in a browser is known.
DEVICE_MS = 365 * DAY_MS
_RANDOM_BYTES = 16


class DeviceCookies:
    """Makes and reads the cookie."""

    def __init__(self, key: bytes, *, secure: bool) -> None:
        """Sign with `key`, the same on all servers; mark the cookie Secure where it must not travel in the clear."""
        self._key = key
        self._secure = secure

    def cookie(self, user_id: int, *, now_ms: int) -> Cookie:
        """Return the cookie to set where somebody has just proved to be this user."""
        said = f"{now_ms // SECOND_MS}.{base64url(secrets.token_bytes(_RANDOM_BYTES))}"
        value = f"{said}.{self._signature(said, user_id)}"
        return Cookie(DEVICE_COOKIE, value, DEVICE_MS // SECOND_MS, self._secure)

    def find(self, cookies: Mapping[str, str], *, user_id: int | None, now_ms: int) -> str | None:
        """Return which browser it is that has signed in to this account before; None for any other."""
        set_at, _, rest = cookies.get(DEVICE_COOKIE, "").partition(".")
        number, _, signature = rest.partition(".")
        # Done for a login that is nobody's, too: ids begin at 1.
        expected = self._signature(f"{set_at}.{number}", user_id or 0)
        set_at_s = natural_int(set_at)
        if not hmac.compare_digest(expected.encode(), signature.encode()) or set_at_s is None:
            return None
        return number if now_ms < set_at_s * SECOND_MS + DEVICE_MS else None

    def _signature(self, said: str, user_id: int) -> str:
        return base64url(hmac.digest(self._key, f"{said}.{user_id}".encode(), hashlib.sha256))
