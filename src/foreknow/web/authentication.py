"""The first step of a request: who calls."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from foreknow.kernel.access.api_keys import USER_KEY
from foreknow.kernel.access.cookies import ACCESS_COOKIE
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError, InvalidPartnerKey
from foreknow.web.endpoint import Endpoint
from foreknow.web.exchange import Exchange

# Finding a member of an enumeration costs each request more than comparing it.
_PARTNER = AuthLevel.PARTNER


class Authentication:
    """Who calls, by a partner key, a header or a cookie. 401 is raised by the next step: failures count as requests."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Wherever credentials are looked at."""
        return endpoint.level is not AuthLevel.NONE

    def errors(self, endpoint: Endpoint) -> Sequence[type[DomainError]]:
        """401."""
        return (InvalidPartnerKey,) if endpoint.level is AuthLevel.PARTNER else (endpoint.unauthorized,)

    def run(self, exchange: Exchange) -> Awaitable[None] | None:
        """Find the caller: in memory, or else in the database."""
        is_partner = exchange.endpoint.level is _PARTNER
        try:
            credential = _partner_key(exchange) if is_partner else _user_token(exchange)
        except DomainError as refused:
            # Raised again by the rate limit, once the request is counted.
            exchange.authentication_error = refused
            return None
        if credential is None:
            return None
        authenticator = exchange.services.authenticator
        known = authenticator.known_partner(credential) if is_partner else authenticator.known_user(credential)
        if known is None:
            return self._look_up(exchange, credential)
        exchange.caller = exchange.record.caller = known
        return None

    async def _look_up(self, exchange: Exchange, credential: str) -> None:
        endpoint, authenticator = exchange.endpoint, exchange.services.authenticator
        try:
            if endpoint.level is AuthLevel.PARTNER:
                exchange.caller = await authenticator.partner(credential)
            else:
                exchange.caller = await authenticator.user(credential)
        except Exception as error:  # noqa: BLE001 - raised again by the rate limit, once the request is counted
            exchange.authentication_error = error
            return
        if exchange.caller is None:
            exchange.authentication_error = _unauthorized(endpoint)
        exchange.record.caller = exchange.caller


def _partner_key(exchange: Exchange) -> str:
    key = exchange.headers.get(b"x-partner-key")
    if not key:
        raise InvalidPartnerKey
    return key.decode("latin-1")


def _user_token(exchange: Exchange) -> str | None:
    """Return the token of a header or cookie; None where there is none and need be none."""
    endpoint = exchange.endpoint
    header = exchange.headers.get(b"authorization")
    if header is not None:
        scheme, _, token = header.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            raise endpoint.unauthorized
        return token.strip()
    cookie = exchange.cookies.get(ACCESS_COOKIE)
    if cookie is None:
        if endpoint.level is AuthLevel.OPTIONAL:
            return None
        raise endpoint.unauthorized
    token = cookie.strip()
    if USER_KEY.fits(token):
        # A key is for programs, which send a header: as a cookie it would ride on every page's requests.
        raise endpoint.unauthorized
    exchange.by_cookie = True
    return token


def _unauthorized(endpoint: Endpoint) -> DomainError:
    return InvalidPartnerKey() if endpoint.level is AuthLevel.PARTNER else endpoint.unauthorized()
