"""Thousands of subscribers of the feed in one separate process, cheap enough that the server stays the bottleneck.

All sockets that ask alike are sent the same bytes, pings apart. So one socket's stream is decoded, and all others are
compared with it byte by byte: a message lost, repeated, out of order or torn shows at once, for a few microseconds.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import select
import socket
import time
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

import msgspec

from foreknow.service.server import prepare_process

HANDSHAKE = (
    b"GET /api/v1/ws/trades%b HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
#: Concurrent handshakes.
WAVE = 200
#: Timeout for connecting, and for the last messages.
TIMEOUT_S = 60.0
_PING = 0x89
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(slots=True)
class Heard:
    """Messages received by all sockets of one process."""

    #: The amount of each message, in order.
    amounts: list[int]
    #: One entry for each time that a socket received whole messages: the first and the last one, when (Unix seconds).
    firsts: array[int]
    lasts: array[int]
    at_s: array[float]
    #: Sockets that did not receive everything in time, and other errors.
    incomplete: int
    faults: list[str]


@dataclass(slots=True)
class _Reader:
    connection: socket.socket
    #: How much of the stream it has received, and how many whole messages.
    position: int = 0
    messages: int = 0
    #: The begin of a frame of which the rest is still to come.
    torn: bytes = b""


@dataclass(slots=True)
class _Stream:
    """What every socket is to receive after its first message, as far as any socket has received it."""

    content: bytearray = field(default_factory=bytearray)
    #: Where each message ends.
    ends: list[int] = field(default_factory=list)

    def messages_at(self, position: int) -> int:
        return bisect_right(self.ends, position)


class Listeners:
    """The parent's end: open sockets stand ready once this is made."""

    def __init__(self, pipe: Connection) -> None:
        """Speak over `pipe` to the process that `listening` has started."""
        self._pipe = pipe
        if (answer := pipe.recv()) != "open":
            raise RuntimeError(answer)

    def heard(self, messages: int) -> Heard:
        """Return what was received since the last call, once every socket has `count` messages in all."""
        self._pipe.send(messages)
        heard: Heard = self._pipe.recv()
        return heard


@contextlib.contextmanager
def listening(url: str, sockets: int, *, query: str = "") -> Iterator[Listeners]:
    """Open sockets in a process of their own. No trade may happen until they are open."""
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_listen, args=(url, sockets, query, there), daemon=True)
    process.start()
    there.close()
    try:
        yield Listeners(here)
    finally:
        here.close()
        process.join(10)
        process.kill()


@contextlib.contextmanager
def stalled(url: str, sockets: int) -> Iterator[None]:
    """Open sockets that are never read from."""
    with contextlib.ExitStack() as stack:
        for start in range(0, sockets, WAVE):
            for connection in _connect(url, min(WAVE, sockets - start), "", receive_buffer_bytes=4096):
                stack.enter_context(connection)
        yield


def _listen(url: str, sockets: int, query: str, pipe: Connection) -> None:
    prepare_process()
    try:
        crowd = _Crowd(url, sockets, query)
    except OSError as failure:
        pipe.send(f"cannot open {sockets} sockets: {failure}")
        return
    pipe.send("open")
    crowd.run(pipe)


def _connect(url: str, count: int, query: str, *, receive_buffer_bytes: int | None = None) -> list[socket.socket]:
    parts = urlsplit(url)
    opened = []
    for _ in range(count):
        connection = socket.socket()
        if receive_buffer_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        connection.settimeout(TIMEOUT_S)
        connection.connect((parts.hostname, parts.port))
        connection.sendall(HANDSHAKE % query.encode())
        opened.append(connection)
    return opened


class _Crowd:
    """All readers of this process."""

    def __init__(self, url: str, sockets: int, query: str) -> None:
        """Open the sockets, and read each one's first message."""
        self._stream = _Stream()
        self._faults: list[str] = []
        self._readers: dict[int, _Reader] = {}
        self._firsts, self._lasts, self._at_s = array("Q"), array("Q"), array("d")
        for start in range(0, sockets, WAVE):
            for connection in _connect(url, min(WAVE, sockets - start), query):
                self._readers[connection.fileno()] = _Reader(connection)
        for reader in self._readers.values():
            _skip_first_message(reader.connection)
            reader.connection.setblocking(False)

    def run(self, pipe: Connection) -> None:
        """Receive, and report where the parent asks, until it hangs up."""
        poll = select.epoll()
        for number in self._readers:
            poll.register(number, select.EPOLLIN)
        poll.register(pipe.fileno(), select.EPOLLIN)
        wanted: int | None = None
        give_up_s = look_s = 0.0
        while True:
            for number, _ in poll.poll(0.02):
                if number != pipe.fileno():
                    self._receive(self._readers[number], poll)
                    continue
                try:
                    wanted = pipe.recv()
                except EOFError:
                    return
                give_up_s = time.monotonic() + TIMEOUT_S
            if wanted is not None and (now_s := time.monotonic()) >= look_s:
                look_s = now_s + 0.05
                if self._incomplete(wanted) == 0 or now_s >= give_up_s:
                    pipe.send(self._report(wanted))
                    wanted = None

    def _receive(self, reader: _Reader, poll: select.epoll) -> None:
        try:
            data = reader.connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._faults.append("a socket was closed")
            poll.unregister(reader.connection.fileno())
            return
        if not reader.torn and self._stream.content.startswith(data, reader.position):
            reader.position += len(data)
        else:
            self._walk(reader, reader.torn + data)
        count, last = reader.messages, self._stream.messages_at(reader.position)
        if last > count:
            self._firsts.append(count)
            self._lasts.append(last - 1)
            self._at_s.append(time.time())
            reader.messages = last

    def _walk(self, reader: _Reader, data: bytes) -> None:
        """Take frame by frame what is new to all, or has a ping in it."""
        stream, reader.torn = self._stream, b""
        while data:
            # In the middle of a message that others had before: only its rest can follow.
            end = stream.ends[count] if (count := stream.messages_at(reader.position)) < len(stream.ends) else None
            if end is not None and (reader.position > (stream.ends[count - 1] if count else 0)):
                piece = data[: end - reader.position]
                self._compare(reader, piece)
                data = data[len(piece) :]
                continue
            length = _frame_length(data)
            if length is None or len(data) < length:
                reader.torn = data
                return
            frame, data = data[:length], data[length:]
            if frame[0] == _PING:
                with contextlib.suppress(OSError):
                    # Masked with zeros.
                    reader.connection.send(b"\x8a\x84\0\0\0\0" + frame[2:])
            elif end is None:
                stream.content += frame
                stream.ends.append(len(stream.content))
                reader.position += length
            else:
                self._compare(reader, frame)

    def _compare(self, reader: _Reader, piece: bytes) -> None:
        if not self._stream.content.startswith(piece, reader.position):
            self._faults.append(f"message {reader.messages} differs from what another socket received")
        reader.position += len(piece)

    def _incomplete(self, wanted: int) -> int:
        return sum(1 for reader in self._readers.values() if reader.messages < wanted)

    def _report(self, wanted: int) -> Heard:
        if len(self._stream.ends) != wanted:
            self._faults.append(f"{len(self._stream.ends)} messages came instead of {wanted}")
        heard = Heard(
            self._amounts(), self._firsts, self._lasts, self._at_s, self._incomplete(wanted), self._faults[:20]
        )
        self._firsts, self._lasts, self._at_s = array("Q"), array("Q"), array("d")
        return heard

    def _amounts(self) -> list[int]:
        amounts, start = [], 0
        for end in self._stream.ends:
            frame = bytes(self._stream.content[start:end])
            message: Any = msgspec.json.decode(frame[_header_length(frame) :])
            amounts.append(message["trade"]["amount"])
            start = end
        return amounts


def _skip_first_message(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    if not data.startswith(b"HTTP/1.1 101"):
        raise OSError(data[:200].decode(errors="replace"))
    data = data[data.index(b"\r\n\r\n") + 4 :]
    while (length := _frame_length(data)) is None or len(data) < length:
        data += _some(connection)
    if len(data) > length:
        raise OSError("a trade was made before all sockets stood")


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise OSError("the server hung up")
    return data


def _header_length(frame: bytes) -> int:
    return 2 + {126: 2, 127: 8}.get(frame[1], 0)


def _frame_length(data: bytes) -> int | None:
    """Return how long the frame is that begins here, None where its header is not whole yet."""
    if len(data) < 2 or len(data) < (header := _header_length(data)):
        return None
    return header + (data[1] if header == 2 else int.from_bytes(data[2:header], "big"))
