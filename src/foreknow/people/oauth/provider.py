"""A provider: discovery, signing keys, and the identities it verifies.

OpenID Connect Core 1.0 and Discovery 1.0; signatures are checked by joserfc, claims in `id_token`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote_plus, urlencode, urlsplit

import msgspec
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import Key, KeySet
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry, Token

from foreknow.kernel.cache import ExpiringValue
from foreknow.kernel.clock import SECOND_MS, Clock
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.provider_settings import OidcProvider
from foreknow.kernel.text import base64url, is_seen, nfc, without_overrides
from foreknow.people.oauth.errors import ProviderUnavailable, SignInRefused, UnknownSignIn
from foreknow.people.oauth.flows import Flow
from foreknow.people.oauth.http import OidcClient, Reply
from foreknow.people.users.profiles import is_reserved, read_email
from foreknow.people.users.schemas import NAME_LENGTH_MAX

log = structlog.get_logger("foreknow.oauth")

T = TypeVar("T")
#: Asymmetric only: with HMAC, a provider's public key or the client secret could sign tokens.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
#: Lifetime of cached discovery and keys; keys are also fetched again for a token signed with an unknown one.
CACHE_S = 3600
#: Name of people whose provider returns none.
DEFAULT_NAME = "Trader"
#: Claims of which userinfo is asked where the token lacks one.
_WANTED = ("email", "email_verified", "name")
#: Hosts of Microsoft Entra's clouds, whose tokens have a claim of their own in place of `email_verified`.
ENTRA_HOSTS = frozenset({"login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"})
_ERROR_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)


class _Headers(JWSRegistry):
    # Some providers send a whole chain of certificates.
    max_header_length = 8192


_HEADERS = _Headers(algorithms=ALGORITHMS, strict_check_header=False)


class ProviderMetadata(msgspec.Struct, frozen=True):
    """The parts of a provider's metadata used here (Discovery 1.0, section 3; RFC 9207)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] | None = None
    authorization_response_iss_parameter_supported: bool | None = None


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedIdentity:
    """An identity verified by a provider. `email` is None unless the provider has verified it."""

    issuer: str
    subject: str
    email: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationResponse:
    """The provider's response as brought by the browser, without the state."""

    code: str | None
    error: str | None
    issuer: str | None


class OpenIDProvider:
    """One provider of the settings."""

    def __init__(
        self,
        settings: OidcProvider,
        client: OidcClient,
        clock: Clock,
        *,
        redirect_uri: str,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`redirect_uri` is the URL of our callback, as registered at the provider."""
        self._settings = settings
        self._client = client
        self._clock = clock
        self._redirect_uri = redirect_uri
        self._metadata = ExpiringValue("oauth-metadata", self._discover, for_s=CACHE_S, timer=timer)
        self._keys = ExpiringValue("oauth-keys", self._fetch_keys, for_s=CACHE_S, timer=timer)

    async def authorization_url(self, flow: Flow) -> str:
        """Return the URL to redirect the browser to; `ProviderUnavailable`."""
        metadata = await self._metadata.get()
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._settings.scopes,
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": base64url(hashlib.sha256(flow.verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
        # It may have a query of its own, which stays (RFC 6749, 3.1).
        parts = urlsplit(metadata.authorization_endpoint)
        return parts._replace(query="&".join(filter(None, (parts.query, urlencode(query))))).geturl()

    async def verify_identity(self, response: AuthorizationResponse, flow: Flow) -> VerifiedIdentity:
        """Exchange the code for an identity; `UnknownSignIn`, `SignInRefused`, `ProviderUnavailable`."""
        metadata = await self._metadata.get()
        required = metadata.authorization_response_iss_parameter_supported
        if response.issuer != metadata.issuer and (required or response.issuer is not None):
            # Another provider's response: a mix-up attack (RFC 9207).
            raise UnknownSignIn
        if response.error is not None:
            raise SignInRefused(f"The provider did not sign you in{_in_brackets(response.error)}.")
        if not response.code:
            raise BadRequest("The provider's answer holds neither a code nor an error: begin again.")
        tokens = await self._exchange(response.code, flow, metadata)
        claims = _with_verified(await self._verify(tokens, flow))
        if metadata.userinfo_endpoint and tokens.access_token and any(claims.get(name) is None for name in _WANTED):
            info = await self._user_info(metadata.userinfo_endpoint, tokens.access_token, claims["sub"])
            claims = _merged(claims, info)
        return VerifiedIdentity(
            issuer=claims["iss"], subject=claims["sub"], email=_verified_email(claims), name=_name(claims)
        )

    async def _discover(self) -> ProviderMetadata:
        url = self._settings.issuer.removesuffix("/") + "/.well-known/openid-configuration"
        metadata = self._parse(await self._client.request("GET", url), ProviderMetadata, "discovery")
        endpoints = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]
        if metadata.userinfo_endpoint:
            endpoints.append(metadata.userinfo_endpoint)
        if metadata.issuer != self._settings.issuer or not all(map(self._is_usable, endpoints)):
            log.warning("provider metadata does not match the settings", issuer=self._settings.issuer)
            raise ProviderUnavailable
        return metadata

    async def _fetch_keys(self) -> KeySet:
        metadata = await self._metadata.get()
        keys = self._parse(await self._client.request("GET", metadata.jwks_uri), dict[str, Any], "keys")
        listed = keys.get("keys")
        found = map(_key, listed if isinstance(listed, list) else ())
        readable = [key for key in found if key is not None]
        if not readable:
            log.warning("provider keys are unusable", issuer=self._settings.issuer)
            raise ProviderUnavailable
        return KeySet(readable)

    async def _exchange(self, code: str, flow: Flow, metadata: ProviderMetadata) -> _Tokens:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": flow.verifier,
        }
        auth = None
        client_id, secret = self._settings.client_id, self._settings.client_secret.get_secret_value()
        methods = metadata.token_endpoint_auth_methods_supported or ("client_secret_basic",)
        if not secret:
            form["client_id"] = client_id
        elif "client_secret_basic" in methods or "client_secret_post" not in methods:
            # Encoded before they are joined with a colon (RFC 6749, 2.3.1).
            auth = (quote_plus(client_id), quote_plus(secret))
        else:
            form |= {"client_id": client_id, "client_secret": secret}
        response = await self._client.request("POST", metadata.token_endpoint, form=form, auth=auth)
        if response.status == 400 and _error(response) == "invalid_grant":
            raise SignInRefused
        return self._parse(response, _Tokens, "exchange")

    async def _verify(self, tokens: _Tokens, flow: Flow) -> dict[str, Any]:
        try:
            try:
                token = jwt.decode(tokens.id_token, await self._keys.get(), ALGORITHMS, _HEADERS)
            except (InvalidKeyIdError, BadSignatureError):
                # Keys change; the provider signs with new ones as soon as it shows them.
                token = jwt.decode(tokens.id_token, await self._keys.refresh(), ALGORITHMS, _HEADERS)
            check_claims(
                token,
                issuer=self._settings.issuer,
                client_id=self._settings.client_id,
                nonce=flow.nonce,
                access_token=tokens.access_token,
                now_s=self._clock() // SECOND_MS,
            )
        except (JoseError, ValueError, TypeError, AttributeError, RecursionError, msgspec.ValidationError) as failure:
            # The message names a claim or a step, never a value.
            reason = failure.error if isinstance(failure, JoseError) else "malformed"
            log.warning("provider ID token rejected", issuer=self._settings.issuer, reason=reason)
            raise SignInRefused from failure
        return token.claims

    async def _user_info(self, url: str, access_token: str, subject: str) -> dict[str, Any]:
        response = await self._client.request("GET", url, headers={"Authorization": f"Bearer {access_token}"})
        claims = self._parse(response, dict[str, Any], "userinfo")
        if claims.get("sub") != subject:
            # Another user's claims (Core 1.0, 5.3.4).
            raise SignInRefused
        return claims

    def _parse(self, response: Reply, kind: type[T], step: str) -> T:
        if response.status == 200:
            try:
                return msgspec.convert(response.content, kind)
            except msgspec.ValidationError as failure:
                log.warning("provider response is malformed", issuer=self._settings.issuer, step=step)
                raise ProviderUnavailable from failure
        log.warning(
            "provider returned an error",
            issuer=self._settings.issuer,
            step=step,
            status=response.status,
            error=_error(response),
        )
        raise ProviderUnavailable

    def _is_usable(self, url: str) -> bool:
        """Return whether an endpoint uses https, or http like its issuer."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        safe = parts.scheme == "https" or (parts.scheme == "http" and self._settings.issuer.startswith("http:"))
        return safe and bool(parts.netloc) and url.isascii() and url.isprintable()


def _key(listed: Any) -> Key | None:
    """Return a key of a set; None for one that cannot be read, of another curve, say (RFC 7517, section 5)."""
    try:
        return KeySet.import_key_set({"keys": [listed]}).keys[0]
    except (JoseError, KeyError, TypeError, ValueError, AttributeError, UnsupportedAlgorithm):
        return None


def _with_verified(claims: dict[str, Any]) -> dict[str, Any]:
    """Return the claims of a token; of Entra with `email_verified`, where its optional `xms_edov` says so or not.

    That is whether the owner of the address's domain has verified it, in this tenant, or at Microsoft or Google.
    """
    owner_verified = claims.get("xms_edov")
    if owner_verified is None or claims.get("email_verified") is not None:
        return claims
    if urlsplit(claims["iss"]).hostname not in ENTRA_HOSTS:
        return claims
    return {**claims, "email_verified": owner_verified in (True, "1", "true")}


def _merged(claims: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims of a token with what its userinfo adds.

    Either says whether its own address is verified, and nothing of another; a no of one stands.
    """
    own = {name: value for name, value in claims.items() if value is not None}
    merged = {**info, **own}
    email, verified = own.get("email"), own.get("email_verified")
    if email is None:
        merged["email_verified"] = info.get("email_verified") if verified is None or _is_true(verified) else False
    elif verified is None and info.get("email") != email:
        merged.pop("email_verified", None)
    return merged


def _error(response: Reply) -> str:
    error = response.content.get("error") if isinstance(response.content, dict) else None
    return error if isinstance(error, str) and _ERROR_CODE.fullmatch(error) else ""


def _in_brackets(error: str) -> str:
    return f" ({error})" if _ERROR_CODE.fullmatch(error) else ""


def _verified_email(claims: Mapping[str, Any]) -> str | None:
    email, verified = claims.get("email"), claims.get("email_verified")
    if not isinstance(email, str) or not _is_true(verified):
        return None
    try:
        return read_email(email)
    except BadRequest:
        return None


def _is_true(verified: Any) -> bool:
    """Return whether a claim is true. Some providers send the boolean as a string; a number is invalid."""
    return verified is True or verified == "true"


def _name(claims: Mapping[str, Any]) -> str:
    """Return a display name, never an e-mail address: names are public."""
    for claim in ("name", "preferred_username", "nickname", "given_name"):
        value = claims.get(claim)
        if isinstance(value, str):
            clean = "".join(char for char in nfc(value) if unicodedata.category(char) not in {"Cc", "Cs"})
            name = without_overrides(clean).strip()[:NAME_LENGTH_MAX].strip()
            if is_seen(name) and "@" not in name and not is_reserved(name):
                return name
    return DEFAULT_NAME


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
