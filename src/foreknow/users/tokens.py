"""Access and refresh tokens: what they hold, how they are made and read. Nothing here knows whether a session lives.

Both are signed with keys that all servers of one database share, so that they survive a restart and are good
everywhere. The keys come from the database, or from `FOREKNOW_TOKEN_SECRET`; only with that set is a stolen copy of
the database of no use to whoever wants to forge tokens.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated, Any

import jwt
import msgspec

from foreknow.db.secrets import shared_secret
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.text import base64url, from_base64url
from foreknow.validation.fields import natural_int, positive_int

ACCESS_TOKEN_MS = 20 * MINUTE_MS
_ALGORITHM = "HS256"
#: What keys are for, in the order of `TokenKeys`.
_USES = ("access-tokens", "refresh-tokens", "oauth-cookies", "device-cookies")
#: Ours have some 180 characters. Longer ones are not looked at: a header of brackets alone would exhaust the parser.
_ACCESS_TOKEN_LENGTH_MAX = 512


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """The keys under which tokens are signed, cookies of sign-ins under way at a provider, and browsers' cookies."""

    access: bytes
    refresh: bytes
    oauth: bytes
    devices: bytes

    @classmethod
    def shared(cls, tx: WriteTx, token_secret: str = "") -> TokenKeys:
        """Return the keys of this database's servers, or those that follow from `token_secret` where one is set."""
        if token_secret:
            return cls(*(_derived(token_secret.encode(), use.encode()) for use in _USES))
        return cls(*(shared_secret(tx, use) for use in _USES))


class Claims(msgspec.Struct, frozen=True):
    """What an access token says; times in Unix seconds. Roles are not in it: they are the database's to tell."""

    sub: Annotated[str, msgspec.Meta(pattern="^[1-9][0-9]{0,18}$")]
    sid: int
    gen: int
    iat: int
    exp: int


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token with the whole seconds it lives, and its end in Unix seconds."""

    text: str
    expires_in_s: int
    expires_at_s: int


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """Whose session a well-signed access token belongs to, and when it ends; it may have ended."""

    user_id: int
    session_id: int
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class RefreshClaim:
    """Which refresh token of which session it is: number `generation`, 0 being the one of the sign-in.

    `session_created_at_ms` tells a session from another that got its id after the database was restored.
    """

    session_id: int
    generation: int
    session_created_at_ms: int


class AccessTokens:
    """Makes and reads the JWTs."""

    def __init__(self, key: bytes) -> None:
        """Sign with `key`."""
        self._key = key

    def issue(self, refresh: RefreshClaim, *, user_id: int, session_ends_at_ms: int, now_ms: int) -> AccessToken:
        """Make the token that goes with a refresh token: good for 20 minutes, never longer than its session.

        Its end is cut to a whole second. The generation makes it another one than before, also within a second.
        """
        issued_at_s = now_ms // SECOND_MS
        expires_at_s = min(now_ms + ACCESS_TOKEN_MS, session_ends_at_ms) // SECOND_MS
        claims = Claims(str(user_id), refresh.session_id, refresh.generation, issued_at_s, expires_at_s)
        return AccessToken(
            jwt.encode(msgspec.structs.asdict(claims), self._key, _ALGORITHM), expires_at_s - issued_at_s, expires_at_s
        )

    def read(self, token: str) -> VerifiedToken | None:
        """Return what one of our own tokens says; None for any other text."""
        if len(token) > _ACCESS_TOKEN_LENGTH_MAX or not _is_spelled_plainly(token):
            return None
        try:
            # Time is our own clock's to tell.
            options: Any = {"verify_exp": False, "verify_iat": False}
            claims = msgspec.convert(jwt.decode(token, self._key, [_ALGORITHM], options), Claims)
        except (jwt.InvalidTokenError, msgspec.ValidationError):
            return None
        return VerifiedToken(int(claims.sub), claims.sid, claims.exp * SECOND_MS)


class RefreshTokens:
    """Makes and reads refresh tokens.

    They are derived from the session and its generation, not stored: tabs that refresh at the same moment all get the
    same successor, and a token that was replaced long ago is still known as one of ours.
    """

    def __init__(self, key: bytes) -> None:
        """Sign with `key`."""
        self._key = key

    def issue(self, claim: RefreshClaim) -> str:
        """Return the token of this generation of a session."""
        said = f"{claim.session_id}.{claim.generation}.{claim.session_created_at_ms}"
        return f"{said}.{base64url(_derived(self._key, said.encode()))}"

    def read(self, token: str) -> RefreshClaim | None:
        """Return what one of our own tokens says; None for any other text."""
        parts = token.split(".")
        if len(parts) != 4:
            return None
        session_id, generation, created_at_ms = positive_int(parts[0]), natural_int(parts[1]), natural_int(parts[2])
        if session_id is None or generation is None or created_at_ms is None:
            return None
        claim = RefreshClaim(session_id, generation, created_at_ms)
        return claim if hmac.compare_digest(self.issue(claim).encode(), token.encode()) else None


def _derived(key: bytes, what: bytes) -> bytes:
    return hmac.digest(key, what, hashlib.sha256)


def _is_spelled_plainly(token: str) -> bool:
    """Tell whether each part is base64url as we write it: JWT's decoder lets several spellings of one token through."""
    return all(from_base64url(part) is not None for part in token.split("."))
