"""A request and its response, which goes out in one piece where it is finished."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from foreknow.service.serving.state import ServingState

#: A larger body is not copied behind its head.
_JOINED_BYTES_MAX = 64 * 1024


class Cycle(RequestResponseCycle):
    """uvicorn's cycle; `respond` does what a pair of ASGI messages does, with a fraction of the work."""

    disconnected = False
    access_log = False
    more_body = True
    response_started = False
    response_complete = False
    chunked_encoding: bool | None = None
    expected_content_length = 0
    #: Whether anyone waits in `receive`, or did.
    is_awaited = False

    def __init__(self, protocol: HttpToolsProtocol, state: ServingState, scope: Any, *, keep_alive: bool) -> None:
        """Begin with a request's head. Replaces uvicorn's, which makes more objects than most requests need."""
        self.scope = scope
        self.transport = protocol.transport
        self.flow = protocol.flow
        self.logger = protocol.logger
        self.default_headers = state.default_headers
        self._state = state
        self.on_response = protocol.on_response_complete
        self.keep_alive = keep_alive
        self.waiting_for_100_continue = protocol.expect_100_continue
        self.body = bytearray()

    @cached_property
    def message_event(self) -> asyncio.Event:  # type: ignore[override]
        """Set while `receive` has something to return; made for the first who waits."""
        event = asyncio.Event()
        self.is_awaited = True
        if self.body or not self.more_body or self.disconnected:
            event.set()
        return event

    @property
    def whole_body(self) -> bytes | None:
        """The body; None while there is more to come."""
        if self.more_body:
            return None
        if self.body and self.flow.read_paused:
            # As `receive` does: behind a request that takes its time, the peer's end is to be seen.
            self.flow.resume_reading()
        return bytes(self.body)

    def respond(self, status: int, lines: bytes, body: bytes) -> bool:
        """Send a finished response; False where the peer has to read first, for which `send` waits.

        `lines` are its headers as lines, with the length; `body` is empty for a HEAD.
        """
        if self.disconnected:
            self._end()
            return True
        if self.flow.write_paused:
            return False
        self.response_started = self.response_complete = True
        close = b"" if self.keep_alive else b"connection: close\r\n"
        head = b"%b%b%b%b\r\n" % (STATUS_LINE[status], self._state.default_lines(), lines, close)
        if len(body) <= _JOINED_BYTES_MAX:
            self.transport.write(head + body)
        else:
            self.transport.write(head)
            self.transport.write(body)
        if self.is_awaited:
            self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self._end()()
        return True

    def _end(self) -> Any:
        """Forget the connection, which would make a cycle for the collector; return what to call at the end."""
        on_response, self.on_response = self.on_response, _nothing
        return on_response


def _nothing() -> None:
    pass
