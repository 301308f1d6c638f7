"""The pipeline: one ASGI application that finds a request's endpoint and takes the request through its steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from starlette.types import Receive, Send

from foreknow.kernel.access.callers import Authenticator
from foreknow.kernel.errors import (
    BadRequest,
    DomainError,
    IdempotencyKeyReused,
    InternalError,
    MethodNotAllowed,
    NotFound,
    Unauthorized,
    Unavailable,
)
from foreknow.kernel.terms import Terms
from foreknow.money.ledger import find_idempotency_records
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.platform.db.engine import Database
from foreknow.web.endpoint import PREFIX, Endpoint
from foreknow.web.exchange import Exchange, StepServices
from foreknow.web.ingress import Ingress
from foreknow.web.request_log import RequestRecord
from foreknow.web.responses import Response, error_response, redirect
from foreknow.web.routing import Node, Routes
from foreknow.web.socket_limits import Application
from foreknow.web.steps import steps_of

log = structlog.get_logger("foreknow.web")

PARTNER_PREFIX = (PREFIX + "/partner/").encode()
#: Status of wrong fields, ids and parameters.
WRONG_FIELDS = BadRequest.status
NOT_MODIFIED = 304
DEFAULT_TERMS = Terms()

#: The `run` of a step.
RunStep = Callable[[Exchange], Awaitable[None]]


class Pipeline:
    """The HTTP side of the service, as an ASGI application for `http` scopes."""

    def __init__(
        self,
        routes: Routes,
        authenticator: Authenticator,
        db: Database,
        *,
        ingress: Ingress,
        own_origin: str | None = None,
        terms: Terms = DEFAULT_TERMS,
    ) -> None:
        """Serve `routes`; `db` knows which idempotency keys are spent.

        `own_origin` is this site's, None where it is not set. `terms` say who counts as verified.
        """
        self._routes = routes
        self._db = db
        self._request_log = ingress.request_log
        self._addresses = ingress.addresses
        self._services = StepServices(authenticator, ingress.limits, ingress.sockets, ingress.pacer, own_origin, terms)
        #: By identity: hashing an endpoint would cost each request more. Endpoints live as long as the process.
        self._checks: dict[int, tuple[RunStep, ...]] = {
            id(endpoint): tuple(step.run for step in steps_of(endpoint)) for endpoint in routes.endpoints
        }

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Respond to one HTTP request."""
        method: str = scope["method"]
        record = self._request_log.begin(scope)
        response = await self._respond(record, scope, receive, "GET" if method == "HEAD" else method)
        if not isinstance(response, Response):
            await response(scope, receive, self._request_log.logging_send(record, send))
            return
        headers = [*response.headers, *record.extra, (b"x-request-id", record.request_id)]
        if response.status != NOT_MODIFIED:
            # There it would be the length of what the client has.
            headers.append((b"content-length", b"%d" % len(response.body)))
        self._request_log.end(record, response.status)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else response.body})

    async def _respond(
        self, record: RequestRecord, scope: Any, receive: Receive, method: str
    ) -> Response | Application:
        raw_path: bytes = scope["raw_path"]
        upper = raw_path.startswith(PARTNER_PREFIX)
        bare, takes_key, allow = False, False, ""
        try:
            found = self._routes.find(raw_path)
            if found is None:
                raise NotFound
            node, segments = found
            endpoint = node.endpoints.get(method)
            if endpoint is None:
                allow = _allowed(node)
                raise _wrong_method(node, method)
            bare, takes_key = endpoint.bare, endpoint.idempotent
            record.endpoint = endpoint
            return await self._run(endpoint, segments, record, scope, receive)
        except DomainError as error:
            return _to_error_page(record.endpoint, scope, error) or error_response(
                error, upper=upper, bare=bare, takes_key=takes_key, allow=allow
            )
        except asyncio.CancelledError:
            # A server that stops cancels what outlasts its time limit. Whether the request was done is unknown.
            return error_response(Unavailable(), upper=upper, takes_key=takes_key)
        except Exception:  # the last line of defence: anything unforeseen is a 500, logged with its cause
            # Not the path as it was sent: it holds what the client made up.
            log.exception("request failed", method=method, route=record.endpoint.path if record.endpoint else None)
            unforeseen = InternalError()
            return _to_error_page(record.endpoint, scope, unforeseen) or error_response(unforeseen, upper=upper)

    async def _run(
        self,
        endpoint: Endpoint,
        segments: Mapping[str, str | None],
        record: RequestRecord,
        scope: Any,
        receive: Receive,
    ) -> Response | Application:
        client = self._addresses.client(scope)
        exchange = Exchange(
            self._services,
            endpoint,
            segments=segments,
            record=record,
            scope=scope,
            receive=receive,
            client=client,
        )
        try:
            for check in self._checks[id(endpoint)]:
                await check(exchange)
        except DomainError as error:
            # A request whose fields are wrong never spent this key: if it is spent, another request did.
            key = exchange.idempotency_key
            if key is not None and error.status == WRONG_FIELDS and await self._is_spent(key):
                raise IdempotencyKeyReused from None
            cookies = endpoint.cookies_if_unauthorized
            if error.status == Unauthorized.status and any(cookie.name in exchange.cookies for cookie in cookies):
                return error_response(error, bare=endpoint.bare, cookies=cookies)
            raise
        assert exchange.response is not None
        return exchange.response

    async def _is_spent(self, key: IdempotencyKey) -> bool:
        return bool(await self._db.read(lambda tx: find_idempotency_records(tx, [key.scoped])))


def _to_error_page(endpoint: Endpoint | None, scope: Any, error: DomainError) -> Response | None:
    """Send a browser that navigates to a page for people; None for any other client, and where there is none."""
    if endpoint is None or not endpoint.error_page or (b"sec-fetch-mode", b"navigate") not in scope["headers"]:
        return None
    return redirect(f"{endpoint.error_page}?error={error.code}")


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
