"""Answering without ASGI's messages and without a task: what our server and the pipeline have beside ASGI.

A server that knows of it calls `answer` of the application (`DirectApplication`) with each request; any other server
speaks ASGI with the same application.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, Protocol, TypeAlias, TypeVar

import msgspec
from starlette.types import ASGIApp

Result = TypeVar("Result")


class DirectRequest(Protocol):
    """A request of a server that takes finished responses."""

    #: As of ASGI.
    scope: Any

    async def receive(self) -> Any:
        """As of ASGI."""
        ...

    @property
    def whole_body(self) -> bytes | None:
        """The body; None while there is more to come."""
        ...

    def respond(self, status: int, lines: bytes, body: bytes) -> bool:
        """Send a finished response, its headers given as lines; False where the peer has to read first."""
        ...


class PromptFuture(asyncio.Future[Result]):
    """A future that whoever resolves it has acted upon at once, with `announce`, and not by the event loop later."""

    #: Set by `then`; a method that sets it for all would cost each as much as the rest of it.
    __slots__ = ("_then",)
    _then: tuple[Callable[[PromptFuture[Result]], None], Context] | None

    def then(self, call: Callable[[PromptFuture[Result]], None]) -> None:
        """Have `call` called once it is announced, or cancelled, in the context of now."""
        self._then = (call, copy_context())

    def announce(self) -> None:
        """Call what waits for it; it is done."""
        then = getattr(self, "_then", None)
        self._then = None
        if then is not None:
            call, context = then
            context.run(call, self)

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it; what waits for it is called soon."""
        is_cancelled = super().cancel(msg)
        if is_cancelled:
            self.get_loop().call_soon(self.announce)
        return is_cancelled


class Waiting(msgspec.Struct, frozen=True):
    """What a request waits for without a task."""

    future: asyncio.Future[Any]
    #: Goes on once it is done, or cancelled.
    then: Callable[[asyncio.Future[Any]], Rest]


#: What is left of a request: None where it is answered, or an ASGI application, for which there is a task.
Rest: TypeAlias = "Waiting | ASGIApp | None"
