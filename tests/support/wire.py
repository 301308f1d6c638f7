"""Bytes on a connection, for tests of what no HTTP client sends."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from typing import Any
from urllib.parse import urlsplit

from tests.support.service import Service

WAIT_S = 60.0


class Wire:
    """A connection to a service."""

    def __init__(self, service: Service, *, source: str = "127.0.0.1", receive_bytes: int = 0) -> None:
        """Connect from the address `source`; with `receive_bytes`, with room for so much that was not read yet."""
        address = urlsplit(service.url)
        assert address.hostname is not None
        assert address.port is not None
        self.host = address.netloc
        self.socket = socket.socket()
        self.socket.settimeout(WAIT_S)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.bind((source, 0))
        self.socket.connect((address.hostname, address.port))

    def __enter__(self) -> Wire:
        """Nothing to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def head(self, request: str, *lines: str) -> bytes:
        """Return the head of a request such as `GET /api/v1/health`."""
        return "\r\n".join([f"{request} HTTP/1.1", f"Host: {self.host}", *lines, "", ""]).encode()

    def answer(self) -> tuple[http.client.HTTPResponse, Any]:
        """Read one answer and its JSON body."""
        answer = http.client.HTTPResponse(self.socket)
        answer.begin()
        return answer, json.loads(answer.read() or b"null")

    def rest(self) -> bytes:
        """Read until the server closes."""
        parts = []
        # Cut, not closed, is as well.
        with contextlib.suppress(ConnectionError):
            while part := self.socket.recv(65_536):
                parts.append(part)
        return b"".join(parts)

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed it, and nothing is left to read."""
        self.socket.settimeout(0)
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        finally:
            self.socket.settimeout(WAIT_S)
