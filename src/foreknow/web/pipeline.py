"""The pipeline: one ASGI application that takes every request through the contract's order of checks.

route (404, 405) → credentials (401) → rate limit (429) → cross_site → role (403) → path ids (400) → body (413, 415,
400) → idempotency key (form; reuse) → fields (400) → the handler, which refuses rows (404), owner (403), state (409).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
import structlog
from starlette.requests import cookie_parser

from foreknow.access.callers import Authenticator, Caller, PartnerCaller, UserCaller
from foreknow.access.cookies import ACCESS_COOKIE
from foreknow.access.levels import AuthLevel, may
from foreknow.kernel.errors import (
    BadRequest,
    CrossSite,
    DomainError,
    Forbidden,
    IdempotencyKeyReused,
    InternalError,
    InvalidIdempotencyKey,
    InvalidPartnerKey,
    MethodNotAllowed,
    NotFound,
    RateLimited,
    Unavailable,
    UnsupportedMediaType,
)
from foreknow.ledger.idempotency import IdempotencyKey
from foreknow.validation.fields import positive_int, to_type
from foreknow.web.bodies import BODY_BYTES_MAX, RawBody, Receive, receive_all
from foreknow.web.decoding import parse_json, parse_query
from foreknow.web.endpoint import PATH_IDS, PREFIX, Endpoint, Request
from foreknow.web.ingress import Ingress
from foreknow.web.request_log import RequestRecord
from foreknow.web.responses import Response, error_response, json_response
from foreknow.web.routing import Node, Routes

log = structlog.get_logger("foreknow.web")

PARTNER_PREFIX = (PREFIX + "/partner/").encode()
WRONG_FIELDS = BadRequest.status
_SAFE_METHODS = {"GET", "HEAD"}
_NO_BODY: Any = msgspec.UNSET
_canonical = msgspec.json.Encoder(order="sorted").encode

Send = Callable[[Any], Awaitable[None]]


class IdempotencyKeyLookup(Protocol):
    """Knows which idempotency keys are spent; asked only where a request with a key has wrong fields."""

    async def is_spent(self, scope: str, key: str) -> bool:
        """Tell whether the key already stands for an accepted request."""
        ...


class Pipeline:
    """The HTTP side of the service, as an ASGI application for `http` scopes."""

    def __init__(
        self,
        routes: Routes,
        authenticator: Authenticator,
        keys: IdempotencyKeyLookup,
        *,
        edge: Ingress,
        public_url: str | None = None,
    ) -> None:
        """Serve `routes`; `public_url` is this site's own origin behind a proxy that rewrites Host."""
        self._routes = routes
        self._gatekeeper = authenticator
        self._keys = keys
        self._visits = edge.visits
        self._addresses = edge.addresses
        self._limits = edge.limits
        self._connections = edge.connections
        self._own_origin = _origin(public_url) if public_url else None

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        method: str = scope["method"]
        visit = self._visits.begin(scope)
        answer = await self._answer(visit, scope, receive, "GET" if method == "HEAD" else method)
        if not isinstance(answer, Response):
            await answer(scope, receive, self._visits.marking(visit, send))
            return
        length = (b"content-length", b"%d" % len(answer.body))
        headers = [*answer.headers, length, *visit.extra, (b"x-request-id", visit.request_id)]
        self._visits.end(visit, answer.status)
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else answer.body})

    async def _answer(self, visit: RequestRecord, scope: Any, receive: Receive, method: str) -> Any:
        raw_path: bytes = scope["raw_path"]
        upper = raw_path.startswith(PARTNER_PREFIX)
        bare, allow = False, ""
        try:
            found = self._routes.find(raw_path)
            if found is None:
                raise NotFound
            node, parameters = found
            endpoint = node.endpoints.get(method)
            if endpoint is None:
                allow = _allowed(node)
                raise _wrong_method(node, method)
            bare = endpoint.bare
            visit.endpoint = endpoint
            return await self._run(visit, endpoint, parameters, scope, receive)
        except DomainError as error:
            return error_response(error, upper=upper, bare=bare, allow=allow)
        except asyncio.CancelledError:
            # A server that stops has waited for it as long as it waits. Whether the request was done, nobody knows.
            return error_response(Unavailable(), upper=upper)
        except Exception:  # the last line of defence: anything unforeseen is a 500, logged with its cause
            # Not the path as it was sent: it holds what the client made up.
            log.exception("request failed", method=method, route=visit.endpoint.path if visit.endpoint else None)
            return error_response(InternalError(), upper=upper)

    async def _run(
        self,
        visit: RequestRecord,
        endpoint: Endpoint,
        parameters: Mapping[str, str | None],
        scope: Any,
        receive: Receive,
    ) -> Any:
        headers = visit.headers
        cookies = cookie_parser(headers[b"cookie"].decode("latin-1")) if b"cookie" in headers else {}
        client = self._addresses.client(scope)
        try:
            visit.caller, by_cookie = await self._authenticate(endpoint, headers, cookies)
        finally:
            # Also where the credentials are no good, and then by address: nobody guesses without bounds.
            wait_s, visit.extra = self._limits.take(endpoint.group, visit.caller, client)
            if wait_s:
                raise RateLimited(retry_after_s=wait_s)
        caller = visit.caller
        ride = cookies.get(endpoint.auth_cookie) if endpoint.auth_cookie else None
        if ride is not None and not endpoint.is_auth_cookie_valid(ride):
            raise endpoint.unauthorized
        given = endpoint.gives_cookie and b"authorization" not in headers
        if endpoint.method not in _SAFE_METHODS and (by_cookie or ride is not None or given):
            self._refuse_cross_site(headers)
        _check_role(endpoint.level, caller)
        path = _read_path(endpoint, parameters)
        tree = await _read_body(endpoint, headers, receive)
        keys = [value for name, value in scope["headers"] if name == b"idempotency-key"] if endpoint.idempotent else []
        idempotency_key = _read_idempotency_key(endpoint, keys, caller, path, tree)

        def raw(limit_bytes: int) -> RawBody:
            return RawBody(receive, headers, limit_bytes)

        try:
            query = _read_query(endpoint, scope.get("query_string", b""))
            body = _to_body(endpoint, tree)
            result = await endpoint.handler(
                Request(path, query, body, caller, idempotency_key, headers, cookies, client, raw)
            )
        except DomainError as error:
            # A request whose fields are wrong never spent this key: if it is spent, another request did.
            if (
                idempotency_key
                and error.status == WRONG_FIELDS
                and await self._keys.is_spent(idempotency_key.scope, idempotency_key.key)
            ):
                raise IdempotencyKeyReused from None
            raise
        # An Answer is finished; an ASGI application (an event stream) answers for itself; anything else is a body.
        if isinstance(result, Response):
            return result
        if callable(result):
            return self._connections.held(result, client)
        return json_response(result, status=endpoint.status)

    async def _authenticate(
        self, endpoint: Endpoint, headers: Mapping[bytes, bytes], cookies: Mapping[str, str]
    ) -> tuple[Caller | None, bool]:
        """Return who calls, and whether a cookie said so."""
        level = endpoint.level
        if level is AuthLevel.NONE:
            return None, False
        if level is AuthLevel.PARTNER:
            key = headers.get(b"x-partner-key")
            partner = await self._gatekeeper.partner(key.decode("latin-1")) if key else None
            if partner is None:
                raise InvalidPartnerKey
            return partner, False
        by_cookie = b"authorization" not in headers
        if by_cookie:
            token = cookies.get(ACCESS_COOKIE)
            if token is None:
                if level is AuthLevel.OPTIONAL:
                    return None, False
                raise endpoint.unauthorized
        else:
            scheme, _, token = headers[b"authorization"].decode("latin-1").partition(" ")
            if scheme.lower() != "bearer":
                raise endpoint.unauthorized
        user = await self._gatekeeper.user(token.strip())
        if user is None:
            raise endpoint.unauthorized
        return user, by_cookie

    def _refuse_cross_site(self, headers: Mapping[bytes, bytes]) -> None:
        site = headers.get(b"sec-fetch-site")
        if site is not None:
            if site not in {b"same-origin", b"none"}:
                raise CrossSite
            return
        origin = headers.get(b"origin")
        if origin is None:
            return
        theirs = origin.decode("latin-1").lower()
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if theirs != self._own_origin and (not host or urlsplit(theirs).netloc != host):
            raise CrossSite


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _allowed(node: Node) -> str:
    methods = set(node.endpoints)
    if node.socket is not None:
        methods.add("GET")
    if "GET" in methods:
        methods.add("HEAD")
    return ", ".join(sorted(methods))


def _wrong_method(node: Node, method: str) -> DomainError:
    if node.socket is not None and method == "GET":
        return BadRequest("This address speaks WebSocket: send an upgrade request.")
    return MethodNotAllowed()


def _check_role(level: AuthLevel, caller: Caller | None) -> None:
    if isinstance(caller, UserCaller) and not may(caller, level):
        raise Forbidden


def _read_path(endpoint: Endpoint, parameters: Mapping[str, str | None]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in parameters.items():
        reader = endpoint.path_readers.get(name)
        error = endpoint.path_errors.get(name) or PATH_IDS.get(name)
        if reader is not None:
            values[name] = reader("\0" if text is None else text)
        elif error is not None:
            values[name] = positive_int(text or "")
            if values[name] is None:
                raise error
        else:
            values[name] = text
    return values


async def _read_body(endpoint: Endpoint, headers: Mapping[bytes, bytes], receive: Receive) -> Any:
    """Return the parsed JSON body, or `_NO_BODY` where there is none and none is needed."""
    if endpoint.body is None:
        return _NO_BODY
    raw = await receive_all(receive, headers, BODY_BYTES_MAX)
    if not raw and endpoint.body_optional:
        return _NO_BODY
    media_type = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if not raw and not media_type:
        raise BadRequest("This request needs a JSON body.")
    if media_type != b"application/json":
        raise UnsupportedMediaType
    if not raw:
        raise BadRequest("This request needs a JSON body.")
    return parse_json(raw)


def _read_idempotency_key(
    endpoint: Endpoint, keys: Sequence[bytes], caller: Caller | None, path: Mapping[str, Any], tree: Any
) -> IdempotencyKey | None:
    if not keys:
        return None
    key = keys[0]
    # Two keys in one request would leave open under which of them it was done.
    if len(keys) > 1 or not 1 <= len(key) <= 255 or not all(0x21 <= byte <= 0x7E for byte in key):
        raise InvalidIdempotencyKey
    assert isinstance(caller, (UserCaller, PartnerCaller))
    request = [endpoint.method, endpoint.path, dict(path), None if tree is _NO_BODY else tree]
    return IdempotencyKey(caller.scope, key.decode("ascii"), hashlib.sha256(_canonical(request)).hexdigest())


def _to_body(endpoint: Endpoint, tree: Any) -> Any:
    if endpoint.body is None:
        return None
    return endpoint.body() if tree is _NO_BODY else to_type(tree, endpoint.body)


def _read_query(endpoint: Endpoint, raw: bytes) -> dict[str, Any]:
    if not endpoint.query:
        return {}
    texts = parse_query(raw, frozenset(param.name for param in endpoint.query))
    values: dict[str, Any] = {}
    for param in endpoint.query:
        text = texts.get(param.name)
        if text is None:
            if param.required:
                raise param.missing(f"{param.name} is missing from the query.")
            values[param.name] = param.default
        else:
            values[param.name] = param.read(text)
    return values
