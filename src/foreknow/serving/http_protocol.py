"""HTTP as uvicorn speaks it with httptools, within bounds.

httptools and uvicorn bound nothing themselves: a head may go on for ever, each of its pieces is appended to a copy of
those before it, thousands of pipelined requests are taken in while the first is answered, and whoever stops sending or
reading stays. Here a head ends, pieces are put together before they are parsed, reading pauses while requests wait, and
every connection is looked at once a second (`look`).
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from foreknow.kernel.errors import BadRequest, DomainError, HeadersTooLarge, RateLimited
from foreknow.serving.state import State
from foreknow.serving.timeouts import Timeouts, Wait
from foreknow.web.client_ip import UNKNOWN
from foreknow.web.connection_limits import Closed, ConnectionSlot
from foreknow.web.responses import error_response
from foreknow.web.streams import END

#: The request line and all headers together.
HEAD_BYTES_MAX = 64 * 1024
HEADERS_MAX = 100
#: So much is parsed at a time: whoever pipelines requests has so many bytes of them waiting at most.
PIECE_BYTES = 8 * 1024
#: So much may be received and not parsed while earlier requests are answered; reading has paused long before.
HELD_BYTES_MAX = 1024 * 1024
#: So much of a body may follow once its request was answered, by clients who read no answer before they have sent all;
#: and so much once a stream has begun, which needs none.
LATE_BODY_BYTES_MAX = 8 * 1024 * 1024
STREAM_BODY_BYTES_MAX = 64 * 1024
#: So many bytes, in so many pieces, may come in a body that are none of it: a chunk's extensions, trailers.
IDLE_BYTES_MAX = 64 * 1024
IDLE_PIECES_MAX = 1024

_HEAD_END = b"\r\n\r\n"
_CLOSED: dict[type[DomainError], Closed] = {HeadersTooLarge: Closed.HEAD_TOO_LARGE}


class Phase(Enum):
    """Where in the peer's requests we are."""

    BETWEEN = 0
    HEAD = 1
    BODY = 2
    #: It was not let in: it is told so at its first bytes.
    REFUSED = 3
    #: Nothing it sends is looked at any more.
    DEAF = 4


class Stop(Exception):
    """Raised through the parser: the request is refused."""


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    server_state: State

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what uvicorn gives."""
        super().__init__(*args, **kwargs)
        self._phase = Phase.BETWEEN
        self._patience = Timeouts()
        self._place: ConnectionSlot | None = None
        #: Why the request that is being parsed is refused, and what is to be answered once all before it is.
        self._refusal: DomainError | None = None
        self._owed: DomainError | None = None
        #: Of a head in pieces: how much was parsed, its last bytes, and what waits to be parsed with the rest.
        self._head_bytes = 0
        self._tail = b""
        self._drips: list[bytes] = []
        self._drip_bytes = 0
        #: What came behind requests that have to be answered first.
        self._held = b""
        self._body_bytes = 0
        self._idle_bytes = self._idle_pieces = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""
        # uvicorn types it as if there were always one.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    @property
    def peer(self) -> str:
        """The address of who is connected."""
        return self.client[0] if self.client else UNKNOWN

    def close_soon(self) -> None:
        """Say `Connection: close` in the answer under way, if it has not begun, and do it."""
        if not self.is_idle:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Begin to stop: uvicorn lets an answer under way finish, which an event stream never does by itself."""
        super().shutdown()
        if not self.is_idle:
            end = dict[str, Any](self.cycle.scope).get(END)
            if end is not None:
                end()

    # What the transport calls.

    def connection_made(self, transport: Any) -> None:
        """Let it in, or not."""
        super().connection_made(transport)
        self._place = self.server_state.connection_limits.enter(self.peer)
        if self._place is None:
            transport.abort()
        elif self._place.error is not None:
            self._phase = Phase.REFUSED

    def connection_lost(self, exc: Exception | None) -> None:
        """Be done with it."""
        super().connection_lost(exc)
        if self._place is not None:
            self._place.leave()

    def data_received(self, data: bytes) -> None:
        """Take in what the peer sent."""
        # Nearly always a whole head, with its body or without.
        if self._phase is Phase.BETWEEN and len(data) <= PIECE_BYTES and not self.pipeline and _HEAD_END in data:
            self._feed(data)
        else:
            self._take(data)

    # What the parser calls.

    def on_headers_complete(self) -> None:
        """Begin to answer a request."""
        self._check_head()
        super().on_headers_complete()
        self._phase = Phase.BODY
        self._body_bytes = self._idle_bytes = self._idle_pieces = 0
        if self.server_state.closing:
            self.close_soon()

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Be done with reading a request. What uvicorn does here, without a call more."""
        self._phase = Phase.BETWEEN
        cycle = self.cycle
        if not ((self.parser.should_upgrade() and self._should_upgrade()) or cycle.response_complete):
            cycle.more_body = False
            cycle.message_event.set()

    # What uvicorn calls.

    def on_response_complete(self) -> None:
        """Go on with what came behind the request that was answered. Instead of uvicorn's, which makes a timer here."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.pipeline:
            cycle, app = self.pipeline.pop()
            self._start_asgi_task(cycle, app)
        elif self._owed is not None:
            self._say_no(self._owed)
            return
        if self._held and not self.pipeline:
            held, self._held = self._held, b""
            self._take(held)
        if not self.pipeline:
            self.flow.resume_reading()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over."""
        self._phase = Phase.DEAF
        place, self._place = self._place, None
        if place is not None:
            place.upgrade()
        protocol: Any = self.config.ws_protocol_class
        self.ws_protocol_class = partial(protocol, place=place)  # type: ignore[assignment]
        super().handle_websocket_upgrade()

    # What the sweep calls.

    def look(self, now_s: float) -> None:
        """Close it where its peer has kept it waiting for too long; `now_s` is the event loop's time."""
        unwritten = self.transport.get_write_buffer_size()
        wait = Wait.READER if unwritten else self._waits_for()
        amount = unwritten or self._body_bytes
        if not self._patience.is_over(now_s, wait, of=self.cycle, amount=amount):
            return
        if wait is Wait.READER:
            self._cut(Closed.READER_STALLED)
        elif wait is Wait.HEAD and self._phase is Phase.HEAD:
            self._refuse(BadRequest("The request's head did not come in time."), Closed.HEAD_TOO_SLOW)
        elif wait is Wait.HEAD:
            self.server_state.connection_limits.closed[Closed.HEAD_TOO_SLOW] += 1
            self.transport.close()
        elif wait is Wait.BODY:
            self._refuse(BadRequest("The request's body did not come in time."), Closed.BODY_TOO_SLOW)
        else:
            self.transport.close()

    def _waits_for(self) -> Wait:
        if self._phase is Phase.DEAF:
            return Wait.NOTHING if self._owed is not None else Wait.FAREWELL
        if self._phase is Phase.REFUSED:
            return Wait.FAREWELL
        if self._phase is Phase.BODY:
            return Wait.NOTHING if self.flow.read_paused else Wait.BODY
        if not self.is_idle:
            return Wait.NOTHING
        return Wait.HEAD if self._phase is Phase.HEAD or self.cycle is None else Wait.NEXT_REQUEST

    # Parsing within bounds.

    def _take(self, data: bytes) -> None:
        """Parse, piece by piece, what is no whole request or too long for one piece."""
        for start in range(0, len(data), PIECE_BYTES):
            if self._phase is Phase.DEAF:
                return
            if self._phase is Phase.REFUSED:
                assert self._place is not None
                assert self._place.error is not None
                self._say_no(self._place.error)
                return
            if self.pipeline:
                self._hold(data[start:])
                return
            piece = data[start : start + PIECE_BYTES]
            if self._phase is Phase.HEAD:
                self._feed_drip(piece)
            else:
                self._feed(piece)

    def _hold(self, data: bytes) -> None:
        self._held += data
        self.flow.pause_reading()
        if len(self._held) > HELD_BYTES_MAX:
            self._cut(Closed.MALFORMED)

    def _feed_drip(self, piece: bytes) -> None:
        """Parse a head's next piece once the head ends, or as much waits as was parsed: nothing is copied often."""
        window = self._tail + piece
        self._tail = window[-3:]
        self._drips.append(piece)
        self._drip_bytes += len(piece)
        if _HEAD_END in window or self._drip_bytes >= self._head_bytes:
            whole = b"".join(self._drips)
            self._drips.clear()
            self._drip_bytes = 0
            self._feed(whole)
        # What ended the message before may be counted in here; how long the head is, is known when it ends.
        elif self._head_bytes + self._drip_bytes > HEAD_BYTES_MAX + PIECE_BYTES:
            self._refuse(HeadersTooLarge())

    def _feed(self, data: bytes) -> None:
        """Parse, and answer what begins in here."""
        body_bytes = self._body_bytes
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # One to anything else was answered as if it had not asked.
            if self._should_upgrade():
                self.handle_websocket_upgrade()
                # They refer to each other, and nobody says that this connection is lost.
                self.parser = None  # type: ignore[assignment]
        except httptools.HttpParserError:
            # What is no HTTP, an unknown method too.
            error = self._refusal or BadRequest("This is no HTTP request, or its method is none that HTTP knows.")
            self._refuse(error)
        phase = self._phase
        scope: Any = self.scope
        # uvicorn writes the method into a request's scope when its head has ended.
        if phase is Phase.HEAD or (phase is Phase.BETWEEN and scope is not None and "method" not in scope):
            self._phase = Phase.HEAD
            self._head_bytes += len(data)
            self._tail = (self._tail + data)[-3:]
            if self._head_bytes > HEAD_BYTES_MAX + PIECE_BYTES or len(self.headers) > HEADERS_MAX:
                self._refuse(HeadersTooLarge())
            return
        if self._tail:
            self._tail = b""
        if phase is Phase.BODY:
            self._check_body(len(data), is_new=self._body_bytes == body_bytes)

    def _check_head(self) -> None:
        """Refuse a head that is too large, or does not say once which host it is for."""
        headers = self.headers
        if len(headers) > HEADERS_MAX or (self._head_bytes and self._head_size() > HEAD_BYTES_MAX):
            self._refusal = HeadersTooLarge()
            raise Stop
        self._head_bytes = 0
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 and (hosts or self.parser.get_http_version() != "1.0"):
            self._refusal = BadRequest("A request has exactly one Host header.")
            raise Stop
        cycle: RequestResponseCycle | None = self.cycle
        is_idle = cycle is None or cycle.response_complete
        if not is_idle and self.parser.should_upgrade() and self._should_upgrade():
            self._refusal = BadRequest("A WebSocket cannot be opened before earlier requests are answered.")
            raise Stop

    def _head_size(self) -> int:
        # Each header with a colon, a space and the line's end; the request line with its method and version.
        lines = sum(len(name) + len(value) + 4 for name, value in self.headers)
        return len(self.parser.get_method()) + len(self.url) + 12 + lines + 2

    def _check_body(self, size: int, *, is_new: bool) -> None:
        """Refuse a body that goes on where nobody wants it any more, or brings nothing but its frame."""
        cycle = self.cycle
        if is_new:
            self._idle_bytes += size
            self._idle_pieces += 1
        else:
            self._idle_bytes = self._idle_pieces = 0
        if self._idle_bytes > IDLE_BYTES_MAX or self._idle_pieces > IDLE_PIECES_MAX or len(self.headers) > HEADERS_MAX:
            self._refuse(HeadersTooLarge())
        elif cycle.response_started:
            bound = LATE_BODY_BYTES_MAX if cycle.response_complete else STREAM_BODY_BYTES_MAX
            if self._body_bytes > bound:
                self._cut(Closed.BODY_ENDLESS)

    # Refusing.

    def _refuse(self, error: DomainError, reason: Closed | None = None) -> None:
        """Refuse what is being parsed, once all before it is answered, and hear no more."""
        if self._phase is Phase.DEAF:
            return
        connection_limits = self.server_state.connection_limits
        connection_limits.closed[reason or _CLOSED.get(type(error), Closed.MALFORMED)] += 1
        wait_s = connection_limits.count_fault(self.peer)
        if wait_s:
            error = RateLimited(retry_after_s=wait_s)
        is_in_body, self._phase = self._phase is Phase.BODY, Phase.DEAF
        cycle: RequestResponseCycle | None = self.cycle
        if not is_in_body or cycle is None:
            self._answer_or_owe(error)
            return
        if cycle.response_complete:
            # It has had its answer.
            self.transport.close()
            return
        # It may have begun to be answered, and its body will never be whole.
        cycle.disconnected = True
        cycle.message_event.set()
        if self.pipeline:
            self.pipeline.popleft()
            self._owed = error
        elif cycle.response_started:
            self.transport.abort()
        else:
            self._say_no(error)

    def _answer_or_owe(self, error: DomainError) -> None:
        if self.is_idle:
            self._say_no(error)
        else:
            self._owed = error

    def _say_no(self, error: DomainError) -> None:
        """Answer, and close once the peer has, or before long: what it still sends would make the answer be lost."""
        self._phase = Phase.DEAF
        self._owed = None
        answer = error_response(error)
        headers = (*answer.headers, (b"content-length", b"%d" % len(answer.body)), (b"connection", b"close"))
        head = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(STATUS_LINE[answer.status] + head + b"\r\n" + answer.body)
        self.transport.write_eof()
        self.flow.resume_reading()

    def _cut(self, reason: Closed) -> None:
        self._phase = Phase.DEAF
        self.server_state.connection_limits.closed[reason] += 1
        self.transport.abort()
