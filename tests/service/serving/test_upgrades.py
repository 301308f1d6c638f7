"""Upgrade headers of requests that open no WebSocket."""

from __future__ import annotations

import pytest

from foreknow.service.serving import head_buffer
from tests.support.raw_connection import RawConnection
from tests.support.service import Service

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

HEALTH = "GET /api/v1/health"
SIGN_IN = "POST /api/v1/auth/sign-in"
TRADES = "/api/v1/ws/trades"
BODY = b'{"login": "unknown", "password": "wrong password"}'
UPGRADE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_handshake_with_another_method_is_405(service: Service, method: str) -> None:
    with RawConnection(service) as wire:
        for _ in range(2):
            wire.send(wire.head(f"{method} {TRADES}", *UPGRADE, KEY, "Content-Length: 2") + b"{}")
            answer, body = wire.answer()
            assert (answer.status, body["error"]) == (405, "method_not_allowed")
            assert answer.headers["allow"] == "GET, HEAD"
        wire.send(wire.head(f"GET {TRADES}", *UPGRADE, KEY))
        assert wire.socket.recv(12) == b"HTTP/1.1 101"


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
def test_elsewhere_an_upgrade_is_ignored(service: Service, protocol: str) -> None:
    lines = ("Connection: keep-alive, Upgrade", f"Upgrade: {protocol}", KEY)
    json = "Content-Type: application/json"
    with RawConnection(service) as wire:
        # Whatever is pipelined is served, and bodies belong to their requests.
        whole = wire.head(SIGN_IN, *lines, json, f"Content-Length: {len(BODY)}") + BODY
        chunked = wire.head(SIGN_IN, *lines, json, "Transfer-Encoding: chunked")
        chunked += b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
        wire.send((wire.head(HEALTH, *lines) + whole + chunked + wire.head(HEALTH)) * 20)
        assert [wire.answer()[0].status for _ in range(80)] == [200, 401, 401, 200] * 20


def test_nor_do_its_pieces_matter(service: Service) -> None:
    with RawConnection(service) as wire:
        head = wire.head(SIGN_IN, *UPGRADE, "Content-Type: application/json", f"Content-Length: {len(BODY)}")
        for cut in (1, 20, len(head) - 1, len(head), len(head) + 1):
            wire.send((head + BODY)[:cut])
            wire.send((head + BODY)[cut:])
            assert wire.answer()[0].status == 401


def test_its_head_has_the_same_bounds(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH, *UPGRADE, "X-Fill: " + "x" * head_buffer.HEAD_BYTES_MAX))
        assert wire.answer()[0].status == 431
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH, *UPGRADE, "Host: another"))
        assert wire.answer()[0].status == 400


def test_a_request_to_connect_is_answered(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head("CONNECT /api/v1/health", *UPGRADE))
        assert wire.answer()[0].status in {400, 405}
