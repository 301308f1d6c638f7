"""A pending sign-in: started here, confirmed at the provider, finished here within 10 minutes.

It is stored only in a cookie with a random number, signed by a key that all servers of one database share; state, nonce
and PKCE's verifier are derived from that number. So any server can finish a sign-in, a restart loses none, and the
provider's response is useless without this browser's cookie. `store.spend_state` makes a state single use.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from functools import cached_property

import msgspec

from foreknow.kernel.access.cookies import Cookies
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.text import base64url, from_base64url
from foreknow.people.users.admission import Admission

FLOW_MS = 10 * MINUTE_MS
#: Characters of the state in the cookie's name, so that two tabs that sign in at once have a cookie each.
_NAME_LENGTH = 12
_STATE_LENGTH = 43
#: Browsers accept a cookie with this prefix from this host only, not from its subdomains (RFC 6265bis, 4.1.3.2).
_HOST_PREFIX = "__Host-"
_COOKIE_LENGTH_MAX = 4096
_RANDOM_BYTES = 32


class _Payload(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The contents of the cookie."""

    nonce: str
    provider: str
    return_to: str
    expires_at_ms: int
    #: For a new account; a release before these reads a cookie without them.
    invitation: str | None = None
    terms: str | None = None


@dataclass(frozen=True)
class Flow:
    """One pending sign-in."""

    payload: _Payload
    key: bytes
    #: Prefix of its cookie's name.
    prefix: str = ""

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self.payload.provider

    @property
    def return_to(self) -> str:
        """The path to return to after the sign-in."""
        return self.payload.return_to

    @property
    def expires_at_ms(self) -> int:
        """When it expires, in Unix milliseconds."""
        return self.payload.expires_at_ms

    @property
    def admission(self) -> Admission:
        """What a new account brings."""
        return Admission(self.payload.invitation, self.payload.terms)

    @cached_property
    def state(self) -> str:
        """The `state` expected in the provider's response (RFC 6749, 10.12)."""
        return self._derived(b"state")

    @cached_property
    def nonce(self) -> str:
        """The `nonce` expected in the ID token (OpenID Connect Core, 3.1.2.1)."""
        return self._derived(b"nonce")

    @cached_property
    def verifier(self) -> str:
        """PKCE's `code_verifier`, sent with the code; the authorization request had only its hash (RFC 7636)."""
        return self._derived(b"verifier")

    @property
    def cookie_name(self) -> str:
        """The name of this sign-in's cookie."""
        return _cookie_name(self.prefix, self.state)

    @property
    def cookie_value(self) -> str:
        """The signed cookie."""
        fields = list(msgspec.structs.astuple(self.payload))
        while fields[-1] is None:
            del fields[-1]
        payload = base64url(msgspec.json.encode(fields))
        return f"{payload}.{_signature(self.key, payload)}"

    def _derived(self, use: bytes) -> str:
        return base64url(_mac(self.key, use + b":" + self.payload.nonce.encode()))


class Flows:
    """Starts sign-ins and reads them from their cookies."""

    def __init__(self, key: bytes, *accepted: bytes, secure_cookies: bool) -> None:
        """Sign with `key`; verify with it and those `accepted`. Secure cookies get the `__Host-` prefix."""
        self._keys = (key, *accepted)
        self._prefix = _HOST_PREFIX if secure_cookies else ""

    def begin(self, *, provider: str, return_to: str, admission: Admission, now_ms: int) -> Flow:
        """Start a sign-in that must be finished within `FLOW_MS`."""
        nonce = base64url(secrets.token_bytes(_RANDOM_BYTES))
        payload = _Payload(nonce, provider, return_to, now_ms + FLOW_MS, admission.invitation, admission.terms)
        return Flow(payload, self._keys[0], self._prefix)

    def find(self, state: str, *, provider: str, cookies: Cookies, now_ms: int) -> Flow | None:
        """Return this browser's pending sign-in at this provider with this state; None without one."""
        if len(state) != _STATE_LENGTH:
            return None
        for value in cookies.get(_cookie_name(self._prefix, state), ()):
            flow = self._read(value)
            is_usable = flow is not None and flow.provider == provider and flow.expires_at_ms > now_ms
            if flow is not None and is_usable and hmac.compare_digest(flow.state.encode(), state.encode()):
                return flow
        return None

    def _read(self, cookie: str) -> Flow | None:
        payload, _, signature = cookie.partition(".")
        if len(cookie) > _COOKIE_LENGTH_MAX:
            return None
        signed = [
            key for key in self._keys if hmac.compare_digest(_signature(key, payload).encode(), signature.encode())
        ]
        if not signed:
            return None
        # Signed by us, so the contents are well-formed.
        raw = from_base64url(payload)
        assert raw is not None
        return Flow(msgspec.json.decode(raw, type=_Payload), signed[0], self._prefix)


def seconds_left(flow: Flow, *, now_ms: int) -> int:
    """Return the remaining lifetime of the cookie."""
    return max(0, flow.expires_at_ms - now_ms) // SECOND_MS


def _cookie_name(prefix: str, state: str) -> str:
    return f"{prefix}oauth_{state[:_NAME_LENGTH]}"


def _signature(key: bytes, payload: str) -> str:
    return base64url(_mac(key, b"cookie:" + payload.encode()))


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, hashlib.sha256)
