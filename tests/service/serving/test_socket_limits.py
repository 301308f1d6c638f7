"""WebSockets whose peers talk without end."""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from foreknow.web import sockets
from foreknow.web.connection_limits import Closed, Rejection
from tests.site.feed.listening import Listener
from tests.support.raw_connection import RawConnection
from tests.support.service import Service, expect
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

PING, TEXT, PONG = 0x89, 0x81, 0x8A


def frame(opcode: int, payload: bytes = b"") -> bytes:
    """Return a frame as a client sends it, masked with zeros."""
    return struct.pack("!BBI", opcode, 0x80 | len(payload), 0) + payload


def opened(service: Service) -> contextlib.AbstractContextManager[ClientConnection]:
    url = service.api_url.replace("http", "ws", 1) + "/ws/trades"
    return connect(url, proxy=None, compression=None, max_size=None, ping_interval=None)


@contextlib.contextmanager
def raw(service: Service, *, receive_bytes: int = 0) -> Iterator[RawConnection]:
    """A WebSocket that reads nothing by itself."""
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
    with RawConnection(service, receive_bytes=receive_bytes) as wire:
        wire.send(wire.head("GET /api/v1/ws/trades", *upgrade, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
        assert wire.socket.recv(12) == b"HTTP/1.1 101"
        yield wire


@pytest.mark.parametrize("opcode", [PING, TEXT, PONG])
def test_a_flood_of_short_frames_is_closed_with_1008(service: Service, opcode: int) -> None:
    before = service.app.ingress.connection_limits.closed[Closed.TALKS_TOO_MUCH]
    with opened(service) as connection:

        def flood() -> None:
            with contextlib.suppress(OSError):
                for _ in range(1_000):
                    connection.socket.sendall(frame(opcode, b"x") * 1_000)

        talking = threading.Thread(target=flood)
        connection.recv(timeout=60)
        talking.start()
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=60)
        talking.join()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert service.app.ingress.connection_limits.closed[Closed.TALKS_TOO_MUCH] == before + 1
    wait_until(lambda: service.app.services.feed.sockets == 0)


def test_pings_by_one_who_reads_no_pong_end(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CLOSE_TIMEOUT_S", 0.5)
    with raw(service, receive_bytes=4_096) as wire:
        with contextlib.suppress(OSError):
            for _ in range(1_000):
                wire.send(frame(PING, b"x" * 125) * 1_000)
        wait_until(lambda: service.app.services.feed.sockets == 0)


@pytest.mark.real_time("the system's buffers fill until they take no more")
def test_who_does_not_read_is_not_read(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "TALK_PIECES_MAX", 10**9)
    monkeypatch.setattr(sockets, "TALK_BYTES_MAX", 10**12)
    with raw(service, receive_bytes=4_096) as wire:
        wire.socket.setblocking(False)
        pings = frame(PING, b"x" * 125) * 100
        sent, silent_since_s = 0, time.monotonic()
        # Until the system takes no more of it, for a while.
        while time.monotonic() < silent_since_s + 2:
            assert sent < 100_000_000, "it is read without end"
            try:
                sent += wire.socket.send(pings)
                silent_since_s = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
        (reader,) = service.app.services.feed._subscribers
        # What it was sent and has not taken, however much it says.
        assert reader.unwritten_bytes < 1024 * 1024


@pytest.mark.real_time("the system's buffers fill meanwhile")
def test_who_reads_again_is_read_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "TALK_PIECES_MAX", 10**9)
    monkeypatch.setattr(sockets, "TALK_BYTES_MAX", 10**12)
    pings = 100_000
    with raw(service, receive_bytes=4_096) as wire:
        talking = threading.Thread(target=wire.send, args=(frame(PING, os.urandom(4) + b"x" * 100) * pings,))
        talking.start()
        time.sleep(1)
        # Each is answered with its pong of 106 bytes.
        left = pings * 106
        while left > 0:
            left -= len(wire.socket.recv(1024 * 1024))
        talking.join()


def test_a_message_a_second_cuts_no_reader(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    with opened(service) as connection:
        connection.recv(timeout=60)
        for _ in range(60):
            connection.send("still here")
            assert connection.ping().wait(60)
        expect(
            person.client.post("/market/bets", json={"market_id": market, "token_type": "YES", "amount_kopecks": 5}),
            201,
        )
        assert Listener(connection).message()["trade"]["amount"] == 5


def test_a_minute_s_talk_is_forgotten_after_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "TALK_WINDOW_S", 0.0)
    with opened(service) as connection:
        for _ in range(2 * sockets.TALK_PIECES_MAX):
            connection.socket.sendall(frame(PONG))
        assert connection.ping().wait(60)


def test_refused_sockets_are_counted(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on", sockets_per_address=1)
    refused = service.app.ingress.connection_limits.refused
    url = service.api_url.replace("http", "ws", 1) + "/ws/trades"
    with opened(service):
        for _ in range(2):
            with pytest.raises(Exception, match="429"), connect(url, proxy=None):
                pass
        assert refused[Rejection.SOCKETS_OF_ADDRESS] == 2
    with pytest.raises(Exception, match="404"), connect(url + "/nothing", proxy=None):
        pass
    assert refused[Rejection.HANDSHAKE] == 1
