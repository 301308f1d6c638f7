"""Readers that do not read, and more trades than their buffers hold."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.rows import PoolIds, insert_trades
from tests.support.service import Service

REQUEST = (
    b"GET /api/v1/ws/trades HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@contextmanager
def stalled(service: Service) -> Iterator[socket.socket]:
    """Connect a socket that is never read from."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", service.server.port))
        client.sendall(REQUEST)
        yield client


class Flood:
    """Trades straight into the database."""

    def __init__(self, service: Service, *, long_names: bool = True) -> None:
        """Make an event and a trader whose trades take two kilobytes each, or as many bytes as most do."""
        self.service = service
        self.user_id = service.user(name="N" * 200 if long_names else "Ann").id
        if long_names:
            picture = f"UPDATE users SET avatar_url = '{'a' * 2048}'"
            service.server.run(service.app.db.write(lambda tx: tx.exec_driver_sql(picture)))
        event = service.event(name="E" * 200)
        self.pool = PoolIds(event["id"], event["pools"][0]["id"], [event["pools"][0]["markets"][0]["id"]])

    def pour(self, amounts: range) -> None:
        """Commit a trade of each amount, and tell the feed."""
        service = self.service
        service.server.run(service.app.db.write(lambda tx: insert_trades(tx, self.pool, self.user_id, amounts)))
        service.server.loop.call_soon_threadsafe(service.app.services.feed.wake)
