"""Clients that send all they have to say, and then only listen."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator

import pytest

from foreknow.service.serving import http_protocol, timeouts
from foreknow.web.connection_limits import Closed
from tests.support.raw_connection import RawConnection
from tests.support.service import Service, expect
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

HEALTH = "GET /api/v1/health"
SIGN_IN = "POST /api/v1/auth/sign-in"
JSON = "Content-Type: application/json"
BODY = b'{"login": "unknown", "password": "wrong password"}'


def send_last(wire: RawConnection, data: bytes) -> None:
    # In one segment with its end: another process may run between the two.
    wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    wire.send(data)
    wire.socket.shutdown(socket.SHUT_WR)


def statuses(wire: RawConnection, count: int) -> list[int]:
    return [wire.answer()[0].status for _ in range(count)]


@contextlib.contextmanager
def leaving_nothing(service: Service) -> Iterator[None]:
    """Wait until none of the connections and streams that the block opened is left."""
    connections = service.server._server.server_state.connections
    before, streams = set(connections), service.app.ingress.sockets.open
    yield
    wait_until(lambda: service.app.ingress.sockets.open <= streams)
    wait_until(lambda: connections <= before)


def sign_in(wire: RawConnection) -> bytes:
    return wire.head(SIGN_IN, JSON, f"Content-Length: {len(BODY)}") + BODY


def chat_cookie(service: Service) -> str:
    """Return what a request for a stream of events needs."""
    client = service.client()
    expect(client.post("/chat/session"), 201)
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    client.close()
    return f"Cookie: {cookie}"


def test_a_whole_request_is_answered_and_then_the_connection_closed(service: Service) -> None:
    with RawConnection(service) as wire:
        # A password takes its time, and the end is there long before.
        send_last(wire, sign_in(wire))
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (401, "invalid_credentials")
        assert answer.headers["connection"] == "close"
        assert wire.ends()


@pytest.mark.parametrize("rest", [b"", b"GET /api/v1/hea"], ids=["nothing", "half a head"])
def test_all_whole_requests_are_answered_in_order(service: Service, rest: bytes) -> None:
    with RawConnection(service) as wire:
        send_last(wire, sign_in(wire) + wire.head(HEALTH) + wire.head("GET /api/v1/nothing") + rest)
        assert statuses(wire, 3) == [401, 200, 404]
        assert wire.ends()


def test_what_is_no_request_is_answered_behind_whole_ones(service: Service) -> None:
    with RawConnection(service) as wire:
        send_last(wire, sign_in(wire) + wire.head(HEALTH) + b"nothing\r\n\r\n")
        assert statuses(wire, 3) == [401, 200, 400]
        assert wire.ends()


def test_more_requests_than_are_parsed_ahead_are_answered(service: Service) -> None:
    with RawConnection(service) as wire:
        count = 3 * http_protocol.PIECE_BYTES // len(wire.head(HEALTH))
        send_last(wire, sign_in(wire) + wire.head(HEALTH) * count)
        assert statuses(wire, 1 + count) == [401] + [200] * count
        assert wire.ends()


def test_a_body_that_breaks_off_behind_whole_requests_is_answered(service: Service) -> None:
    with RawConnection(service) as wire:
        # Several passwords take longer than it takes to hang up.
        send_last(wire, sign_in(wire) * 4 + wire.head(SIGN_IN, JSON, "Content-Length: 100") + b"{")
        assert statuses(wire, 5) == [401] * 4 + [400]
        assert wire.ends()


@pytest.mark.parametrize("rest", [b"", b"GET /", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"])
def test_where_nothing_is_being_answered_it_closes_at_once(service: Service, rest: bytes) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH))
        assert statuses(wire, 1) == [200]
        # A body's request may have been answered before the end is seen.
        send_last(wire, rest)
        while wire.socket.recv(65_536):
            pass


def test_a_client_that_still_sends_its_body_is_not_cut_off_before_it_has_read_its_last_response(
    service: Service,
) -> None:
    with leaving_nothing(service), RawConnection(service) as wire:
        announced = "Transfer-Encoding: chunked"
        wire.send(wire.head("PUT /api/v1/events/1/image", announced, "Connection: close"))
        answer, _ = wire.answer()
        assert (answer.status, answer.headers["connection"]) == (401, "close")
        # A connection that was closed would be reset by this, and further sends would fail.
        for _ in range(20):
            wire.send(b"%x\r\n" % 16_384 + bytes(16_384) + b"\r\n")
        assert wire.socket.recv(1) == b""


def test_a_client_that_hangs_up_leaves_nothing_behind(service: Service) -> None:
    with leaving_nothing(service):
        for _ in range(20):
            with RawConnection(service) as wire:
                wire.send(sign_in(wire) * 2)
            with RawConnection(service) as wire:
                wire.send(sign_in(wire))
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("behind", [b"", b"GET /api/v1/health HTTP/1.1\r\nHost: a\r\n\r\n"])
@pytest.mark.parametrize("is_at_once", [True, False])
def test_a_stream_ends_with_its_peer_s_sending(service: Service, behind: bytes, is_at_once: bool) -> None:
    # Before connections are counted: the clients keep theirs for the next request.
    cookie = chat_cookie(service)
    with leaving_nothing(service), RawConnection(service) as wire:
        wire.send(wire.head("GET /api/v1/chat/stream", cookie) + behind)
        if not is_at_once:
            assert wire.socket.recv(12) == b"HTTP/1.1 200"
        wire.socket.shutdown(socket.SHUT_WR)
        while wire.socket.recv(65_536):
            pass


def test_a_reader_that_takes_nothing_is_still_cut(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "READER_S", 0.5)
    before = service.app.ingress.connection_limits.closed[Closed.READER_STALLED]
    with RawConnection(service, receive_bytes=4_096) as wire:
        # More than the system holds for the two of them.
        send_last(wire, wire.head("GET /openapi.json") * 200)
        wait_until(lambda: service.app.ingress.connection_limits.closed[Closed.READER_STALLED] > before)
