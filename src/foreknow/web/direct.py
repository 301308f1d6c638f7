"""Answering without ASGI's messages and without a task: what our server and the pipeline have beside ASGI.

A server that knows of it calls `answer` of the application (`DirectApplication`) with each request; any other server
speaks ASGI with the same application.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import msgspec
from starlette.types import ASGIApp


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


class Waiting(msgspec.Struct, frozen=True):
    """What a request waits for without a task."""

    future: asyncio.Future[Any]
    #: Goes on once it is done, or cancelled.
    then: Callable[[asyncio.Future[Any]], Rest]


#: What is left of a request: None where it is answered, or an ASGI application, for which there is a task.
Rest: TypeAlias = "Waiting | ASGIApp | None"
