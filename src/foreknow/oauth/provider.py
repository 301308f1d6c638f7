"""A provider: where it is asked (discovery), under which keys it signs, and whom it vouches for.

OpenID Connect Core 1.0 and Discovery 1.0; signatures and claims are checked by joserfc and Authlib.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote_plus, urlsplit

import msgspec
import structlog
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core.claims import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from foreknow.kernel.clock import SECOND_MS, Clock
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import nfc
from foreknow.oauth.errors import ProviderUnavailable, SignInRefused, UnknownSignIn
from foreknow.oauth.flows import Flow
from foreknow.oauth.http import Kept, OidcClient, Reply
from foreknow.settings import OidcProvider
from foreknow.users.profiles import read_email
from foreknow.users.schemas import NAME_LENGTH_MAX

log = structlog.get_logger("foreknow.oauth")

T = TypeVar("T")
#: Public keys only: whoever knows a provider's public keys must not be able to sign with them, or with the secret.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
#: How far a provider's clock may be off.
LEEWAY_S = 60
#: Discovery and keys are read again after an hour; keys also as soon as a token is signed with an unknown one.
KEPT_S = 3600
SUBJECT_LENGTH_MAX = 255
#: How people are called whose provider tells no name.
NAMELESS = "Trader"
_ERROR_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)


class _Headers(JWSRegistry):
    # Some providers put a whole chain of certificates there.
    max_header_length = 8192


_HEADERS = _Headers(algorithms=ALGORITHMS, strict_check_header=False)


class Metadata(msgspec.Struct, frozen=True):
    """What a provider tells of itself, as far as it matters here (Discovery 1.0, section 3; RFC 9207)."""

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


class _Claims(msgspec.Struct, frozen=True):
    """Types of the claims that are checked, so that the check meets no others."""

    iss: str
    sub: str
    aud: str | list[str]
    exp: float
    iat: float
    nonce: str
    azp: str | None = None
    at_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedIdentity:
    """Whom a provider vouches for. `email` is None unless the provider says that it is verified."""

    issuer: str
    subject: str
    email: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationResponse:
    """What a browser brought back from a provider, beside the state."""

    code: str | None
    error: str | None
    issuer: str | None


class Provider:
    """One provider of the settings."""

    def __init__(
        self,
        settings: OidcProvider,
        wire: OidcClient,
        clock: Clock,
        *,
        redirect_uri: str,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """`redirect_uri` is the address of our callback as the provider knows it."""
        self._settings = settings
        self._wire = wire
        self._clock = clock
        self._redirect_uri = redirect_uri
        self._metadata = Kept(self._discover, for_s=KEPT_S, timer=timer)
        self._keys = Kept(self._fetch_keys, for_s=KEPT_S, timer=timer)

    async def authorization_url(self, flow: Flow) -> str:
        """Return where the browser is sent; `ProviderUnavailable`."""
        metadata = await self._metadata.get()
        return str(
            prepare_grant_uri(
                metadata.authorization_endpoint,
                self._settings.client_id,
                "code",
                redirect_uri=self._redirect_uri,
                scope=self._settings.scopes,
                state=flow.state,
                nonce=flow.nonce,
                code_challenge=create_s256_code_challenge(flow.verifier),  # type: ignore[no-untyped-call] # its stub lacks it
                code_challenge_method="S256",
            )
        )

    async def vouch(self, returned: AuthorizationResponse, flow: Flow) -> VerifiedIdentity:
        """Exchange the code for whom it stands for; `UnknownSignIn`, `SignInRefused`, `ProviderUnavailable`."""
        metadata = await self._metadata.get()
        required = metadata.authorization_response_iss_parameter_supported
        if returned.issuer != metadata.issuer and (required or returned.issuer is not None):
            # Another provider's answer, brought here (RFC 9207).
            raise UnknownSignIn
        if returned.error is not None:
            raise SignInRefused(f"The provider did not sign you in{_spelled(returned.error)}.")
        if not returned.code:
            raise BadRequest("The provider's answer holds neither a code nor an error: begin again.")
        tokens = await self._exchange(returned.code, flow, metadata)
        claims = await self._verify(tokens, flow)
        if "email" not in claims and metadata.userinfo_endpoint and tokens.access_token:
            claims = await self._user_info(metadata.userinfo_endpoint, tokens.access_token, claims["sub"]) | claims
        return VerifiedIdentity(
            issuer=claims["iss"], subject=claims["sub"], email=_verified_email(claims), name=_name(claims)
        )

    async def _discover(self) -> Metadata:
        url = self._settings.issuer.removesuffix("/") + "/.well-known/openid-configuration"
        metadata = self._expected(await self._wire.ask("GET", url), Metadata, "discovery")
        endpoints = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]
        if metadata.userinfo_endpoint:
            endpoints.append(metadata.userinfo_endpoint)
        if metadata.issuer != self._settings.issuer or not all(map(self._is_usable, endpoints)):
            log.warning("provider is not the one of the settings", issuer=self._settings.issuer)
            raise ProviderUnavailable
        return metadata

    async def _fetch_keys(self) -> KeySet:
        metadata = await self._metadata.get()
        found = self._expected(await self._wire.ask("GET", metadata.jwks_uri), dict[str, Any], "keys")
        try:
            return KeySet.import_key_set(found)  # type: ignore[arg-type] # it finds out itself whether it is one
        except (JoseError, KeyError, TypeError, ValueError, AttributeError) as failure:
            log.warning("provider's keys are unusable", issuer=self._settings.issuer)
            raise ProviderUnavailable from failure

    async def _exchange(self, code: str, flow: Flow, metadata: Metadata) -> _Tokens:
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
        reply = await self._wire.ask("POST", metadata.token_endpoint, form=form, auth=auth)
        if reply.status == 400 and _error(reply) == "invalid_grant":
            raise SignInRefused
        return self._expected(reply, _Tokens, "exchange")

    async def _verify(self, tokens: _Tokens, flow: Flow) -> dict[str, Any]:
        try:
            try:
                token = jwt.decode(tokens.id_token, await self._keys.get(), ALGORITHMS, _HEADERS)
            except (InvalidKeyIdError, BadSignatureError):
                # Keys change; the provider signs with new ones as soon as it shows them.
                token = jwt.decode(tokens.id_token, await self._keys.fetched(), ALGORITHMS, _HEADERS)
            self._check(token, tokens.access_token, flow)
        except (JoseError, ValueError, TypeError, AttributeError, RecursionError, msgspec.ValidationError) as failure:
            # The message names a claim or a step, never a value.
            reason = failure.error if isinstance(failure, JoseError) else "malformed"
            log.warning("provider's ID token is refused", issuer=self._settings.issuer, reason=reason)
            raise SignInRefused from failure
        return token.claims

    def _check(self, token: jwt.Token, access_token: str | None, flow: Flow) -> None:
        claims = msgspec.convert(token.claims, _Claims)
        if not 1 <= len(claims.sub) <= SUBJECT_LENGTH_MAX or not (claims.sub.isascii() and claims.sub.isprintable()):
            raise ValueError("sub")
        CodeIDToken(
            token.claims,
            token.header,
            {
                "iss": {"essential": True, "value": self._settings.issuer},
                "aud": {"essential": True, "value": self._settings.client_id},
            },
            {"client_id": self._settings.client_id, "nonce": flow.nonce, "access_token": access_token},
        ).validate(now=self._clock() // SECOND_MS, leeway=LEEWAY_S)

    async def _user_info(self, url: str, access_token: str, subject: str) -> dict[str, Any]:
        reply = await self._wire.ask("GET", url, headers={"Authorization": f"Bearer {access_token}"})
        found = self._expected(reply, dict[str, Any], "userinfo")
        if found.get("sub") != subject:
            # Somebody else's (Core 1.0, 5.3.4).
            raise SignInRefused
        return found

    def _expected(self, reply: Reply, kind: type[T], step: str) -> T:
        if reply.status == 200:
            try:
                return msgspec.convert(reply.content, kind)
            except msgspec.ValidationError as failure:
                log.warning("provider answers with something else", issuer=self._settings.issuer, step=step)
                raise ProviderUnavailable from failure
        log.warning(
            "provider refuses", issuer=self._settings.issuer, step=step, status=reply.status, error=_error(reply)
        )
        raise ProviderUnavailable

    def _is_usable(self, url: str) -> bool:
        """Tell whether an endpoint is as safe as the issuer itself."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        safe = parts.scheme == "https" or (parts.scheme == "http" and self._settings.issuer.startswith("http:"))
        return safe and bool(parts.netloc) and url.isascii() and url.isprintable()


def _error(reply: Reply) -> str:
    error = reply.content.get("error") if isinstance(reply.content, dict) else None
    return error if isinstance(error, str) and _ERROR_CODE.fullmatch(error) else ""


def _spelled(error: str) -> str:
    return f" ({error})" if _ERROR_CODE.fullmatch(error) else ""


def _verified_email(claims: Mapping[str, Any]) -> str | None:
    email, verified = claims.get("email"), claims.get("email_verified")
    # Some providers write the boolean as a string. A number is neither.
    if not isinstance(email, str) or not (verified is True or verified == "true"):
        return None
    try:
        return read_email(email)
    except BadRequest:
        return None


def _name(claims: Mapping[str, Any]) -> str:
    """Return how to call somebody. An address is nobody's name: names are shown to all."""
    for claim in ("name", "preferred_username", "nickname", "given_name"):
        said = claims.get(claim)
        if isinstance(said, str):
            clean = "".join(one for one in nfc(said) if unicodedata.category(one) not in {"Cc", "Cs"})
            name = clean.strip()[:NAME_LENGTH_MAX].strip()
            if name and "@" not in name:
                return name
    return NAMELESS
