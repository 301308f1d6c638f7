"""Headers that every answer bears, whichever part gives it."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.pictures import image
from tests.support.service import Service, expect

ROOT = Path(__file__).parents[2]


def is_marked(answer: httpx.Response) -> bool:
    return answer.headers.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/events"),
        ("HEAD", "/api/v1/events"),
        ("GET", "/api/v1/users/me"),
        ("POST", "/api/v1/market/bets"),
        ("PURGE", "/api/v1/events"),
        ("GET", "/api/v1/ws/trades"),
        ("GET", "/nowhere"),
        ("GET", "/docs"),
        ("GET", "/docs/"),
        ("GET", "/docs/start.js"),
        ("GET", "/docs/swagger-ui-bundle.js"),
        ("POST", "/docs"),
        ("GET", "/openapi.json"),
        ("GET", "/favicon.ico"),
        ("GET", "/"),
        ("GET", "/metrics"),
        ("POST", "/metrics"),
        ("GET", "/images/none.png"),
    ],
)
def test_no_answer_is_to_be_guessed_at(sqlite_service: Service, method: str, path: str) -> None:
    assert is_marked(httpx.request(method, sqlite_service.url + path, verify=NO_TLS, trust_env=False))


def test_nor_an_image_a_stream_a_socket_s_error_or_what_answers_no_http(sqlite_service: Service) -> None:
    service = sqlite_service
    event_id = service.event()["id"]
    put = service.creator.client.put(f"/events/{event_id}/image", content=image("png"))
    assert is_marked(put)
    assert is_marked(httpx.get(service.url + expect(put, 200)["image_url"], verify=NO_TLS, trust_env=False))
    visitor = service.client()
    assert is_marked(visitor.post("/chat/session"))
    with visitor.stream("GET", "/chat/stream") as stream:
        assert is_marked(stream)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert is_marked(service.client().get("/ws/nothing", headers=upgrade | key))
    with socket.create_connection(("127.0.0.1", service.server.port)) as raw:
        raw.sendall(b"this is no HTTP\r\n\r\n")
        assert b"\r\nx-content-type-options: nosniff\r\n" in raw.recv(65_536).lower()


@pytest.mark.parametrize("name", ["Caddyfile", "nginx.conf"])
def test_the_proxies_tell_browsers_to_come_by_https_alone(name: str) -> None:
    lines = [line.strip() for line in (ROOT / "deploy" / name).read_text().splitlines()]
    (line,) = [line for line in lines if "Strict-Transport-Security" in line and not line.startswith("#")]
    assert '"max-age=31536000"' in line
