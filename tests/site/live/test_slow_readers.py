"""Sockets that read slowly or not at all, and more trades than are sent."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from foreknow.site.feed import peer
from tests.site.feed.flood import Flood
from tests.site.live.watching import Viewer, viewing
from tests.support.kinds import ON_SQLITE
from tests.support.service import Service
from tests.support.waiting import wait_until

pytestmark = ON_SQLITE

REQUEST = (
    b"GET /api/v1/ws/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@contextmanager
def stalled(service: Service, message: dict[str, object]) -> Iterator[None]:
    """Connect a socket that says one thing and is never read from."""
    payload = json.dumps(message).encode()
    assert len(payload) < 126
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", service.server.port))
        client.sendall(REQUEST)
        accepted = b""
        while b"\r\n\r\n" not in accepted:
            accepted += client.recv(1)
        # Masked with zeros.
        client.sendall(bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload)
        yield


def pour_until_cut(flood: Flood, viewer: Viewer, *, sockets: int) -> None:
    """Trade, and read all that comes of it, until only as many sockets are open."""
    hub = flood.service.app.services.live
    for number in range(1, 2_000):
        flood.pour(range(number, number + 1))
        flood.service.server.run(flood.service.app.db.write(lambda tx: tx.exec_driver_sql(CHANGE)))
        viewer.until(lambda one: one["type"] == "state")
        if hub.sockets == sockets:
            return
    pytest.fail("no socket was cut")


#: Changes the state of all events, as a comment on each would.
CHANGE = """
    INSERT INTO event_comments (event_id, comments, counted_through_id) SELECT id, 1, 0 FROM events WHERE true
    ON CONFLICT (event_id) DO UPDATE SET comments = event_comments.comments + 1
"""


def test_stalled_sockets_are_cut_and_harm_no_other(unpaid_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert peer.ABORT_AFTER_S == 5
    monkeypatch.setattr(peer, "ABORT_AFTER_S", 0.1)
    # Much is sent in a short time, and little may wait.
    monkeypatch.setattr("foreknow.site.live.watched.GAP_S", 0.0)
    monkeypatch.setattr("foreknow.site.live.hub.LOOK_PACE_S", 0.0)
    monkeypatch.setattr("foreknow.site.live.watcher.WAITING_MAX", 16)
    flood, hub = Flood(unpaid_service), unpaid_service.app.services.live
    big = [unpaid_service.event(pools=[many_outcomes() for _ in range(10)])["id"] for _ in range(2)]
    unpaid_service.server.limit_send_buffers()
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(stalled(unpaid_service, {"watch": {"events": big}}))
        viewer = stack.enter_context(viewing(unpaid_service))
        viewer.watch(flood.pool.event_id)
        wait_until(lambda: hub.sockets == 4)
        # All are answered, and watch from now on.
        wait_until(lambda: hub.metrics.answers == 4)
        pour_until_cut(flood, viewer, sockets=1)
        (now,) = viewer.watch(flood.pool.event_id)
        assert now["event_id"] == flood.pool.event_id


def many_outcomes() -> dict[str, object]:
    """Describe a pool of a hundred outcomes."""
    return {"name": "Who?", "metadata": {"lmsr_b_kopecks": 100_000, "market_names": [f"No. {n}" for n in range(100)]}}


def test_of_trades_that_come_together_the_last_twenty_are_sent(unpaid_service: Service) -> None:
    flood = Flood(unpaid_service, long_names=False)
    with viewing(unpaid_service) as watching, viewing(unpaid_service) as tape:
        watching.watch(flood.pool.event_id)
        tape.watch(tape=True)
        flood.pour(range(1, 301))
        for viewer in (watching, tape):
            assert [viewer.trade()["amount_kopecks"] for _ in range(20)] == list(range(281, 301))
