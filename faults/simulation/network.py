"""Peers over a network that is slow, refuses and cuts connections: a partner's receiver, and a mail relay."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from faults.simulation.loop import SimulatedLoop

#: Each n-th connection is refused, is cut at some moment; each n-th request is refused, is never answered.
REFUSED, CUT, FAILED, SILENT = 8, 6, 8, 12
DELAY_S = 0.05


@dataclass(slots=True)
class Taken:
    """Something that a peer took, and whether its sender has the answer."""

    name: str
    era: int
    is_answered: bool = False


@dataclass(slots=True)
class Network:
    """All peers, and what they took; it outlives the processes."""

    chance: Random
    #: Which process speaks.
    life: int = 0
    #: Grows with each process, and where time leaps: what was under way then may have been too late.
    era: int = 0
    is_well: bool = False
    posted: list[Taken] = field(default_factory=list)
    mailed: list[Taken] = field(default_factory=list)
    #: Mails by their ids, which are no seed's.
    names: dict[bytes, str] = field(default_factory=dict)
    #: Called with a line for each thing that happens.
    tell: Callable[[str], None] = lambda _line: None

    def happens(self, one_in: int) -> bool:
        """Return whether a misfortune happens."""
        return not self.is_well and not self.chance.randrange(one_in)

    def name_of(self, message_id: bytes) -> str:
        """Return a mail's name: its number."""
        return self.names.setdefault(message_id, f"mail {len(self.names) + 1}")

    def delay_s(self) -> float:
        """Return how long something is on its way."""
        return self.chance.random() * DELAY_S

    async def connect(
        self, loop: SimulatedLoop, factory: Callable[[], Any], address: tuple[str, int]
    ) -> tuple[Any, Any]:
        """Connect to the peer at a port: 25 is the relay."""
        await asyncio.sleep(self.delay_s())
        if self.happens(REFUSED):
            self.tell(f"refuses {address[1]}")
            raise ConnectionRefusedError(111, "refused")
        protocol = factory()
        transport = _Transport(loop, self, protocol)
        transport.peer = _Relay(self, transport) if address[1] == 25 else _Receiver(self, transport)
        protocol.connection_made(transport)
        transport.peer.begin()
        return transport, protocol


class _Socket:
    """What a client may ask of a socket."""

    family, type = socket.AF_INET, socket.SOCK_STREAM

    def fileno(self) -> int:
        return -1

    def getsockname(self) -> tuple[str, int]:
        return ("127.0.0.1", 1)

    getpeername = getsockname

    def setsockopt(self, *_option: object) -> None:
        """Nothing is kept ahead."""


class _Transport(asyncio.Transport):
    """A connection, from the client's side. What is sent arrives in its order, each piece a little later."""

    peer: Any

    def __init__(self, loop: SimulatedLoop, network: Network, protocol: Any) -> None:
        super().__init__({"socket": _Socket(), "peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self._loop, self._network, self._protocol = loop, network, protocol
        self._is_closed = False
        self._life = network.life
        self._at_s = [0.0, 0.0]
        #: Pieces after which it is cut.
        self._left = network.chance.randrange(1, 12) if network.happens(CUT) else None

    def write(self, data: Any) -> None:
        self._later(0, bytes(data), self.peer.take)

    def answer(self, data: bytes, taken: Taken | None = None) -> None:
        """Send something to the client; once it is there, its sender knows of `taken`."""

        def arrive(piece: bytes) -> None:
            if taken is not None:
                taken.is_answered = True
            self._protocol.data_received(piece)

        self._later(1, data, arrive)

    def _later(self, way: int, data: bytes, arrive: Callable[[bytes], None]) -> None:
        if self._is_closed:
            return
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._network.tell("cuts")
                self._lose(ConnectionResetError(104, "reset"))
                return
        self._at_s[way] = max(self._at_s[way] + 1e-6, self._loop.time() + self._network.delay_s())
        self._loop.call_at(self._at_s[way], self._arrive, arrive, data)

    def _arrive(self, arrive: Callable[[bytes], None], data: bytes) -> None:
        if not self._is_closed and self._life == self._network.life:
            arrive(data)

    def _lose(self, failure: Exception | None) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._loop.call_soon(self._protocol.connection_lost, failure)

    def close(self) -> None:
        self._lose(None)

    def abort(self) -> None:
        self._lose(None)

    def is_closing(self) -> bool:
        return self._is_closed

    def pause_reading(self) -> None:
        """What comes is taken at once."""

    def resume_reading(self) -> None:
        """What comes is taken at once."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing waits to be sent."""

    def get_write_buffer_size(self) -> int:
        return 0

    def can_write_eof(self) -> bool:
        return False


class _Receiver:
    """A partner's server: takes messages, and at times does not, or never says so."""

    def __init__(self, network: Network, transport: _Transport) -> None:
        self._network, self._transport = network, transport
        self._buffer = b""

    def begin(self) -> None:
        """The client speaks first."""

    def take(self, data: bytes) -> None:
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        headers = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if b": " in line)
        if not separator or len(body) < int(headers.get(b"content-length", b"0")):
            return
        self._buffer = b""
        name = headers[b"webhook-id"].decode()
        if self._network.happens(FAILED):
            self._network.tell(f"fails {name}")
            self._transport.answer(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n")
            return
        taken = Taken(name, self._network.era)
        self._network.posted.append(taken)
        self._network.tell(f"takes {name}")
        if not self._network.happens(SILENT):
            self._transport.answer(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", taken)


class _Relay:
    """A mail server."""

    def __init__(self, network: Network, transport: _Transport) -> None:
        self._network, self._transport = network, transport
        self._buffer = b""
        self._is_data = False

    def begin(self) -> None:
        self._transport.answer(b"220 relay\r\n")

    def take(self, data: bytes) -> None:
        self._buffer += data
        while True:
            end = b"\r\n.\r\n" if self._is_data else b"\r\n"
            line, found, rest = self._buffer.partition(end)
            if not found:
                return
            self._buffer = rest
            if self._is_data:
                self._is_data = False
                self._take_mail(line)
            else:
                self._take_command(line.upper())

    def _take_command(self, line: bytes) -> None:
        if line.startswith(b"EHLO"):
            self._transport.answer(b"250 relay\r\n")
        elif line.startswith(b"RCPT") and self._network.happens(FAILED):
            self._transport.answer(b"451 4.2.1 later\r\n")
        elif line.startswith(b"DATA"):
            self._is_data = True
            self._transport.answer(b"354 go on\r\n")
        elif line.startswith(b"QUIT"):
            self._transport.answer(b"221 bye\r\n")
        else:
            self._transport.answer(b"250 ok\r\n")

    def _take_mail(self, content: bytes) -> None:
        heads = [line for line in content.split(b"\r\n") if line.lower().startswith(b"message-id:")]
        taken = Taken(self._network.name_of(heads[0]), self._network.era)
        self._network.mailed.append(taken)
        self._network.tell(f"takes {taken.name}")
        if not self._network.happens(SILENT):
            self._transport.answer(b"250 taken\r\n", taken)
