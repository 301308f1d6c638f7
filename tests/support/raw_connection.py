"""Bytes on a connection, for tests of what no HTTP client sends."""

from __future__ import annotations

import http.client
import json
import select
import socket
from io import BufferedReader
from typing import Any, Self, cast
from urllib.parse import urlsplit

from tests.support.service import Service

WAIT_S = 60.0


class RawConnection:
    """A connection to a service."""

    def __init__(self, service: Service, *, source: str = "127.0.0.1", receive_bytes: int = 0) -> None:
        """Connect from the address `source`, with a receive buffer of `receive_bytes` (0: the system's default)."""
        address = urlsplit(service.url)
        assert address.hostname is not None
        assert address.port is not None
        self.host = address.netloc
        self.socket = socket.socket()
        self.socket.settimeout(WAIT_S)
        # A short piece waits for no acknowledgement of the one before.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.bind((source, 0))
        self.socket.connect((address.hostname, address.port))
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        """Nothing to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def head(self, request: str, *lines: str) -> bytes:
        """Return the head of a request such as `GET /api/v1/health`."""
        return "\r\n".join([f"{request} HTTP/1.1", f"Host: {self.host}", *lines, "", ""]).encode()

    def answer(self) -> tuple[http.client.HTTPResponse, Any]:
        """Read one answer and its JSON body."""
        answer = http.client.HTTPResponse(cast("socket.socket", _Shared(self._file)))
        answer.begin()
        return answer, json.loads(answer.read() or b"null")

    def ends(self) -> bool:
        """Wait for what comes next, and tell whether that is the end."""
        try:
            return self._file.read(1) == b""
        except ConnectionError:
            # Cut, not closed, is as well.
            return True

    @property
    def has_news(self) -> bool:
        """Whether the server has sent something that was not read, or has closed."""
        # Not `select`, which takes no descriptor over 1023.
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(0))


class _Shared:
    """Several answers read from one file: `http.client` would close it after the first, and lose what it read ahead."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file

    def makefile(self, _mode: str) -> _Shared:
        return self

    def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
