"""Where a request's head ends, and what is no request at all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

from foreknow.service.serving import head_buffer, http_protocol
from foreknow.web.connection_limits import Closed
from tests.support.raw_connection import RawConnection
from tests.support.service import Service
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

HEALTH = "GET /api/v1/health"


def check_too_large(wire: RawConnection) -> None:
    answer, body = wire.answer()
    assert (answer.status, body["error"]) == (431, "headers_too_large")
    assert answer.headers["connection"] == "close"
    assert wire.ends()


def filled(wire: RawConnection, size: int) -> bytes:
    """Return a head of exactly `size` bytes."""
    return wire.head(HEALTH, "X-Fill: " + "x" * (size - len(wire.head(HEALTH, "X-Fill: "))))


@pytest.mark.parametrize("sizes", [[64 * 1024], [1, 7, 9_000, 64 * 1024], [5_000] * 14])
def test_a_head_of_64_kib_is_answered_and_one_byte_more_is_431(service: Service, sizes: list[int]) -> None:
    def send(wire: RawConnection, head: bytes) -> None:
        for size in sizes:
            wire.send(head[:size])
            head = head[size:]
        wire.send(head)

    with RawConnection(service) as wire:
        send(wire, filled(wire, head_buffer.HEAD_BYTES_MAX))
        answer, body = wire.answer()
        assert (answer.status, body["status"]) == (200, "ok")
        # The connection is as good as before.
        send(wire, filled(wire, head_buffer.HEAD_BYTES_MAX + 1))
        check_too_large(wire)


def test_a_hundred_headers_are_answered_and_one_more_is_431(service: Service) -> None:
    lines = [f"X-{number}: 1" for number in range(99)]
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH, *lines))
        assert wire.answer()[0].status == 200
        wire.send(wire.head(HEALTH, *lines, "X-99: 1"))
        check_too_large(wire)


def test_ten_megabytes_of_a_head_are_not_taken_in(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH)[:-2] + b"X-Long: ")
        with contextlib.suppress(ConnectionError):
            for _ in range(10_000):
                wire.send(b"x" * 1_000)
        check_too_large(wire)


def test_ten_thousand_tiny_headers_are_not_taken_in(service: Service) -> None:
    with RawConnection(service) as wire:
        with contextlib.suppress(ConnectionError):
            wire.send(wire.head(HEALTH)[:-2] + b"a:b\r\n" * 10_000)
        check_too_large(wire)


def test_a_long_address_is_part_of_the_head(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head("GET /" + "x" * 80_000))
        check_too_large(wire)


def test_the_end_of_a_head_may_come_in_any_pieces(service: Service) -> None:
    with RawConnection(service) as wire:
        head = wire.head(HEALTH, "X-Fill: " + "x" * 3_000)
        for cut in range(1, 6):
            wire.send(head[:1_000])
            wire.send(head[1_000:-cut])
            for byte in head[-cut:]:
                wire.send(bytes([byte]))
            assert wire.answer()[0].status == 200


def test_the_pieces_of_a_head_are_not_parsed_one_by_one(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would be appended to a copy of all before it: a second of work for 64 KiB sent."""
    fed: list[int] = []
    feed = http_protocol.HttpProtocol._feed

    def counted(self: http_protocol.HttpProtocol, data: bytes) -> None:
        fed.append(len(data))
        feed(self, data)

    monkeypatch.setattr(http_protocol.HttpProtocol, "_feed", counted)
    protocols = service.server._server.server_state.connections
    with RawConnection(service) as wire:
        head = filled(wire, 20_000)
        wire.send(head[:1])
        wait_until(lambda: bool(fed))
        (protocol,) = (
            one for one in protocols if isinstance(one, http_protocol.HttpProtocol) and one._head.parsed_bytes
        )

        async def drip() -> None:
            for byte in head[1:]:
                protocol.data_received(bytes([byte]))

        service.server.run(drip())
        assert wire.answer()[0].status == 200
    assert sum(fed) == len(head)
    assert len(fed) < 20


@pytest.mark.parametrize("hosts", [[], ["Host: a", "Host: a"]])
def test_a_request_without_one_host_is_refused(service: Service, hosts: list[str]) -> None:
    with RawConnection(service) as wire:
        wire.send("\r\n".join([f"{HEALTH} HTTP/1.1", *hosts, "", ""]).encode())
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (400, "bad_request")
        assert wire.ends()


def test_http_1_0_knows_no_host(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(f"{HEALTH} HTTP/1.0\r\n\r\n".encode())
        assert wire.answer()[0].status == 200


def test_a_handshake_needs_one_host_too(service: Service) -> None:
    lines = [
        "GET /api/v1/ws/trades HTTP/1.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
    with RawConnection(service) as wire:
        wire.send("\r\n".join([*lines, "", ""]).encode())
        assert wire.answer()[0].status == 400


def test_what_is_no_http_is_refused_at_once(service: Service) -> None:
    with RawConnection(service) as wire:
        # How TLS begins; no end of a head is in it.
        wire.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        answer, body = wire.answer()
        assert (answer.status, body["error"]) == (400, "bad_request")


def test_broken_http_and_handshakes_count_against_their_address(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 2", limit_sockets="1/h burst 2")

    def tried(data: Callable[[RawConnection], bytes]) -> tuple[int, str, bool]:
        with RawConnection(service, source="127.0.0.2") as wire:
            wire.send(data(wire))
            answer, body = wire.answer()
            return answer.status, body["error"], "retry-after" in answer.headers

    no_http = [tried(lambda _: b"nothing\r\n\r\n") for _ in range(3)]
    assert no_http == [(400, "bad_request", False)] * 2 + [(429, "rate_limited", True)]
    upgrade = ("Connection: Upgrade", "Upgrade: websocket")
    handshakes = [tried(lambda wire: wire.head("GET /api/v1/ws/trades", *upgrade)) for _ in range(3)]
    assert handshakes == [(400, "bad_request", False)] * 2 + [(429, "rate_limited", True)]
    assert service.app.ingress.connection_limits.closed[Closed.MALFORMED] == 3
    # No other client has to wait for it.
    assert service.client().get("/events").status_code == 200


def test_what_a_trusted_proxy_passes_on_counts_against_its_client(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on", limit_sockets="1/h burst 1", trusted_proxies="127.0.0.1")

    def tried(client: str) -> int:
        lines = ("Connection: Upgrade", "Upgrade: websocket", f"X-Forwarded-For: {client}")
        with RawConnection(service) as wire:
            wire.send(wire.head("GET /api/v1/ws/nothing", "Sec-WebSocket-Version: 13", *lines))
            return wire.answer()[0].status

    assert [tried(client) for client in ("203.0.113.1", "203.0.113.1", "203.0.113.2")] == [400, 429, 400]


def test_a_connection_takes_any_number_of_requests_in_pieces(service: Service) -> None:
    """Most clients send head and body apart."""
    with RawConnection(service) as wire:
        for _ in range(1_200):
            wire.send(wire.head("POST /api/v1/nothing", "Content-Length: 2", "X-Fill: " + "x" * 100))
            wire.send(b"{}")
            assert wire.answer()[0].status == 404


def test_a_broken_request_is_refused_after_those_before_it_are_answered(service: Service) -> None:
    with RawConnection(service) as wire:
        wire.send(wire.head(HEALTH) * 3 + b"nothing\r\n\r\n")
        assert [wire.answer()[0].status for _ in range(4)] == [200, 200, 200, 400]
        assert wire.ends()


def test_many_pipelined_requests_are_answered_and_do_not_pile_up(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    complete = http_protocol.HttpProtocol.on_response_complete

    def measured(self: http_protocol.HttpProtocol) -> None:
        waiting.append(len(self.pipeline))
        complete(self)

    monkeypatch.setattr(http_protocol.HttpProtocol, "on_response_complete", measured)
    with RawConnection(service) as wire:
        body = b'{"login": "unknown", "password": "wrong password"}'
        lines = ("Content-Type: application/json", f"Content-Length: {len(body)}")
        several = wire.head("POST /api/v1/chat/nothing", *lines) + body + wire.head("GET /api/v1/nothing")
        wire.send(several * 1_000)
        assert {wire.answer()[0].status for _ in range(2_000)} == {404}
    # What one piece holds.
    assert max(waiting) <= http_protocol.PIECE_BYTES // 40
