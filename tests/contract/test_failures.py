"""Decisions, "Statuses": what is answered while the database is away. Interface, section 6: pings."""

from __future__ import annotations

import base64
import os
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.support.postgres import Postgres
from tests.support.proofs import proves
from tests.support.schema import prepare
from tests.support.service import Service, expect, refused

PING, CLOSE = 9, 8


@pytest.mark.postgres
@proves(
    "decisions: 503 only where the database cannot be reached, the fate of a commit is unknown, or over 10,000 orders "
    "wait.",
    "decisions: 503 with `Retry-After`",
    "decisions: /health answers 200 from the first moment orders can be accepted until shutdown.",
    "decisions: after a 500, a 503 or no answer it may have been: send the same key again to find out.",
)
def test_while_the_database_is_away_nothing_is_known_and_then_all_goes_on(postgres: Postgres) -> None:
    url = postgres.fresh_database(prepare)
    name = urlsplit(url).path[1:]
    service = Service(url)
    try:
        market = service.event()["pools"][0]["markets"][0]["id"]
        person = service.user(balance_kopecks=1_000)
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
        key = {"Idempotency-Key": "through the storm".replace(" ", "-")}
        first = person.client.post("/market/bets", json=order, headers=key)
        expect(first, 201)
        postgres.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        postgres.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

        for answer in (
            service.client().get("/ready"),
            service.client().get("/events"),
            person.client.post("/market/bets", json=order, headers=key),
        ):
            refused(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
        expect(service.client().get("/health"), 200)
        postgres.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        expect(service.client().get("/ready"), 200)
        again = person.client.post("/market/bets", json=order, headers=key)
        assert (again.status_code, again.content) == (201, first.content)
        assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 900
    finally:
        service.stop()
        postgres.drop(url)


@proves('decisions: GET /api/v1/ready: 200 `{"status": "ready"}` while the database answers, else 503.')
def test_a_stopped_service_answers_nothing(start_service: Callable[..., Service]) -> None:
    service = start_service()
    port = service.server.port
    service.stop()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def read_exactly(connection: socket.socket, count: int) -> bytes:
    """Read so many bytes, or fewer where the connection ends before."""
    read = b""
    while len(read) < count and (more := connection.recv(count - len(read))):
        read += more
    return read


def next_frame(connection: socket.socket) -> tuple[int, bytes]:
    """Read one unmasked WebSocket frame; opcode 8 (close) where the connection ends."""
    head = read_exactly(connection, 2)
    if len(head) < 2:
        return CLOSE, b""
    size = head[1] & 0x7F
    if size >= 126:
        size = int.from_bytes(read_exactly(connection, 2 if size == 126 else 8))
    return head[0] & 0x0F, read_exactly(connection, size)


@pytest.mark.slow
@proves(
    "decisions: Ping every 20 s; a peer silent for 20 s more is closed.",
    "interface: 3. The server sends ping frames periodically; clients answer with pong to keep the connection.",
)
def test_who_does_not_answer_a_ping_is_closed(sqlite_service: Service) -> None:
    # A socket by hand: every WebSocket client answers pings by itself.
    with socket.create_connection(("127.0.0.1", sqlite_service.server.port), timeout=30) as connection:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /api/v1/ws/trades HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        connection.sendall("\r\n".join(lines).encode())
        while read_exactly(connection, 1) != b"\n" or connection.recv(2, socket.MSG_PEEK) != b"\r\n":
            pass
        read_exactly(connection, 2)
        began = time.monotonic()
        pinged = closed = 0.0
        while not closed:
            kind, _ = next_frame(connection)
            if kind == PING and not pinged:
                pinged = time.monotonic() - began
            closed = time.monotonic() - began if kind == CLOSE else 0.0

    assert 15 <= pinged <= 25
    assert 15 <= closed - pinged <= 25
