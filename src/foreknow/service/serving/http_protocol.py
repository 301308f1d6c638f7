"""uvicorn's HTTP protocol with limits.

httptools and uvicorn have none: a head may be endless, each of its pieces is appended to a copy of the earlier ones,
thousands of pipelined requests are parsed while the first is served, and a peer that stops sending or reading stays
connected. Here heads have limits, pieces are joined before parsing, reading pauses while requests wait, and every
connection's timeouts are checked once a second (`check_timeouts`).
"""

from __future__ import annotations

from asyncio import Transport
from functools import partial
from typing import Any, cast

import httptools

from foreknow.kernel.errors import BadRequest, DomainError, HeadersTooLarge, RateLimited
from foreknow.service.serving.cycle import Cycle
from foreknow.service.serving.head_buffer import HEAD_END, HEADERS_MAX, HeadBuffer, head_error
from foreknow.service.serving.last_transport import LastTransport
from foreknow.service.serving.phase import Phase
from foreknow.service.serving.request_protocol import POST, RequestProtocol
from foreknow.service.serving.responses import last_response, origin_in
from foreknow.service.serving.timeouts import ConnectionTimer, Wait
from foreknow.service.serving.upgrades import head_without_upgrade, is_upgrade
from foreknow.web.connection_limits import Closed, ConnectionSlot
from foreknow.web.event_streams import END

#: Bytes parsed at a time; also limits the pipelined requests parsed ahead.
PIECE_BYTES = 8 * 1024
#: Bytes received but not parsed while earlier requests are served; reading has paused long before.
HELD_BYTES_MAX = 1024 * 1024

# Python 3.11 takes 0.1 µs to find a member of an enumeration, and a request asks for some ten.
_BETWEEN, _HEAD, _BODY = Phase.BETWEEN, Phase.HEAD, Phase.BODY

_CLOSED: dict[type[DomainError], Closed] = {HeadersTooLarge: Closed.HEAD_TOO_LARGE}


class RequestRejected(Exception):
    """Raised through the parser to reject the request; the reason is in `_error`."""


class HttpProtocol(RequestProtocol):
    """One connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take uvicorn's arguments."""
        super().__init__(*args, **kwargs)
        self._phase = Phase.BETWEEN
        self._timeouts = ConnectionTimer()
        self._slot: ConnectionSlot | None = None
        #: The error of the request being parsed, and an error to send after the responses to earlier requests.
        self._error: DomainError | None = None
        self._pending_error: DomainError | None = None
        self._head = HeadBuffer()
        #: Received behind requests that are served first.
        self._held = b""
        #: The request being answered, or the last one; `cycle` is the one received last.
        self._answering: Cycle | None = None
        #: The request that is answered once what came with it is parsed.
        self._begun: Cycle | None = None
        #: Whether the peer has said that it sends no more, while it waits for responses.
        self._is_half_closed = False

    def close_soon(self) -> None:
        """Close the connection after the current response, with `Connection: close` if its head is not sent yet."""
        if not self.is_idle:
            self.cycle.keep_alive = False
            self.cycle.transport = cast("Transport", LastTransport(self.transport, self._close_after_response))

    def shutdown(self) -> None:
        """Start shutting down: uvicorn waits for the current response, so event streams are ended here."""
        super().shutdown()
        end = self._stream_end()
        if end is not None:
            end()

    # Called by the transport.

    def connection_made(self, transport: Any) -> None:
        """Apply the connection limits."""
        super().connection_made(transport)
        self._slot = self.server_state.connection_limits.enter(self.peer)
        if self._slot is None:
            transport.abort()
        elif self._slot.error is not None:
            self._phase = Phase.REFUSED

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's slot."""
        super().connection_lost(exc)
        if self.cycle is not None:
            self.cycle.transport = self.transport  # breaks a reference cycle
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        if self._slot is not None:
            self._slot.release()

    def data_received(self, data: bytes) -> None:
        """Parse what the peer sent."""
        # Fast path: nearly always a whole head, with or without its body.
        if self._phase is _BETWEEN and len(data) <= PIECE_BYTES and not self.pipeline and HEAD_END in data:
            if data[0] != POST or not self.turn_away(data):
                self._feed(data)
        else:
            self._parse(data)
        begun, self._begun = self._begun, None
        if begun is not None:
            self.answer(begun)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to stay open until whole requests are answered; not with TLS, nor for the peer of a stream."""
        if self.scheme == "https" or self._stream_end() is not None:
            return False
        if self._held:
            # Looked at again once these are parsed.
            self._is_half_closed = True
            return True
        if self._phase is Phase.BODY and self.pipeline:
            # Earlier requests are whole.
            self.pipeline.popleft()
            self._phase = Phase.IGNORING
            self._pending_error = BadRequest("The body ended before it was whole.")
        elif self._pending_error is None:
            # The last of its requests is not whole, is answered already, or was rejected.
            if self._phase in {Phase.BODY, Phase.IGNORING} or self.is_idle:
                return False
            self.close_soon()
        self._is_half_closed = True
        return True

    # Called by the parser.

    def on_message_begin(self) -> None:
        """Forget the message before, and begin to read a head."""
        self.url = b""
        self.headers = []
        self.expect_100_continue = False
        self._phase = _HEAD

    def on_headers_complete(self) -> None:
        """Begin a request."""
        self._check_head()
        if self.parser.should_upgrade():
            if self._is_upgrade_ignored():
                return
            if self._should_upgrade():
                self._phase = _BODY
                self.begin_socket()
                return
        before: Cycle | None = self.cycle
        was_idle = before is None or before.response_complete
        cycle = self.begin_cycle()
        if was_idle:
            self._begun = self._answering = cycle
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))
        self._phase = _BODY
        self._body.begin()
        if self.server_state.closing or not cycle.keep_alive:
            self.close_soon()

    def on_message_complete(self) -> None:
        """Finish reading a request, as uvicorn does but with fewer calls."""
        self._phase = _BETWEEN
        if self.parser.should_upgrade() and (self._should_upgrade() or self._is_upgrade_ignored()):
            return
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.more_body = False
            if cycle.is_awaited:
                cycle.message_event.set()

    # Called by uvicorn.

    def on_response_complete(self) -> None:
        """Continue with the next pipelined request. Replaces uvicorn's, which starts a timer here."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.pipeline:
            next_cycle: Any = self.pipeline.pop()[0]
            self._answering = next_cycle
            self.start(next_cycle, self.app)
        elif self._pending_error is not None:
            self._send_error(self._pending_error)
            return
        if self._held and not self.pipeline:
            held, self._held = self._held, b""
            self._parse(held)
            begun, self._begun = self._begun, None
            if begun is not None:
                # Not within this call: there may be thousands behind one another.
                self.start(begun, self.app)
            if self._is_half_closed and not self.eof_received():
                self.transport.close()
                return
        if not self.pipeline and self.flow.read_paused:
            self.flow.resume_reading()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the WebSocket protocol."""
        self._phase = Phase.IGNORING
        slot, self._slot = self._slot, None
        if slot is not None:
            slot.upgrade()
        protocol: Any = self.config.ws_protocol_class
        self.ws_protocol_class = partial(protocol, slot=slot)  # type: ignore[assignment]
        super().handle_websocket_upgrade()

    # Called by the sweep.

    def check_timeouts(self, now_s: float) -> None:
        """Close the connection if its peer is too slow; `now_s` is the event loop's time."""
        if self._is_half_closed and self._stream_end() is not None:
            self.transport.close()
            return
        unwritten = self.transport.get_write_buffer_size()
        wait = Wait.READER if unwritten else self._waits_for()
        amount = unwritten or self._body.content_bytes
        if not self._timeouts.is_over(now_s, wait, of=self.cycle, amount=amount):
            return
        if wait is Wait.READER:
            self._abort(Closed.READER_STALLED)
        elif wait is Wait.HEAD and self._phase is Phase.HEAD:
            self._reject(BadRequest("The request's head did not come in time."), Closed.HEAD_TOO_SLOW)
        elif wait is Wait.HEAD:
            self.server_state.connection_limits.closed[Closed.HEAD_TOO_SLOW] += 1
            self.transport.close()
        elif wait is Wait.BODY:
            self._reject(BadRequest("The request's body did not come in time."), Closed.BODY_TOO_SLOW)
        else:
            self.transport.close()

    def _stream_end(self) -> Any:
        """Return what ends the event stream being sent, if any."""
        cycle = self._answering
        if cycle is None or cycle.response_complete:
            return None
        scope: Any = cycle.scope
        return scope.get(END)

    def _waits_for(self) -> Wait:
        if self._phase in {Phase.IGNORING, Phase.REFUSED}:
            return Wait.NOTHING if self._pending_error is not None else Wait.CLOSING
        if self._phase is Phase.BODY:
            return Wait.NOTHING if self.flow.read_paused else Wait.BODY
        if not self.is_idle:
            return Wait.NOTHING
        return Wait.HEAD if self._phase is Phase.HEAD or self.cycle is None else Wait.NEXT_REQUEST

    # Parsing within limits.

    def _parse(self, data: bytes) -> None:
        """Parse piece by piece what is not one whole small request."""
        for start in range(0, len(data), PIECE_BYTES):
            if self._phase is Phase.IGNORING:
                return
            if self._phase is Phase.REFUSED:
                assert self._slot is not None
                assert self._slot.error is not None
                self.headers = list(origin_in(data))
                self._send_error(self._slot.error)
                return
            if self.pipeline:
                self._held += data[start:]
                self.flow.pause_reading()
                if len(self._held) > HELD_BYTES_MAX:
                    self._abort(Closed.MALFORMED)
                return
            piece = data[start : start + PIECE_BYTES]
            if self._phase is Phase.HEAD:
                whole = self._head.add(piece)
                if whole is not None:
                    self._feed(whole)
                elif self._head.is_too_large:
                    self._reject(HeadersTooLarge())
            else:
                self._feed(piece)

    def _feed(self, data: bytes) -> None:
        """Parse, and serve the requests whose heads end here."""
        body_bytes, size = self._body.content_bytes, len(data)
        was_in_body = self._phase is _BODY
        try:
            while True:
                try:
                    self.parser.feed_data(data)
                    break
                except httptools.HttpParserUpgrade as upgrade:
                    if not self._is_upgrade_ignored():
                        raise
                    rest = data[upgrade.args[0] :]
                    data, size = head_without_upgrade(self.parser, self.url, self.headers) + rest, len(rest)
        except httptools.HttpParserUpgrade:
            # CONNECT was served as a plain request.
            if self._should_upgrade():
                self.handle_websocket_upgrade()
                # Breaks a reference cycle: `connection_lost` is not called after the upgrade.
                self.parser = None  # type: ignore[assignment]
        except httptools.HttpParserError:
            # Not HTTP, or an unknown method.
            self._reject(self._error or BadRequest("This is no HTTP request, or its method is none that HTTP knows."))
        phase = self._phase
        if phase is _HEAD:
            self._head.on_parsed(data, size)
            if self._head.is_too_large or len(self.headers) > HEADERS_MAX:
                self._reject(HeadersTooLarge())
            return
        self._head.on_end()
        if phase is _BODY:
            # What the head ended in is the head's.
            self._check_body(size if was_in_body else 0, is_idle=self._body.content_bytes == body_bytes)

    def _is_upgrade_ignored(self) -> bool:
        """Whether the request is served as if it had no Upgrade header."""
        return is_upgrade(self.parser) and not self._should_upgrade() and self._phase is not Phase.IGNORING

    def _check_head(self) -> None:
        """Reject a head that cannot be served."""
        error = head_error(self.parser, self.url, self.headers, is_long=self._head.parsed_bytes > 0)
        self._head.parsed_bytes = 0
        if error is None and not self.is_idle and self.parser.should_upgrade() and self._should_upgrade():
            error = BadRequest("A WebSocket cannot be opened before earlier requests are answered.")
        if error is not None:
            self._error = error
            raise RequestRejected

    def _check_body(self, size: int, *, is_idle: bool) -> None:
        """Reject a body that goes on long after its response, or that makes far more work than its content."""
        cycle, body = self.cycle, self._body
        body.add(size, is_idle=is_idle)
        error = HeadersTooLarge() if len(self.headers) > HEADERS_MAX else body.error()
        if not cycle.response_started:
            if error is not None:
                self._reject(error, None if isinstance(error, HeadersTooLarge) else Closed.BODY_ENDLESS)
        elif error is not None or body.is_too_late(is_stream=not cycle.response_complete):
            self._abort(Closed.BODY_ENDLESS)

    # Rejecting.

    def _reject(self, error: DomainError, reason: Closed | None = None) -> None:
        """Reject the request being parsed, after the responses to earlier ones, and ignore further input."""
        if self._phase is Phase.IGNORING:
            return
        connection_limits = self.server_state.connection_limits
        connection_limits.closed[reason or _CLOSED.get(type(error), Closed.MALFORMED)] += 1
        wait_s = connection_limits.count_fault(self.peer)
        if wait_s:
            error = RateLimited(retry_after_s=wait_s)
        is_in_body, self._phase = self._phase is Phase.BODY, Phase.IGNORING
        cycle: Cycle | None = self.cycle
        if not is_in_body or cycle is None:
            if self.is_idle:
                self._send_error(error)
            else:
                self._pending_error = error
            return
        if cycle.response_complete:
            self.transport.close()
            return
        # Its response may have started; its body will never be complete.
        cycle.disconnected = True
        cycle.message_event.set()
        if self.pipeline:
            self.pipeline.popleft()
            self._pending_error = error
        elif cycle.response_started:
            self.transport.abort()
        else:
            self._send_error(error)

    def _send_error(self, error: DomainError) -> None:
        self._pending_error = None
        self.transport.write(last_response(error, self.server_state.cross_origin(), self.headers or ()))
        self._close_unread()

    def _close_after_response(self) -> None:
        if self._phase is Phase.BODY:
            self._close_unread()
        else:
            self.transport.close()

    def _close_unread(self) -> None:
        """Close once the peer has, or after a timeout: unread input would discard the response."""
        self._phase = Phase.IGNORING
        if self._is_half_closed or not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self.flow.resume_reading()

    def _abort(self, reason: Closed) -> None:
        self._phase = Phase.IGNORING
        self.server_state.connection_limits.closed[reason] += 1
        self.transport.abort()
