"""What an ID token must claim (OpenID Connect Core 1.0, sections 3.1.3.6 to 3.1.3.8), once its signature is checked."""

from __future__ import annotations

import hashlib
import hmac

import msgspec
from joserfc.errors import InvalidClaimError
from joserfc.jwt import JWTClaimsRegistry, Token

from foreknow.kernel.text import base64url

SUBJECT_LENGTH_MAX = 255
#: Longest difference of a provider's clock.
LEEWAY_S = 60
#: The hash functions of signatures, by the end of their names, for `at_hash`.
_HASHES = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512}


class _Claims(msgspec.Struct, frozen=True):
    """Types of the claims that are checked."""

    iss: str
    sub: str
    aud: str | list[str]
    exp: float
    iat: float
    nonce: str
    azp: str | None = None
    at_hash: str | None = None


def check_claims(
    token: Token, *, issuer: str, client_id: str, nonce: str, access_token: str | None, now_s: int
) -> None:
    """Raise `JoseError`, `ValueError` or msgspec's `ValidationError` for a token that signs no one in here.

    `access_token` came with the token; `now_s` is the time in Unix seconds.
    """
    claims = msgspec.convert(token.claims, _Claims)
    if not 1 <= len(claims.sub) <= SUBJECT_LENGTH_MAX or not (claims.sub.isascii() and claims.sub.isprintable()):
        raise ValueError("sub")
    JWTClaimsRegistry(
        now=now_s,
        leeway=LEEWAY_S,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        nonce={"essential": True, "value": nonce},
    ).validate(token.claims)
    audiences = [claims.aud] if isinstance(claims.aud, str) else claims.aud
    # For several, it must say for whom it was issued.
    if (claims.azp or (None if len(audiences) > 1 else client_id)) != client_id:
        raise InvalidClaimError("azp")
    if claims.at_hash and access_token:
        _check_hash(claims.at_hash, access_token, str(token.header["alg"]))


def _check_hash(expected: str, access_token: str, algorithm: str) -> None:
    """Check that the access token belongs to the ID token. EdDSA's hash depends on its curve, and is not checked."""
    make = _HASHES.get(algorithm[-3:])
    if make is None:
        return
    digest = make(access_token.encode()).digest()
    if not hmac.compare_digest(base64url(digest[: len(digest) // 2]).encode(), expected.encode()):
        raise InvalidClaimError("at_hash")
