"""Access and refresh tokens: contents, issuing, verification. Whether a session is live is not checked here.

Both are signed with keys shared by all servers of one database, so that they stay valid after a restart and on every
server. The keys come from the database or from `FOREKNOW_TOKEN_SECRET`; only with the latter, a stolen copy of the
database does not allow forging tokens. While one secret replaces another, both are accepted
(`FOREKNOW_TOKEN_SECRET_FALLBACK`).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.settings import DATABASE_KEYS
from foreknow.kernel.text import base64url, from_base64url
from foreknow.kernel.validation.fields import natural_int, positive_int
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.db.transactions import WriteTx

ACCESS_TOKEN_MS = 20 * MINUTE_MS
#: Of every access token: what has another one is not ours, whatever algorithm it names.
_HEADER = base64url(b'{"alg":"HS256","typ":"JWT"}')
#: Names of the keys, in the order of `TokenKeys`.
_USES = ("access-tokens", "refresh-tokens", "oauth-cookies", "device-cookies", "mailed-links")
#: Limits what is parsed (ours have some 180 characters): a header of brackets would exhaust the parser.
_ACCESS_TOKEN_LENGTH_MAX = 512


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """The keys of access tokens, refresh tokens, cookies of sign-ins at a provider, device cookies and mailed links.

    Of each, the first key signs, and signatures of all are accepted.
    """

    access: tuple[bytes, ...]
    refresh: tuple[bytes, ...]
    oauth: tuple[bytes, ...]
    devices: tuple[bytes, ...]
    links: tuple[bytes, ...]

    @classmethod
    def shared(cls, tx: WriteTx, token_secret: str = "", fallback: str = "") -> TokenKeys:
        """Return the keys stored in the database, or those derived from `token_secret` if set.

        Keys derived from `fallback` are accepted, too, if it is set; `DATABASE_KEYS`: those stored in the database.
        """
        secrets = [token_secret or DATABASE_KEYS, *([fallback] if fallback else [])]
        return cls(*(tuple(_key(tx, secret, use) for secret in secrets) for use in _USES))


class Claims(msgspec.Struct, frozen=True, omit_defaults=True):
    """The claims of an access token; times in Unix seconds. Roles are not included: they come from the database."""

    sub: Annotated[str, msgspec.Meta(pattern="^[1-9][0-9]{0,18}$")]
    sid: int
    gen: int
    iat: int
    exp: int
    #: Ours have none.
    nbf: int = 0


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token with its lifetime in seconds and its expiry in Unix seconds."""

    text: str
    expires_in_s: int
    expires_at_s: int


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The session of a correctly signed access token, and when it is good, which may be past or ahead."""

    user_id: int
    session_id: int
    expires_at_ms: int
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class RefreshClaim:
    """The contents of a refresh token; `generation` 0 is the one of the sign-in.

    `session_created_at_ms` distinguishes sessions with the same id, before and after the database was restored.
    """

    session_id: int
    generation: int
    session_created_at_ms: int


class AccessTokens:
    """Issues and verifies access tokens (JWT)."""

    def __init__(self, key: bytes, *accepted: bytes) -> None:
        """Sign with `key`; verify with it and those `accepted`."""
        self._keys = (key, *accepted)

    def issue(self, refresh: RefreshClaim, *, user_id: int, session_ends_at_ms: int, now_ms: int) -> AccessToken:
        """Return the token that goes with a refresh token: valid for 20 minutes, at most until its session ends.

        The expiry is rounded down to a second. The generation makes tokens issued within one second differ.
        """
        issued_at_s = now_ms // SECOND_MS
        expires_at_s = min(now_ms + ACCESS_TOKEN_MS, session_ends_at_ms) // SECOND_MS
        claims = Claims(str(user_id), refresh.session_id, refresh.generation, issued_at_s, expires_at_s)
        return AccessToken(
            _jwt(base64url(msgspec.json.encode(claims)), self._keys[0]), expires_at_s - issued_at_s, expires_at_s
        )

    def read(self, token: str) -> VerifiedToken | None:
        """Verify a token; None for any that is not ours."""
        if len(token) > _ACCESS_TOKEN_LENGTH_MAX or token.count(".") != 2:
            return None
        payload = token.split(".")[1]
        if not any(hmac.compare_digest(_jwt(payload, key).encode(), token.encode()) for key in self._keys):
            return None
        raw = from_base64url(payload)
        try:
            claims = msgspec.json.decode(raw or b"", type=Claims)
        except msgspec.DecodeError:
            return None
        return VerifiedToken(int(claims.sub), claims.sid, claims.exp * SECOND_MS, claims.nbf * SECOND_MS)


class RefreshTokens:
    """Issues and verifies refresh tokens.

    They are derived from the session and its generation, not stored: browser tabs that refresh at the same time get the
    same successor, and a token replaced long ago is still recognised.
    """

    def __init__(self, key: bytes, *accepted: bytes) -> None:
        """Sign with `key`; verify with it and those `accepted`."""
        self._keys = (key, *accepted)

    def issue(self, claim: RefreshClaim) -> str:
        """Return the token of this generation of a session."""
        return _signed(claim, self._keys[0])

    def read(self, token: str) -> RefreshClaim | None:
        """Verify a token; None for any that is not ours."""
        parts = token.split(".")
        if len(parts) != 4:
            return None
        session_id, generation, created_at_ms = positive_int(parts[0]), natural_int(parts[1]), natural_int(parts[2])
        if session_id is None or generation is None or created_at_ms is None:
            return None
        claim = RefreshClaim(session_id, generation, created_at_ms)
        found = any(hmac.compare_digest(_signed(claim, key).encode(), token.encode()) for key in self._keys)
        return claim if found else None

    def read_newest(self, tokens: Sequence[str]) -> list[RefreshClaim]:
        """Verify tokens; of each session the newest counts: an older one beside it was not stolen."""
        newest: dict[int, RefreshClaim] = {}
        for claim in filter(None, map(self.read, tokens)):
            known = newest.setdefault(claim.session_id, claim)
            if claim.generation > known.generation:
                newest[claim.session_id] = claim
        return list(newest.values())


def _key(tx: WriteTx, secret: str, use: str) -> bytes:
    return shared_secret(tx, use) if secret == DATABASE_KEYS else _derived(secret.encode(), use.encode())


def _jwt(payload: str, key: bytes) -> str:
    """Return the access token of an encoded payload (RFC 7515, section 7.1, with RFC 7519's claims)."""
    signed = f"{_HEADER}.{payload}"
    return f"{signed}.{base64url(_derived(key, signed.encode()))}"


def _signed(claim: RefreshClaim, key: bytes) -> str:
    payload = f"{claim.session_id}.{claim.generation}.{claim.session_created_at_ms}"
    return f"{payload}.{base64url(_derived(key, payload.encode()))}"


def _derived(key: bytes, what: bytes) -> bytes:
    return hmac.digest(key, what, hashlib.sha256)
