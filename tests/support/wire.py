"""HTTP/1.1 for the clients of tests: `httpx` as it is used, over sockets and a parser in C.

httpx's own pool and parser take more than half of what a request costs a test.
"""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import httptools
import httpx

_CHUNK: Final = 65_536


class Wire(httpx.BaseTransport):
    """Connections to services of this machine, which clients share; each is used by one request at a time."""

    def __init__(self) -> None:
        """Begin without connections."""
        #: By host and port: those that no request uses.
        self._idle: dict[tuple[str, int], list[socket.socket]] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request over a connection that is free, or a new one."""
        timeout_s = request.extensions.get("timeout", {}).get("read")
        exchange = _Exchange(self._connection(_address(request), timeout_s), request)
        try:
            exchange.send()
            return exchange.response(then=self._give_back)
        except BaseException:
            exchange.connected.close()
            raise

    def close(self) -> None:
        """Keep the connections: that a client is closed leaves them to the others."""

    def close_all(self) -> None:
        """Close all connections that no request uses."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()

    def _connection(self, address: tuple[str, int], timeout_s: float | None) -> socket.socket:
        idle = self._idle.get(address, [])
        while idle:
            with contextlib.suppress(IndexError):  # another thread was faster
                connected = idle.pop()
                # What can be read before a request is its end.
                if not select.select([connected], [], [], 0)[0]:
                    connected.settimeout(timeout_s)
                    return connected
                connected.close()
        return _connect(address, timeout_s)

    def _give_back(self, exchange: _Exchange) -> None:
        if exchange.can_go_on:
            self._idle.setdefault(_address(exchange.request), []).append(exchange.connected)
        else:
            exchange.connected.close()


def send_together(requests: Sequence[httpx.Request], *, timeout_s: float) -> list[httpx.Response]:
    """Send all requests, each over a new connection, before any response is read; return these in order."""
    with contextlib.ExitStack() as closing:
        exchanges = [
            _Exchange(closing.enter_context(_connect(_address(request), timeout_s)), request) for request in requests
        ]
        for exchange in exchanges:
            exchange.send()
        responses = [exchange.response(then=_close) for exchange in exchanges]
        for response, request in zip(responses, requests, strict=True):
            response.request = request
            response.read()
    return responses


def _address(request: httpx.Request) -> tuple[str, int]:
    return request.url.host, request.url.port or 80


def _close(exchange: _Exchange) -> None:
    exchange.connected.close()


def _connect(address: tuple[str, int], timeout_s: float | None) -> socket.socket:
    try:
        connected = socket.create_connection(address, timeout=timeout_s)
    except TimeoutError as failure:
        raise httpx.ConnectTimeout(str(failure)) from failure
    except OSError as failure:
        raise httpx.ConnectError(str(failure)) from failure
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


class _Exchange:
    """A request and its response on a connection."""

    def __init__(self, connected: socket.socket, request: httpx.Request) -> None:
        self.connected = connected
        self.request = request
        self._parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.chunks: list[bytes] = []
        self.has_head = self.is_complete = False
        #: Whether the connection may carry another request.
        self.can_go_on = False

    def send(self) -> None:
        """Send the request; that a server closes early shows in its response."""
        request = self.request
        head = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
        head += [b"%s: %s" % header for header in request.headers.raw]
        sent = b"\r\n".join([*head, b"", b""])
        assert isinstance(request.stream, httpx.SyncByteStream)
        with contextlib.suppress(ConnectionError):
            if "transfer-encoding" not in request.headers:
                self.connected.sendall(sent + b"".join(request.stream))
                return
            self.connected.sendall(sent)
            for chunk in request.stream:
                self.connected.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.connected.sendall(b"0\r\n\r\n")

    def response(self, *, then: Callable[[_Exchange], None]) -> httpx.Response:
        """Return the response once its head is there; when it is closed, `then` is called."""
        while not self.has_head:
            self.receive()
        return httpx.Response(self.status, headers=self.headers, stream=_Body(self, then))

    def receive(self) -> None:
        """Receive some more."""
        try:
            data = self.connected.recv(_CHUNK)
        except TimeoutError as failure:
            raise httpx.ReadTimeout("timed out") from failure
        except OSError as failure:
            raise httpx.ReadError(str(failure)) from failure
        if data:
            with contextlib.suppress(httptools.HttpParserUpgrade):
                self._parser.feed_data(data)
            return
        # A response without a length ends with its connection.
        names = {name.lower() for name, _ in self.headers}
        if not self.has_head:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
        if names & {b"content-length", b"transfer-encoding"}:
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")
        self.is_complete = True

    def on_header(self, name: bytes, content: bytes) -> None:
        """Take a header."""
        self.headers.append((name, content))

    def on_headers_complete(self) -> None:
        """Note that the head is there; that of 100 and 103 is followed by another."""
        self.status = self._parser.get_status_code()
        if self.status in {httpx.codes.CONTINUE, httpx.codes.EARLY_HINTS}:
            self.headers.clear()
            return
        self.has_head = True
        if self.request.method == "HEAD":
            self.is_complete, self.can_go_on = True, self._parser.should_keep_alive()

    def on_body(self, chunk: bytes) -> None:
        """Take some of the body."""
        self.chunks.append(chunk)

    def on_message_complete(self) -> None:
        """Note that all is there."""
        self.is_complete = self.has_head
        is_upgraded = self.status == httpx.codes.SWITCHING_PROTOCOLS
        self.can_go_on = self.has_head and not is_upgraded and self._parser.should_keep_alive()


class _Body(httpx.SyncByteStream):
    """The body of a response, which may come as long as it is read."""

    def __init__(self, exchange: _Exchange, then: Callable[[_Exchange], None]) -> None:
        self._exchange, self._then = exchange, then

    def __iter__(self) -> Iterator[bytes]:
        exchange = self._exchange
        while exchange.chunks or not exchange.is_complete:
            if not exchange.chunks:
                exchange.receive()
            yield from exchange.chunks
            exchange.chunks.clear()

    def close(self) -> None:
        self._then(self._exchange)
