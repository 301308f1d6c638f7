"""How long a connection is waited for, over real sockets with shorter times."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import pytest

from foreknow.service import server
from foreknow.service.serving import body_meter, timeouts
from foreknow.web.connection_limits import Closed, ConnectionLimiter
from tests.support.raw_connection import RawConnection
from tests.support.service import Service, expect, pool
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

HEALTH = "GET /api/v1/health"
SIGN_IN = "POST /api/v1/auth/sign-in"
JSON = "Content-Type: application/json"
#: Over before a second look.
SOON_S = 0.05


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the connections ten times a second."""
    monkeypatch.setattr(server, "_SWEEP_TICKS", 1)


@pytest.fixture
def connection_limits(service: Service) -> ConnectionLimiter:
    """Where the shared service counts what it closed."""
    return service.app.ingress.connection_limits


@contextlib.contextmanager
def counted(connection_limits: ConnectionLimiter, reason: Closed) -> Iterator[None]:
    """Check that one connection is closed for `reason` in the block."""
    before = connection_limits.closed[reason]
    yield
    assert connection_limits.closed[reason] == before + 1


def test_a_connection_that_brings_no_request_is_closed(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeouts, "HEAD_S", SOON_S)
    with counted(connection_limits, Closed.HEAD_TOO_SLOW), RawConnection(service) as wire:
        assert wire.ends()


@pytest.mark.real_time("bytes come in time, all of them do not")
def test_a_head_that_comes_byte_by_byte_is_refused(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted(connection_limits, Closed.HEAD_TOO_SLOW), RawConnection(service) as wire:
        first, *rest = wire.head(HEALTH, "X-Fill: " + "x" * 60_000)
        wire.send(bytes([first]))
        # By now that is read: a head has begun, and what is refused is not a connection that brings nothing.
        expect(service.client().get("/health"), 200)
        monkeypatch.setattr(timeouts, "HEAD_S", 0.5)
        for byte in rest:
            with contextlib.suppress(ConnectionError):
                wire.send(bytes([byte]))
            time.sleep(0.02)
            if wire.has_news:
                break
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (400, "bad_request")
        assert wire.ends()


def test_a_second_head_has_its_own_time_and_idle_connections_theirs(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RawConnection(service) as half, RawConnection(service) as idle:
        for wire in (half, idle):
            wire.send(wire.head(HEALTH))
            assert wire.answer()[0].status == 200
        half.send(b"GET /")
        before = connection_limits.closed.copy()
        monkeypatch.setattr(timeouts, "HEAD_S", SOON_S)
        assert half.answer()[0].status == 400
        assert (connection_limits.closed - before) == {Closed.HEAD_TOO_SLOW: 1}
        assert not idle.has_news

        monkeypatch.setattr(timeouts, "KEEP_ALIVE_S", SOON_S)
        assert idle.ends()
        assert (connection_limits.closed - before) == {Closed.HEAD_TOO_SLOW: 1}


@pytest.mark.parametrize("bytes_first", [0, 10])
def test_a_body_that_does_not_come_is_refused_and_does_nothing(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch, bytes_first: int
) -> None:
    monkeypatch.setattr(timeouts, "BODY_S", SOON_S)
    with counted(connection_limits, Closed.BODY_TOO_SLOW), RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Content-Length: 1000") + b"x" * bytes_first)
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (400, "bad_request")
        assert wire.ends()


@pytest.mark.real_time("bytes come in time, all of them do not")
def test_a_body_that_drips_is_refused(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Always something in time, and an hour in all."""
    monkeypatch.setattr(timeouts, "BODY_S", 0.5)
    with counted(connection_limits, Closed.BODY_TOO_SLOW), RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Content-Length: 60000"))
        for _ in range(60_000):
            wire.send(b"x")
            time.sleep(0.02)
            if wire.has_news:
                break
        assert wire.answer()[0].status == 400


@pytest.mark.real_time("several looks at connections find nothing")
def test_a_handler_that_takes_its_time_is_no_fault_of_its_client(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_service()
    client = service.client()
    expect(client.post("/chat/session"), 201)
    with client.stream("GET", "/chat/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("data")
        # Only while nothing else is under way, which a busy machine would take too long for.
        with monkeypatch.context() as quick:
            for name in ("HEAD_S", "BODY_S", "READER_S", "KEEP_ALIVE_S"):
                quick.setattr(timeouts, name, SOON_S)
            # Some looks later it is still there.
            time.sleep(0.5)
        with RawConnection(service) as wire:
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            body = b'{"text": "hello"}'
            about = (f"Cookie: {cookie}", JSON, f"Content-Length: {len(body)}", "Sec-Fetch-Site: same-origin")
            wire.send(wire.head("POST /api/v1/chat/message", *about) + body)
            assert wire.answer()[0].status < 300
        assert any("hello" in line for line in lines)


def test_a_reader_that_takes_nothing_is_cut(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_id = service.event(pools=[pool(rules="x" * 20_000)])["id"]
    monkeypatch.setattr(timeouts, "READER_S", SOON_S)
    before = connection_limits.closed[Closed.READER_STALLED]
    with RawConnection(service, receive_bytes=4_096) as wire:
        # More than the system holds for the two of them. On a busy machine it is cut before all is sent.
        with contextlib.suppress(ConnectionError):
            for _ in range(1_000):
                wire.send(wire.head(f"GET /api/v1/events/{event_id}"))
        wait_until(lambda: connection_limits.closed[Closed.READER_STALLED] > before)


def test_a_late_body_ends(
    service: Service, connection_limits: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_meter, "LATE_BODY_BYTES_MAX", 1024 * 1024)
    with RawConnection(service) as wire:
        # A body that its answer did not wait for is read to its end, and the connection goes on.
        size = 500_000
        wire.send(wire.head(SIGN_IN, JSON, f"Content-Length: {size}") + b"x" * size + wire.head(HEALTH))
        assert [wire.answer()[0].status for _ in range(2)] == [413, 200]
        with counted(connection_limits, Closed.BODY_ENDLESS):
            wire.send(wire.head(SIGN_IN, JSON, "Content-Length: 100000000"))
            with contextlib.suppress(ConnectionError):
                for _ in range(1_000):
                    wire.send(b"x" * 100_000)
                pytest.fail("all of it was taken")


#: Chunks that bring a byte, and next to nothing.
CRUMBS = b"1\r\nx\r\n" * 1_000
WRAPPED = b"1;" + b"x" * 4_000 + b"\r\nx\r\n"


@pytest.mark.parametrize("chunks", [CRUMBS, WRAPPED])
def test_a_late_body_of_crumbs_ends(service: Service, connection_limits: ConnectionLimiter, chunks: bytes) -> None:
    with counted(connection_limits, Closed.BODY_ENDLESS), RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Transfer-Encoding: chunked") + b"11000\r\n" + b"x" * 0x11000 + b"\r\n")
        assert wire.answer()[0].status == 413
        sent = 0
        with contextlib.suppress(ConnectionError):
            # Content is allowed 8 MiB, which is what would end these.
            while sent < 40_000_000:
                wire.send(chunks)
                sent += len(chunks)
            pytest.fail("all of it was taken")


def test_a_body_of_crumbs_is_refused_before_it_is_whole(service: Service, connection_limits: ConnectionLimiter) -> None:
    with counted(connection_limits, Closed.BODY_ENDLESS), RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Transfer-Encoding: chunked"))
        # Less content than may be sent.
        with contextlib.suppress(ConnectionError):
            wire.send(CRUMBS * 20)
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (400, "bad_request")
        assert wire.ends()


def test_a_body_wrapped_in_extensions_is_refused(service: Service, connection_limits: ConnectionLimiter) -> None:
    with counted(connection_limits, Closed.HEAD_TOO_LARGE), RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Transfer-Encoding: chunked"))
        with contextlib.suppress(ConnectionError):
            wire.send(WRAPPED * 100)
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (431, "headers_too_large")
        assert wire.ends()


def test_a_body_in_small_chunks_is_taken(service: Service) -> None:
    with RawConnection(service) as wire:
        content = b'{"login": "unknown", "password": "wrong password"}'.ljust(5_000)
        chunks = b"".join(b"1;extension=1\r\n%c\r\n" % byte for byte in content)
        for end in (b"0\r\n\r\n", b"0\r\nX-Trailer: 1\r\n\r\n"):
            wire.send(wire.head(SIGN_IN, JSON, "Transfer-Encoding: chunked") + chunks + end)
            assert wire.answer()[0].status == 401


def test_a_stream_whose_peer_sends_a_body_without_end_is_cut(
    service: Service, connection_limits: ConnectionLimiter
) -> None:
    client = service.client()
    expect(client.post("/chat/session"), 201)
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    with counted(connection_limits, Closed.BODY_ENDLESS), RawConnection(service) as wire:
        wire.send(wire.head("GET /api/v1/chat/stream", f"Cookie: {cookie}", "Transfer-Encoding: chunked"))
        assert wire.socket.recv(12) == b"HTTP/1.1 200"
        with contextlib.suppress(ConnectionError):
            for _ in range(1_000):
                wire.send(b"1\r\nx\r\n" * 1_000)
            pytest.fail("all of it was taken")


@pytest.mark.parametrize(
    "rest", [b"1;" + b"x" * 100_000, b"0\r\nX-Trailer: " + b"x" * 100_000, b"0\r\n" + b"a:b\r\n" * 1_000]
)
def test_the_frame_of_a_body_ends(service: Service, rest: bytes) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head(SIGN_IN, JSON, "Transfer-Encoding: chunked"))
        with contextlib.suppress(ConnectionError):
            wire.send(rest)
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (431, "headers_too_large")


def test_a_socket_cannot_be_opened_behind_a_stream(service: Service) -> None:
    """The stream would never hear that its peer has gone."""
    client = service.client()
    expect(client.post("/chat/session"), 201)
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    streams = service.app.ingress.sockets.open
    with RawConnection(service) as wire:
        upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        wire.send(wire.head("GET /api/v1/chat/stream", f"Cookie: {cookie}"))
        wait_until(lambda: service.app.ingress.sockets.open == streams + 1)
        wire.send(wire.head("GET /api/v1/ws/trades", *upgrade, key))
    wait_until(lambda: service.app.ingress.sockets.open == streams)
