"""The steps that every request goes through, in the contract's order of checks (decisions.md, "Order of checks").

`STEPS` is the one place where that order stands: the pipeline runs those that apply to an endpoint, and the errors that
the API page lists are those that the same steps declare. Before them comes the route (404, 405); after them the
handler refuses rows (404), owner (403) and state (409).
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import NOT_CREATOR, AuthLevel, may
from foreknow.kernel.errors import (
    BadRequest,
    CrossSite,
    DomainError,
    EmailNotVerified,
    Forbidden,
    IdempotencyKeyReused,
    InvalidIdempotencyKey,
    PayloadTooLarge,
    RateLimited,
    TradingOff,
    UnsupportedMediaType,
)
from foreknow.kernel.validation.fields import to_type
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.web.authentication import Authentication
from foreknow.web.bodies import receive_all
from foreknow.web.decoding import flat_object, parse_json, parse_query
from foreknow.web.endpoint import UNLIMITED, Endpoint
from foreknow.web.exchange import NO_BODY, Exchange
from foreknow.web.handling import Handle, PacedHandle
from foreknow.web.origins import is_cross_site
from foreknow.web.responses import Response, private_headers

_JSON = b"application/json"
_SAFE_METHODS = {"GET", "HEAD"}
_ROLES = {AuthLevel.CREATOR, AuthLevel.STATS_VIEWER, AuthLevel.OPERATOR, AuthLevel.ADMIN}
#: Paths of what concerns the caller alone, the support chat among them.
_OWN_ACCOUNT = (
    "/users/me",
    "/notifications",
    "/auth/",
    "/chat/",
    "/market/positions",
    "/market/orders",
    "/market/baskets",
)
_canonical = msgspec.json.Encoder(order="sorted").encode

Errors = Sequence[type[DomainError]]


class Step(Protocol):
    """One check."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Whether the endpoint's requests go through this step."""
        ...

    def errors(self, endpoint: Endpoint) -> Errors:
        """Return the errors that the step may raise for an endpoint to which it applies."""
        ...

    def run(self, exchange: Exchange) -> Awaitable[None] | None:
        """Check the request; raise a `DomainError`, or note what was found in `exchange`.

        Where that has to wait, return what to await: it does the rest of the step, errors included.
        """
        ...


class RateLimit:
    """Counts the request by account, by partner or, where credentials are missing or wrong, by address."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Everywhere; requests of unlimited endpoints always pass."""
        return True

    def errors(self, endpoint: Endpoint) -> Errors:
        """429."""
        return () if endpoint.rate_limit_group == UNLIMITED else (RateLimited,)

    def run(self, exchange: Exchange) -> None:
        """Take a token, then raise what the credentials were refused with."""
        wait_s, exchange.record.extra = exchange.services.limits.take(
            exchange.endpoint.rate_limit_group, exchange.caller, exchange.client
        )
        if wait_s:
            raise RateLimited(retry_after_s=wait_s)
        if exchange.authentication_error is not None:
            raise exchange.pop_authentication_error()


class CrossSiteCheck:
    """Another site's page must not change anything by a cookie that the browser sends along, nor set one."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where a cookie may authorise a change; also reads with an auth cookie of their own: an invalid one is 401."""
        if endpoint.auth_cookie is not None or endpoint.method in _SAFE_METHODS:
            return endpoint.auth_cookie is not None
        return endpoint.gives_cookie or endpoint.level not in {AuthLevel.NONE, AuthLevel.PARTNER}

    def errors(self, endpoint: Endpoint) -> Errors:
        """403 for what changes something."""
        return () if endpoint.method in _SAFE_METHODS else (CrossSite,)

    def run(self, exchange: Exchange) -> None:
        """Refuse a change that rides on a cookie and comes from another site."""
        endpoint, headers = exchange.endpoint, exchange.headers
        auth_cookie = endpoint.auth_cookie
        sent = exchange.cookies.get(auth_cookie.name, ()) if auth_cookie is not None else ()
        if auth_cookie is not None and sent and not any(map(auth_cookie.is_valid, sent)):
            raise endpoint.unauthorized
        if endpoint.method in _SAFE_METHODS:
            return
        plants_cookie = endpoint.gives_cookie and b"authorization" not in headers
        if (exchange.by_cookie or sent or plants_cookie) and is_cross_site(headers, exchange.services.own_origin):
            raise CrossSite


class KeyScopes:
    """Whether a caller who sends an API key of their own may do this with it."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where a user may call."""
        return endpoint.level not in {AuthLevel.NONE, AuthLevel.PARTNER}

    def errors(self, endpoint: Endpoint) -> Errors:
        """403, but where every key will do."""
        return () if endpoint.key_scope == "read" else (Forbidden,)

    def run(self, exchange: Exchange) -> None:
        """Refuse a key that is for less; a session may do all."""
        caller, needed = exchange.caller, exchange.endpoint.key_scope
        if not isinstance(caller, UserCaller) or caller.key_scope is None or needed == "read":
            return
        if needed is None:
            raise Forbidden("API keys cannot do this: sign in.")
        if caller.key_scope != needed:
            raise Forbidden("This API key only reads: make one with the scope trade.")


class RoleCheck:
    """Whether the caller has the role that the endpoint needs, and is what it wants besides."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where there is either."""
        return endpoint.level in _ROLES or endpoint.check_caller is not None

    def errors(self, endpoint: Endpoint) -> Errors:
        """403 for the role; other errors stand at the endpoint."""
        return (Forbidden,) if endpoint.level in _ROLES else ()

    def run(self, exchange: Exchange) -> None:
        """Refuse a user without them."""
        caller, endpoint = exchange.caller, exchange.endpoint
        if not isinstance(caller, UserCaller):
            return
        if not may(caller, endpoint.level):
            terms = exchange.services.terms
            if (
                endpoint.level is AuthLevel.CREATOR
                and terms.creators != "chosen"
                and not terms.counts_as_verified(email_verified=caller.email_verified)
            ):
                # Without it they have no role that members have.
                raise EmailNotVerified
            raise Forbidden(NOT_CREATOR if endpoint.level is AuthLevel.CREATOR else None)
        if endpoint.check_caller is not None:
            endpoint.check_caller(caller)


class TradingCheck:
    """Whether the site takes orders; a quote is refused as its order would be."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where an order is taken or quoted, of users and partners alike."""
        return endpoint.takes_order

    def errors(self, endpoint: Endpoint) -> Errors:
        """403."""
        return (TradingOff,)

    def run(self, exchange: Exchange) -> None:
        """Refuse it where no one trades."""
        if not exchange.services.terms.takes_orders:
            raise TradingOff


class Verification:
    """Whether the caller has verified their e-mail address, where that is required."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where a user may change something besides their own account; where only members may read, also read it."""
        if endpoint.level in {AuthLevel.NONE, AuthLevel.PARTNER}:
            return False
        if endpoint.method in _SAFE_METHODS:
            return endpoint.is_private and not (endpoint.unverified or endpoint.path.startswith(_OWN_ACCOUNT))
        # A quote by POST reads, too.
        return not endpoint.unverified or (endpoint.is_private and endpoint.key_scope == "read")

    def errors(self, endpoint: Endpoint) -> Errors:
        """403."""
        return (EmailNotVerified,)

    def run(self, exchange: Exchange) -> None:
        """Refuse a user who has not."""
        caller = exchange.caller
        if not isinstance(caller, UserCaller):
            return
        if not exchange.services.terms.counts_as_verified(email_verified=caller.email_verified):
            raise EmailNotVerified


class PathParameters:
    """Ids and texts of the path."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where the path has parameters."""
        return bool(endpoint.path_fields)

    def errors(self, endpoint: Endpoint) -> Errors:
        """400 of the ids."""
        return [each.param.error for each in endpoint.path_fields if each.param.error is not None]

    def run(self, exchange: Exchange) -> None:
        """Read them in their order."""
        values = exchange.path_values
        for each in exchange.endpoint.path_fields:
            text = exchange.segments[each.field]
            values[each.field] = each.param.read("\0" if text is None else text)
        exchange.path = exchange.endpoint.path_type(**values)


class JsonBody:
    """The body, parsed but not yet checked field by field."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where there is a body. A handler that takes a raw one receives it itself, up to its limit."""
        return endpoint.body is not None or endpoint.raw_body_bytes > 0

    def errors(self, endpoint: Endpoint) -> Errors:
        """413, 415 and 400."""
        return (PayloadTooLarge, UnsupportedMediaType, BadRequest) if endpoint.body is not None else (PayloadTooLarge,)

    def run(self, exchange: Exchange) -> Awaitable[None] | None:
        """Parse JSON, once all of it is here."""
        if exchange.endpoint.body is None:
            return None
        raw = exchange.whole_body
        if raw is None:
            return self._receive(exchange)
        # Nearly always: a short object that says what it is.
        if raw and exchange.headers.get(b"content-type") == _JSON and (flat := flat_object(raw)) is not None:
            exchange.json = flat
        else:
            self._parse(exchange, raw)
        return None

    async def _receive(self, exchange: Exchange) -> None:
        self._parse(exchange, await receive_all(exchange.receive, exchange.headers, exchange.endpoint.body_bytes))

    def _parse(self, exchange: Exchange, raw: bytes) -> None:
        if len(raw) > exchange.endpoint.body_bytes:
            raise PayloadTooLarge
        if not raw and exchange.endpoint.body_optional:
            return
        media_type = exchange.headers.get(b"content-type", b"")
        if media_type != _JSON:
            media_type = media_type.split(b";")[0].strip().lower()
        if not raw and not media_type:
            raise BadRequest("This request needs a JSON body.")
        if media_type != _JSON:
            raise UnsupportedMediaType
        if not raw:
            raise BadRequest("This request needs a JSON body.")
        exchange.json = parse_json(raw)


class IdempotencyKeyHeader:
    """The form of an Idempotency-Key, and which request it stands for."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where money moves."""
        return endpoint.idempotent

    def errors(self, endpoint: Endpoint) -> Errors:
        """400, and 422 from here on: a later 400 of a request whose key is spent becomes that."""
        return (InvalidIdempotencyKey, IdempotencyKeyReused)

    def run(self, exchange: Exchange) -> None:
        """Read the key."""
        key = exchange.headers.get(b"idempotency-key")
        if key is None:
            return
        keys = [value for name, value in exchange.scope["headers"] if name == b"idempotency-key"]
        # Two keys in one request would leave open under which of them it was done.
        if len(keys) > 1 or not 1 <= len(key) <= 255 or not all(0x21 <= byte <= 0x7E for byte in key):
            raise InvalidIdempotencyKey
        caller, endpoint = exchange.caller, exchange.endpoint
        assert caller is not None
        body = None if exchange.json is NO_BODY else exchange.json
        request = [endpoint.method, endpoint.path, exchange.path_values, body]
        fingerprint = hashlib.sha256(_canonical(request)).hexdigest()
        exchange.idempotency_key = IdempotencyKey(caller.scope, key.decode("ascii"), fingerprint)


class QueryParameters:
    """The query's parameters, those that are missing included."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where the endpoint takes any; others ignore the query."""
        return bool(endpoint.query_fields)

    def errors(self, endpoint: Endpoint) -> Errors:
        """400: of the query as a whole (broken UTF-8, a parameter given twice), and of each parameter."""
        return [BadRequest, *(each.param.error for each in endpoint.query_fields)]

    def run(self, exchange: Exchange) -> None:
        """Read them in their order."""
        endpoint = exchange.endpoint
        texts = parse_query(exchange.scope.get("query_string", b""), endpoint.query_names)
        values: dict[str, Any] = {}
        for each in endpoint.query_fields:
            text = texts.get(each.param.name)
            if text is not None:
                values[each.field] = each.param.read(text)
            elif each.is_required:
                raise each.param.error(f"{each.param.name} is missing from the query.")
        exchange.query = endpoint.query_type(**values)


class BodyFields:
    """The body's fields."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where there is a JSON body."""
        return endpoint.body is not None

    def errors(self, endpoint: Endpoint) -> Errors:
        """400, naming the field."""
        return (BadRequest,)

    def run(self, exchange: Exchange) -> None:
        """Convert the JSON to the body's type; an optional body that is missing has its defaults."""
        body, tree = exchange.endpoint.body, exchange.json
        exchange.body = body() if tree is NO_BODY else to_type(tree, body)


class PrivateResponse:
    """What only members may read is kept by no cache but the member's own browser's."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where only members may read."""
        return endpoint.is_private

    def errors(self, endpoint: Endpoint) -> Errors:
        """None."""
        return ()

    def run(self, exchange: Exchange) -> None:
        """Mark a finished response; what is streamed is stored nowhere."""
        response = exchange.response
        if isinstance(response, Response):
            exchange.response = Response(response.body, response.status, private_headers(response.headers))


STEPS: tuple[Step, ...] = (
    Authentication(),
    RateLimit(),
    CrossSiteCheck(),
    KeyScopes(),
    RoleCheck(),
    TradingCheck(),
    Verification(),
    PathParameters(),
    JsonBody(),
    IdempotencyKeyHeader(),
    QueryParameters(),
    BodyFields(),
    Handle(),
    PacedHandle(),
    PrivateResponse(),
)


def steps_of(endpoint: Endpoint) -> tuple[Step, ...]:
    """Return the steps that apply to an endpoint, in their order."""
    return tuple(step for step in STEPS if step.applies(endpoint))
