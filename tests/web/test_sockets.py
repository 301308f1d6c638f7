"""WebSocket handshakes that fail."""

from __future__ import annotations

import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.support.service import Service


@pytest.mark.parametrize("path", ["/api/v1/ws/nothing", "/api/v1/ws/trades/"])
def test_a_handshake_where_nothing_listens_is_404(service: Service, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(service.url.replace("http", "ws") + path, proxy=None):
        pass

    assert refused.value.response.status_code == 404
    assert b'"error":"not_found"' in refused.value.response.body


KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
VERSION = "Sec-WebSocket-Version: 13"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([VERSION], id="no key"),
        pytest.param([KEY, VERSION, KEY], id="two keys"),
        pytest.param(["Sec-WebSocket-Key: short", VERSION], id="a key of another length"),
        pytest.param([KEY], id="no version"),
        pytest.param([KEY, "Sec-WebSocket-Version: 8"], id="another version"),
        pytest.param([KEY, VERSION, "Content-Length: 2"], id="a body"),
        pytest.param([KEY, VERSION, f"X-Long: {'x' * 10_000}"], id="a line of 10 kB"),
    ],
)
def test_a_handshake_that_is_none_is_a_bad_request(service: Service, lines: list[str]) -> None:
    address = urlsplit(service.url)
    request = ["GET /api/v1/ws/trades HTTP/1.1", f"Host: {address.netloc}", "Connection: Upgrade", "Upgrade: websocket"]
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall("\r\n".join([*request, *lines, "", ""]).encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()

        assert answer.status == 400
        assert answer.headers.get_all("content-type") == ["application/json"]
        assert json.loads(answer.read())["error"] == "bad_request"
        assert connection.recv(1) == b""
