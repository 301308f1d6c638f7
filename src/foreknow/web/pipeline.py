"""The pipeline: one ASGI application that finds a request's endpoint and takes the request through its steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from functools import partial
from typing import Any

import structlog
from starlette.types import ASGIApp, Receive, Send

from foreknow.kernel.access.callers import Authenticator
from foreknow.kernel.errors import (
    BadRequest,
    DomainError,
    IdempotencyKeyReused,
    InternalError,
    MethodNotAllowed,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from foreknow.kernel.terms import Terms
from foreknow.money.ledger import find_idempotency_records
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.platform.db.engine import Database
from foreknow.web.direct import DirectRequest, Rest, Waiting
from foreknow.web.endpoint import PREFIX, Endpoint
from foreknow.web.exchange import Exchange, Finished, Outcome, RunStep, StepServices
from foreknow.web.ingress import Ingress
from foreknow.web.repeated_reads import RepeatedReads
from foreknow.web.request_log import RequestRecord
from foreknow.web.response_cache import ResponseCache
from foreknow.web.responses import LaterResponse, Response, error_response, header_lines, redirect
from foreknow.web.routing import Node, Routes
from foreknow.web.steps import steps_of

log = structlog.get_logger("foreknow.web")

PARTNER_PREFIX = (PREFIX + "/partner/").encode()
#: Status of wrong fields, ids and parameters.
WRONG_FIELDS = BadRequest.status
NOT_MODIFIED = 304
DEFAULT_TERMS = Terms()


class Pipeline:
    """The HTTP side of the service, as an ASGI application for `http` scopes."""

    def __init__(
        self,
        routes: Routes,
        authenticator: Authenticator,
        db: Database,
        *,
        ingress: Ingress,
        responses: ResponseCache,
        own_origin: str | None = None,
        terms: Terms = DEFAULT_TERMS,
    ) -> None:
        """Serve `routes`; `db` knows which idempotency keys are spent, `responses` what strangers may be shown again.

        `own_origin` is this site's, None where it is not set. `terms` say who counts as verified.
        """
        self._routes = routes
        self._db = db
        self._request_log = ingress.request_log
        self._addresses = ingress.addresses
        limits, pacer = ingress.limits, ingress.pacer
        self._repeated = RepeatedReads(responses, ingress.addresses, limits, pacer)
        self._services = StepServices(authenticator, limits, ingress.sockets, pacer, own_origin, terms, self._repeated)
        #: By identity: hashing an endpoint would cost each request more. Endpoints live as long as the process.
        self._steps: dict[int, tuple[RunStep, ...]] = {
            id(endpoint): tuple(step.run for step in steps_of(endpoint)) for endpoint in routes.endpoints
        }

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Respond to one HTTP request."""
        record = self._request_log.begin(scope)
        exchange = self._route(record, scope, receive)
        response = exchange if isinstance(exchange, Response) else await self._go_on(exchange)
        if not isinstance(response, Response):
            await response(scope, receive, self._request_log.logging_send(record, send))
            return
        self._request_log.end(record, response.status)
        await _send(record, response, scope, send)

    def answer(self, request: DirectRequest) -> Rest:
        """Answer a request of a server that takes finished responses; return what is left to do."""
        record = self._request_log.begin(request.scope)
        try:
            repeated = self._repeated.answer(record, request.scope)
        except RateLimited as refused:
            repeated = _error_of(record, request.scope, refused)
        if repeated is not None:
            return self._respond(request, record, repeated)
        exchange = self._route(record, request.scope, request.receive, request.whole_body)
        if isinstance(exchange, Response):
            return self._respond(request, record, exchange)
        return self._rest(request, exchange, self._run(exchange))

    def _rest(
        self, request: DirectRequest, exchange: Exchange, outcome: Outcome | Coroutine[Any, Any, Finished]
    ) -> Rest:
        """Send a response that is finished; return what is left to do of any other outcome."""
        if isinstance(outcome, Response):
            return self._respond(request, exchange.record, outcome)
        if isinstance(outcome, LaterResponse):
            return Waiting(outcome.result, partial(self._later, request, exchange, outcome))

        async def rest(scope: Any, receive: Receive, send: Send) -> None:
            response = await outcome if isinstance(outcome, Coroutine) else outcome
            if not isinstance(response, Response):
                await response(scope, receive, self._request_log.logging_send(exchange.record, send))
            elif (unsent := self._respond(request, exchange.record, response)) is not None:
                await unsent(scope, receive, send)

        return rest

    def _later(
        self, request: DirectRequest, exchange: Exchange, later: LaterResponse, future: asyncio.Future[Any]
    ) -> Rest:
        # Raised here, the future's error would make a cycle for the collector.
        error = asyncio.CancelledError() if future.cancelled() else future.exception()
        outcome = self._refused(exchange, error) if error is not None else later.respond(future.result())
        return self._rest(request, exchange, outcome)

    def _respond(self, request: DirectRequest, record: RequestRecord, response: Response) -> ASGIApp | None:
        self._request_log.end(record, response.status)
        body, scope = response.body, request.scope
        length = b"" if response.status == NOT_MODIFIED else b"content-length: %d\r\n" % len(body)
        lines = b"%b%bx-request-id: %b\r\n%b" % (
            response.lines or header_lines(response.headers),
            header_lines(record.extra) if record.extra else b"",
            record.request_id,
            length,
        )
        if request.respond(response.status, lines, b"" if scope["method"] == "HEAD" else body):
            return None
        return lambda scope, _, send: _send(record, response, scope, send)

    def _route(
        self, record: RequestRecord, scope: Any, receive: Receive, whole_body: bytes | None = None
    ) -> Exchange | Response:
        """Find the endpoint of a request, or return the response to one that has none."""
        found = None
        try:
            found = self._routes.find(scope["raw_path"])
            if found is None:
                raise NotFound
            node, segments = found
            method = "GET" if scope["method"] == "HEAD" else scope["method"]
            endpoint = node.endpoints.get(method)
            if endpoint is None:
                raise _wrong_method(node, method)
            record.endpoint = endpoint
            return Exchange(
                self._services,
                endpoint,
                steps=self._steps[id(endpoint)],
                segments=segments,
                record=record,
                scope=scope,
                receive=receive,
                client=self._addresses.client(scope),
                whole_body=whole_body,
            )
        except Exception as error:  # noqa: BLE001 - what is unforeseen becomes a 500
            return _error_of(record, scope, error, allow="" if found is None else _allowed(found[0]))

    def _run(self, exchange: Exchange) -> Outcome | Coroutine[Any, Any, Finished]:
        """Take a request through its steps; return what it comes to, or, where a step has to wait, a coroutine of it.

        Most steps wait for nothing, and a request that waits for nothing costs no task.
        """
        try:
            for step in exchange.steps:
                waiting = step(exchange)
                if waiting is not None:
                    return self._go_on(exchange, waiting)
        except Exception as error:  # noqa: BLE001 - what is unforeseen becomes a 500
            return self._refused(exchange, error)
        assert exchange.response is not None
        return exchange.response

    async def _go_on(self, exchange: Exchange, waiting: Awaitable[None] | None = None) -> Finished:
        """Await what a step waits for, if any, and take the request through the steps behind it, to its end."""
        try:
            if waiting is not None:
                await waiting
            for step in exchange.steps:
                waiting = step(exchange)
                if waiting is not None:
                    await waiting
            response = exchange.response
            if isinstance(response, LaterResponse):
                response = response.respond(await response.result)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - what is unforeseen becomes a 500
            refused = self._refused(exchange, error)
        else:
            assert response is not None
            return response
        return refused if isinstance(refused, Response) else await refused

    def _refused(self, exchange: Exchange, error: BaseException) -> Response | Coroutine[Any, Any, Response]:
        """Return the response to a request that a step or the handler refused."""
        if not isinstance(error, DomainError):
            return _error_of(exchange.record, exchange.scope, error)
        key = exchange.idempotency_key
        if key is not None and error.status == WRONG_FIELDS:
            return self._refused_with_key(exchange, key, error)
        endpoint = exchange.endpoint
        cookies = endpoint.cookies_if_unauthorized
        if error.status == Unauthorized.status and any(cookie.name in exchange.cookies for cookie in cookies):
            return error_response(error, cookies=cookies)
        return _error_of(exchange.record, exchange.scope, error)

    async def _refused_with_key(self, exchange: Exchange, key: IdempotencyKey, error: Exception) -> Response:
        # A request whose fields are wrong never spent this key: if it is spent, another request did.
        try:
            if await self._db.read(lambda tx: find_idempotency_records(tx, [key.scoped])):
                error = IdempotencyKeyReused()
        except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 - what is unforeseen becomes a 500
            return _error_of(exchange.record, exchange.scope, failure)
        return _error_of(exchange.record, exchange.scope, error)


async def _send(record: RequestRecord, response: Response, scope: Any, send: Send) -> None:
    headers = [*response.headers, *record.extra, (b"x-request-id", record.request_id)]
    if response.status != NOT_MODIFIED:
        # There it would be the length of what the client has.
        headers.append((b"content-length", b"%d" % len(response.body)))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else response.body})


def _error_of(record: RequestRecord, scope: Any, error: BaseException, *, allow: str = "") -> Response:
    """Return the response of an error, whatever it is."""
    endpoint = record.endpoint
    upper = scope["raw_path"].startswith(PARTNER_PREFIX)
    takes_key = endpoint is not None and endpoint.idempotent
    if isinstance(error, asyncio.CancelledError):
        # A server that stops cancels what outlasts its time limit. Whether the request was done is unknown.
        return error_response(Unavailable(), upper=upper, takes_key=takes_key)
    if not isinstance(error, DomainError):
        # The last line of defence. Not the path as it was sent: it holds what the client made up.
        route = endpoint.path if endpoint else None
        log.error("request failed", method=scope["method"], route=route, exc_info=error)
        error = InternalError()
    bare = endpoint is not None and type(error) in endpoint.bare
    return _to_error_page(endpoint, scope, error) or error_response(
        error, upper=upper, bare=bare, takes_key=takes_key, allow=allow
    )


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
