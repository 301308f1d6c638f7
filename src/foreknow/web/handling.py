"""The last step of a request: the endpoint's own work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from starlette.types import Receive

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
        endpoint = exchange.endpoint
        handled: Any = endpoint.handler(_request(exchange))
        if isinstance(handled, LaterResponse):
            exchange.response = handled
            return None
        if endpoint.cached and exchange.caller is None:
            handled = begin(handled)
            if not isinstance(handled, Begun):
                if isinstance(handled, SharedResponse):
                    exchange.services.repeated.note(endpoint, exchange.scope, handled)
                return self._finish(exchange, handled)
        return self._await(exchange, handled)

    async def _await(self, exchange: Exchange, handled: Awaitable[Any]) -> None:
        unfinished = self._finish(exchange, await handled)
        if unfinished is not None:
            await unfinished

    def _finish(self, exchange: Exchange, result: Any) -> Awaitable[None] | None:
        """Make the response of what a handler returned; return what to await where it must be compressed before."""
        if isinstance(result, SharedResponse):
            exchange.response = result.as_it_is(exchange.headers)
            return None if exchange.response is not None else self._compress(exchange, result)
        if isinstance(result, Response):
            exchange.response = result
        elif callable(result):
            exchange.response = exchange.services.sockets.held(
                result, exchange.client, is_stranger=exchange.caller is None
            )
        else:
            exchange.response = json_response(result, status=exchange.endpoint.status)
        return None

    async def _compress(self, exchange: Exchange, result: SharedResponse) -> None:
        exchange.response = await result.compressed()


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
        cost = RequestCost()
        before = COST.set(cost)
        try:
            handled = super().run(exchange)
        except BaseException:
            pacer.charge(key, cost, response_bytes=0)
            raise
        finally:
            COST.reset(before)
        if handled is not None:
            return self._await_costed(exchange, handled, pacer, key, cost)
        pacer.charge(key, cost, response_bytes=_body_bytes(exchange))
        return None

    async def _run_in_turn(self, exchange: Exchange, pacer: Pacer, key: int | str) -> None:
        async with pacer.turn(key):
            cost = RequestCost()
            COST.set(cost)
            try:
                handled = super().run(exchange)
                if handled is not None:
                    await handled
            finally:
                pacer.charge(key, cost, response_bytes=_body_bytes(exchange))

    async def _await_costed(
        self, exchange: Exchange, handled: Awaitable[None], pacer: Pacer, key: int | str, cost: RequestCost
    ) -> None:
        COST.set(cost)
        try:
            await handled
        finally:
            pacer.charge(key, cost, response_bytes=_body_bytes(exchange))


def _body_bytes(exchange: Exchange) -> int:
    response = exchange.response
    return len(response.body) if isinstance(response, Response) else 0


def _request(exchange: Exchange) -> AnyRequest:
    headers = exchange.headers
    return Request(
        exchange.path,
        exchange.query,
        exchange.body,
        exchange.caller,
        exchange.idempotency_key,
        headers,
        exchange.cookies,
        exchange.client,
        _raw_body(exchange.receive, headers) if exchange.endpoint.raw_body_bytes else _no_raw_body,
        exchange.scope["method"] == "HEAD",
    )


def _raw_body(receive: Receive, headers: Mapping[bytes, bytes]) -> Callable[[int], RawBody]:
    return lambda limit_bytes: RawBody(receive, headers, limit_bytes)


def _no_raw_body(_limit_bytes: int) -> RawBody:
    raise AssertionError("the endpoint declares no raw body")


Result = TypeVar("Result")


class Begun(Generic[Result]):
    """What is left of a coroutine that waits for something; await it in a task."""

    def __init__(self, coroutine: Coroutine[Any, Any, Result], waits_for: Any) -> None:
        """`waits_for` is what the coroutine has yielded."""
        self._coroutine = coroutine
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, Result]:
        """Go on with it, once what it waits for is there."""
        coroutine, waits_for = self._coroutine, self._waits_for
        while True:
            raised: BaseException | None = None
            try:
                yield waits_for
            except BaseException as failure:  # noqa: BLE001 - the coroutine's own, a cancellation too
                raised = failure
            try:
                waits_for = coroutine.send(None) if raised is None else coroutine.throw(raised)
            except StopIteration as end:
                result: Result = end.value
                return result


def begin(coroutine: Coroutine[Any, Any, Result]) -> Result | Begun[Result]:
    """Return what a coroutine returns where it need not wait, or else the rest of it.

    Until it waits there is no current task, which timeouts need.
    """
    try:
        waits_for = coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    return Begun(coroutine, waits_for)
