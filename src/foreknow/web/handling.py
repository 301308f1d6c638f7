"""The last step of a request: the endpoint's own work."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from foreknow.kernel.cost import COST, RequestCost
from foreknow.kernel.errors import DomainError, InternalError, Unavailable
from foreknow.web.bodies import RawBody
from foreknow.web.endpoint import AnyRequest, Endpoint, Request
from foreknow.web.exchange import Exchange
from foreknow.web.pacing import Pacer
from foreknow.web.responses import LaterResponse, Response, json_response
from foreknow.web.shared_responses import SharedResponse


class Handle:
    """The endpoint's own work."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Everywhere but where strangers could cause much of it."""
        return not endpoint.is_paced

    def errors(self, endpoint: Endpoint) -> Sequence[type[DomainError]]:
        """Those of the endpoint's row; and any may fail, or not reach the database."""
        return endpoint.errors if endpoint.cannot_fail else (*endpoint.errors, InternalError, Unavailable)

    def run(self, exchange: Exchange) -> Awaitable[None] | None:
        """Call the handler.

        It returns, or its coroutine does, a finished response, an ASGI application (an event stream), or a body.
        """
        result = exchange.endpoint.handler(_request(exchange))
        if isinstance(result, LaterResponse):
            exchange.response = result
            return None
        return self._finish(exchange, result)

    async def _finish(self, exchange: Exchange, handled: Awaitable[Any]) -> None:
        result = await handled
        if isinstance(result, SharedResponse):
            exchange.response = await result.negotiated(exchange.headers)
        elif isinstance(result, Response):
            exchange.response = result
        elif callable(result):
            exchange.response = exchange.services.sockets.held(result, exchange.client)
        else:
            exchange.response = json_response(result, status=exchange.endpoint.status)


class PacedHandle(Handle):
    """The endpoint's own work, for which a caller that causes far more of it than others has to wait (`pacing`)."""

    def applies(self, endpoint: Endpoint) -> bool:
        """Where the caller may be a stranger, but not to orders."""
        return endpoint.is_paced

    def run(self, exchange: Exchange) -> Awaitable[None] | None:
        """Wait where the caller's budget is spent, call the handler, and take what that cost."""
        pacer = exchange.services.pacer
        key = pacer.key(exchange.caller, exchange.client) if pacer is not None else None
        if pacer is None or key is None:
            return super().run(exchange)
        if pacer.must_wait(key):
            return self._run_in_turn(exchange, pacer, key)
        return self._run_costed(exchange, pacer, key)

    async def _run_in_turn(self, exchange: Exchange, pacer: Pacer, key: int | str) -> None:
        async with pacer.turn(key):
            await self._run_costed(exchange, pacer, key)

    async def _run_costed(self, exchange: Exchange, pacer: Pacer, key: int | str) -> None:
        cost = RequestCost()
        COST.set(cost)
        try:
            handled = super().run(exchange)
            if handled is not None:
                await handled
        finally:
            response = exchange.response
            pacer.charge(key, cost, response_bytes=len(response.body) if isinstance(response, Response) else 0)


def _request(exchange: Exchange) -> AnyRequest:
    headers, receive = exchange.headers, exchange.receive

    def raw(limit_bytes: int) -> RawBody:
        return RawBody(receive, headers, limit_bytes)

    return Request(
        exchange.path,
        exchange.query,
        exchange.body,
        exchange.caller,
        exchange.idempotency_key,
        headers,
        exchange.cookies,
        exchange.client,
        raw,
    )
