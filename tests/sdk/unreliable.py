"""What stands between a client and a service and is not to be relied on: a proxy that loses answers, a cable to cut."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Lose the answer of a request that was carried out; answer so instead of passing it on; or say 500 of what was done;
#: or do nothing to it.
LOSE, FAIL, PASS = "lose", "fail", "pass"
#: Headers of its own connection.
_OWN = {"connection", "content-length", "date"}


class Proxy:
    """Passes requests on to a service, but for the next ones, of which `plan` says what becomes of them."""

    def __init__(self, port: int) -> None:
        """Stand before the service on this port."""
        self.plan: deque[str | int] = deque()
        #: Method and path of each request, with its headers in lower case.
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy.pass_on(self, port)

            def do_POST(self) -> None:
                proxy.pass_on(self, port)

            def do_PATCH(self) -> None:
                proxy.pass_on(self, port)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextlib.contextmanager
    def running(self) -> Iterator[Proxy]:
        """Listen while the block runs."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def keys(self, path: str) -> list[str]:
        """Return the Idempotency-Keys that came to a path."""
        return [headers["idempotency-key"] for _, seen, headers in self.seen if seen.endswith(path)]

    def pass_on(self, handler: BaseHTTPRequestHandler, port: int) -> None:
        """Do with a request what is planned."""
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.seen.append((handler.command, handler.path, headers))
        body = handler.rfile.read(int(headers.get("content-length", 0)))
        planned = self.plan.popleft() if self.plan else None
        if isinstance(planned, int):
            _answer(handler, planned, b'{"error": "unavailable", "message": "Not now."}', [("Retry-After", "0")])
            return
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request(handler.command, handler.path, body, headers | {"connection": "close"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if planned == LOSE:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
        elif planned == FAIL:
            _answer(handler, 500, b'{"error": "internal_error", "message": "It broke."}', [])
        else:
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in _OWN]
            _answer(handler, answer.status, content, kept)


def _answer(handler: BaseHTTPRequestHandler, status: int, content: bytes, headers: list[tuple[str, str]]) -> None:
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


class Cable:
    """Carries connections to a service until they are cut."""

    def __init__(self, port: int) -> None:
        """Lead to the service on this port."""
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._pumps: list[threading.Thread] = []

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @contextlib.contextmanager
    def laid(self) -> Iterator[Cable]:
        """Carry connections while the block runs."""
        thread = threading.Thread(target=self._accept)
        thread.start()
        try:
            yield self
        finally:
            self._listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            self._listener.close()
            self.cut()
            for pump in self._pumps:
                pump.join()
            for end in self._ends:
                end.close()

    def cut(self) -> None:
        """Cut all connections; the next ones are carried again."""
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    self._pumps.append(threading.Thread(target=_pump, args=(source, target)))
                    self._pumps[-1].start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
