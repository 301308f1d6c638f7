"""What answers a client may send it nowhere else, nor fill its memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from foreknow_client import AnswerNotUnderstood, AsyncClient, Client, FateUnknown, endpoints
from foreknow_client import client as client_module
from tests.sdk.line import BET

HEALTH = b'{"status": "ok", "timestamp": "2026-03-01T18:00:00.000Z", "uptime_seconds": 1}'
#: Answers longer than the client reads, and what it reads of one here.
ENDLESS_BYTES, BOUND_BYTES = 100_000_000, 1_000_000
KEY = "fku_secret"


class Server(ThreadingHTTPServer):
    """Answers the first look, and redirects all else to `target`; without one it sends answers without end."""

    target: str
    sent_bytes: int
    seen: list[dict[str, str]]


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append({name.lower(): value for name, value in self.headers.items()})
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/health"):
            self._answer(200, HEALTH)
        elif self.server.target:
            self._answer(302, b"", Location=self.server.target + self.path)
        else:
            self.close_connection = True
            self._answer(200, b"[", of=ENDLESS_BYTES)
            while self.server.sent_bytes < ENDLESS_BYTES:
                try:
                    self.wfile.write(b" " * 100_000)
                except OSError:
                    return
                self.server.sent_bytes += 100_000

    do_POST = do_GET  # noqa: N815 - as the base class calls it

    def _answer(self, status: int, body: bytes, *, of: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if of is None else of))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def running() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.target, server.sent_bytes, server.seen = "", 0, []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


elsewhere = pytest.fixture(running, name="elsewhere")
server = pytest.fixture(running, name="server")


def url_of(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


async def test_no_redirect_is_followed_so_the_key_goes_nowhere_else(server: Server, elsewhere: Server) -> None:
    server.target = url_of(elsewhere).replace("127.0.0.1", "localhost")
    with Client(url_of(server), key=KEY) as client:
        stream = endpoints.stream_chat()
        for call in (
            client.get_me,
            lambda: next(client.follow_trades()),
            lambda: next(client.watch_events([1])),
            lambda: next(iter(client.stream(stream))),
        ):
            with pytest.raises(AnswerNotUnderstood, match="redirected to"):
                call()
    async with AsyncClient(url_of(server), key=KEY) as other:
        for waiting in (other.get_me(), anext(other.follow_trades()), anext(aiter(other.stream(stream)))):
            with pytest.raises(AnswerNotUnderstood, match="redirected to"):
                await waiting
    assert elsewhere.seen == []
    assert sum(headers.get("authorization") == f"Bearer {KEY}" for headers in server.seen) >= 7


async def test_an_answer_is_read_up_to_a_bound(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ANSWER_BYTES_MAX", BOUND_BYTES)
    with Client(url_of(server)) as client:
        with pytest.raises(AnswerNotUnderstood, match="the answer is over"):
            client.get_me()
        with pytest.raises(FateUnknown, match="the answer is over"):
            client.send(BET)
    async with AsyncClient(url_of(server)) as other:
        with pytest.raises(AnswerNotUnderstood, match="the answer is over"):
            await other.get_me()
    # What the connections hold comes on top.
    assert server.sent_bytes < ENDLESS_BYTES / 2
