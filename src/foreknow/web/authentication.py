"""The first step of a request: who calls."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from foreknow.kernel.access.cookies import ACCESS_COOKIE
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError, InvalidPartnerKey
from foreknow.web.cookies import access_tokens, first_caller
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
            credentials = _partner_key(exchange) if is_partner else _user_tokens(exchange)
        except DomainError as refused:
            # Raised again by the rate limit, once the request is counted.
            exchange.authentication_error = refused
            return None
        if not credentials:
            return None
        authenticator = exchange.services.authenticator
        first = credentials[0]
        known = authenticator.known_partner(first) if is_partner else authenticator.known_user(first)
        if known is None:
            return self._look_up(exchange, credentials)
        exchange.caller = exchange.record.caller = known
        return None

    async def _look_up(self, exchange: Exchange, credentials: Sequence[str]) -> None:
        endpoint, authenticator = exchange.endpoint, exchange.services.authenticator
        try:
            if endpoint.level is AuthLevel.PARTNER:
                exchange.caller = await authenticator.partner(credentials[0])
            else:
                exchange.caller = await first_caller(credentials, authenticator)
        except Exception as error:  # noqa: BLE001 - raised again by the rate limit, once the request is counted
            exchange.authentication_error = error
            return
        if exchange.caller is None:
            exchange.authentication_error = _unauthorized(endpoint)
        exchange.record.caller = exchange.caller


def _partner_key(exchange: Exchange) -> Sequence[str]:
    key = exchange.headers.get(b"x-partner-key")
    if not key:
        raise InvalidPartnerKey
    return (key.decode("latin-1"),)


def _user_tokens(exchange: Exchange) -> Sequence[str]:
    """Return the token of a header, or those of cookies; none where there is none and need be none."""
    endpoint = exchange.endpoint
    header = exchange.headers.get(b"authorization")
    if header is not None:
        scheme, _, token = header.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            raise endpoint.unauthorized
        return (token.strip(),)
    if ACCESS_COOKIE not in exchange.cookies and endpoint.level is AuthLevel.OPTIONAL:
        return ()
    tokens = access_tokens(exchange.cookies)
    if not tokens:
        raise endpoint.unauthorized
    exchange.by_cookie = True
    return tokens


def _unauthorized(endpoint: Endpoint) -> DomainError:
    return InvalidPartnerKey() if endpoint.level is AuthLevel.PARTNER else endpoint.unauthorized()
