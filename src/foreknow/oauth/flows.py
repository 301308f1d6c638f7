"""A sign-in under way: begun here, confirmed at the provider, finished here within ten minutes.

Nothing of it is stored while it is under way. The browser keeps a cookie with a random number, signed by a key that
all servers of one database share; state, nonce and PKCE's verifier are derived from that number under the same key.
So any server can finish what another one began, a restart loses nothing, and whoever has the provider's answer without
this browser's cookie has nothing. That a state is used once only, `store.spend_state` sees to.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.text import base64url, from_base64url

FLOW_MS = 10 * MINUTE_MS
#: How much of the state stands in the cookie's name, so that two tabs that sign in at once keep a cookie each.
_NAMED_BY = 12
_STATE_LENGTH = 43
#: No other host, not even one of the same domain, can set a cookie of such a name (RFC 6265bis, 4.1.3.2).
_HOST_PREFIX = "__Host-"
_COOKIE_LENGTH_MAX = 4096
_RANDOM_BYTES = 32


class _Said(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the cookie says."""

    number: str
    provider: str
    return_to: str
    expires_at_ms: int


@dataclass(frozen=True)
class Flow:
    """One sign-in; `expires_at_ms` is when it will have taken too long."""

    said: _Said
    key: bytes
    #: What the names of its cookies begin with.
    prefix: str = ""

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self.said.provider

    @property
    def return_to(self) -> str:
        """Where the browser goes afterwards."""
        return self.said.return_to

    @property
    def expires_at_ms(self) -> int:
        """When it will have taken too long, in Unix milliseconds."""
        return self.said.expires_at_ms

    @cached_property
    def state(self) -> str:
        """What the provider's answer must carry (RFC 6749, 10.12)."""
        return self._derived(b"state")

    @cached_property
    def nonce(self) -> str:
        """What the ID token must carry (OpenID Connect Core, 3.1.2.1)."""
        return self._derived(b"nonce")

    @cached_property
    def verifier(self) -> str:
        """What the code's exchange must carry, and only its hash went to the provider before (RFC 7636)."""
        return self._derived(b"verifier")

    @property
    def cookie_name(self) -> str:
        """The name of this sign-in's cookie."""
        return _cookie_name(self.prefix, self.state)

    @property
    def cookie_value(self) -> str:
        """The signed cookie."""
        said = base64url(msgspec.json.encode(self.said))
        return f"{said}.{_signature(self.key, said)}"

    def _derived(self, use: bytes) -> str:
        return base64url(_mac(self.key, use + b":" + self.said.number.encode()))


class Flows:
    """Begins sign-ins and knows them again."""

    def __init__(self, key: bytes, *, secure_cookies: bool) -> None:
        """Sign with `key`. Cookies that are Secure get a name under which browsers take them from this host alone."""
        self._key = key
        self._prefix = _HOST_PREFIX if secure_cookies else ""

    def begin(self, *, provider: str, return_to: str, now_ms: int) -> Flow:
        """Begin a sign-in that must come back within ten minutes."""
        number = base64url(secrets.token_bytes(_RANDOM_BYTES))
        return Flow(_Said(number, provider, return_to, now_ms + FLOW_MS), self._key, self._prefix)

    def find(self, state: str, *, provider: str, cookies: Mapping[str, str], now_ms: int) -> Flow | None:
        """Return the sign-in that this browser began at this provider with this state; None where there is none."""
        if len(state) != _STATE_LENGTH:
            return None
        flow = self._read(cookies.get(_cookie_name(self._prefix, state), ""))
        if flow is None or flow.provider != provider or flow.expires_at_ms <= now_ms:
            return None
        return flow if hmac.compare_digest(flow.state.encode(), state.encode()) else None

    def _read(self, cookie: str) -> Flow | None:
        said, _, signature = cookie.partition(".")
        if len(cookie) > _COOKIE_LENGTH_MAX:
            return None
        if not hmac.compare_digest(_signature(self._key, said).encode(), signature.encode()):
            return None
        # Ours from here on: nobody else could have signed it.
        raw = from_base64url(said)
        assert raw is not None
        return Flow(msgspec.json.decode(raw, type=_Said), self._key, self._prefix)


def seconds_left(flow: Flow, *, now_ms: int) -> int:
    """Return for how long the cookie is good."""
    return max(0, flow.expires_at_ms - now_ms) // SECOND_MS


def _cookie_name(prefix: str, state: str) -> str:
    return f"{prefix}oauth_{state[:_NAMED_BY]}"


def _signature(key: bytes, said: str) -> str:
    return base64url(_mac(key, b"cookie:" + said.encode()))


def _mac(key: bytes, what: bytes) -> bytes:
    return hmac.digest(key, what, hashlib.sha256)
