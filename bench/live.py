"""Live updates under load: from the commit of a trade to its messages on the sockets that watch its event.

python -m bench live --database sqlite
python -m bench live --sockets 200 --seconds 5 --rounds 1

Each socket watches events of its own choice, so that hardly two of them are sent the same bytes. Trades go round all
events. A latency counts from a trade's `created_at`, taken just before its commit, to its `trade` and to the `prices`
that show it; it is measured on every n-th socket, and the others are read as fast.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import multiprocessing
import random
import select
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

from bench.paced import Receipts, bet_at
from bench.service import BenchService, running
from foreknow.service.server import prepare_process

HANDSHAKE = (
    b"GET /api/v1/ws/live HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%b\r\n"
)
#: Concurrent handshakes.
WAVE = 200
TIMEOUT_S = 60.0
#: Sockets whose messages are read, not only received.
SAMPLE = 100
#: For which the last messages may be on their way.
REST_S = 2.0
_PING = 0x89
#: The server's pings have four bytes.
_PING_HEAD = bytes([_PING, 4])
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(slots=True)
class Heard:
    """What the sample received: messages, and when (Unix seconds); and the bytes that all received."""

    messages: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    received_bytes: int = 0
    closed: int = 0


def main(arguments: list[str]) -> None:
    """Run some rounds."""
    parser = argparse.ArgumentParser(prog="bench live", description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--sockets", type=int, default=5_000)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--watched", type=int, default=10)
    parser.add_argument("--per-second", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--own", type=int, default=0, help="people whose pages the sockets are, with `more`")
    options = parser.parse_args(arguments)
    with running(options.database) as service:
        load = Load(service, events=options.events)
        tokens = [service.trader(2 + number) for number in range(options.own)]
        with watching(service.url, options.sockets, load.event_ids, each=options.watched, tokens=tokens) as pipe:
            print(f"{options.sockets:,} sockets that watch {options.watched} of {options.events} events", flush=True)
            for _ in range(options.rounds):
                load.run(pipe, per_second=options.per_second, seconds=options.seconds)


class Load:
    """Bets on events in turn."""

    def __init__(self, service: BenchService, *, events: int) -> None:
        """Make events with one pool each, and a trader."""
        self._service = service
        creator = service.trader(0, creator=True)
        self._trader = service.trader(1)
        made = [service.event(creator) for _ in range(events)]
        self.event_ids: list[int] = [event["id"] for event in made]
        self._pool_ids: list[int] = [event["pools"][0]["id"] for event in made]
        self._market_ids: list[int] = [event["pools"][0]["markets"][0]["id"] for event in made]
        #: When each pool's trades were made, Unix seconds, in order.
        self._made_s: dict[int, list[float]] = {pool_id: [] for pool_id in self._pool_ids}
        self._bets = 0

    def run(self, pipe: Connection, *, per_second: float, seconds: float) -> None:
        """Bet for a while, and print what the sockets received."""
        count = int(per_second * seconds)
        began_s, began_cpu_s = time.time(), self._service.cpu_s()
        amounts = range(1_000 + self._bets, 1_000 + self._bets + count)
        receipts = bet_at(
            self._service.url, token=self._trader, market_ids=self._market_ids, amounts=amounts, per_second=per_second
        )
        self._bets += count
        time.sleep(REST_S)
        cpu_share = (self._service.cpu_s() - began_cpu_s) / (time.time() - began_s)
        for place, pool_id in enumerate(self._pool_ids):
            own = amounts[place :: len(self._pool_ids)]
            self._made_s[pool_id] += sorted(receipts.created_at_s[amount] for amount in own)
        pipe.send("report")
        heard: Heard = pipe.recv()
        if heard.closed:
            raise SystemExit(f"{heard.closed} sockets were closed")
        self._print(heard, receipts, cpu_share)

    def _print(self, heard: Heard, receipts: Receipts, cpu_share: float) -> None:
        latencies: dict[str, list[float]] = {"trade": [], "prices": []}
        for at_s, message in heard.messages:
            if message["type"] not in latencies:
                continue
            if message["type"] == "trade":
                made_s = datetime.fromisoformat(message["trade"]["created_at"]).timestamp()
            else:
                # The newest trade that they show.
                made_s = self._made_s[message["pool"]["pool_id"]][message["pool"]["trades"] - 1]
            latencies[message["type"]].append(at_s - made_s)
        for kind, found in latencies.items():
            print(
                f"  {kind}: {len(found):,} in the sample, p50 {_percentile(found, 0.5):.0f} ms, "
                f"p99 {_percentile(found, 0.99):.0f} ms"
            )
        print(
            f"  bets' p99 {receipts.percentile_ms(0.99):.0f} ms; server {cpu_share:.0%} of a core; "
            f"{heard.received_bytes / 2**20:.0f} MiB received in all",
            flush=True,
        )


def _percentile(latencies_s: Sequence[float], share: float) -> float:
    ordered = sorted(latencies_s)
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


@contextlib.contextmanager
def watching(
    url: str, sockets: int, event_ids: Sequence[int], *, each: int, tokens: Sequence[str] = (), sample: int = SAMPLE
) -> Iterator[Connection]:
    """Open sockets in a process of their own, which reports of `sample` when asked; with `tokens` as people's pages."""
    here, there = _SPAWN.Pipe()
    process = _SPAWN.Process(
        target=_watch,
        args=(url, sockets, list(event_ids), each, there),
        kwargs={"tokens": list(tokens), "sample": sample},
        daemon=True,
    )
    process.start()
    there.close()
    try:
        if (answer := here.recv()) != "open":
            raise RuntimeError(answer)
        yield here
    finally:
        here.close()
        process.join(10)
        process.kill()


def _watch(
    url: str, sockets: int, event_ids: list[int], each: int, pipe: Connection, *, tokens: Sequence[str], sample: int
) -> None:
    prepare_process()
    choices = random.Random(1)
    poll = select.epoll()
    readers: dict[int, _Reader] = {}
    cookies = itertools.cycle([b"Cookie: access_token=%b\r\n" % token.encode() for token in tokens] or [b""])
    try:
        for start in range(0, sockets, WAVE):
            for reader in [_open(url, next(cookies)) for _ in range(min(WAVE, sockets - start))]:
                reader.ask(choices.sample(event_ids, min(each, len(event_ids))), more=bool(tokens))
                readers[reader.connection.fileno()] = reader
        sampled = choices.sample(list(readers.values()), min(sample, sockets))
        for reader in readers.values():
            reader.skip_answer()
            poll.register(reader.connection.fileno(), select.EPOLLIN)
    except OSError as failure:
        pipe.send(f"cannot open {sockets} sockets: {failure}")
        return
    for reader in sampled:
        reader.chunks = []
    poll.register(pipe.fileno(), select.EPOLLIN)
    pipe.send("open")
    _receive(readers, poll, pipe, sampled)


def _receive(readers: dict[int, _Reader], poll: select.epoll, pipe: Connection, sample: Sequence[_Reader]) -> None:
    received_bytes = closed = 0
    while True:
        for number, _ in poll.poll():
            if number == pipe.fileno():
                try:
                    pipe.recv()
                except EOFError:
                    return
                messages = [message for reader in sample for message in reader.messages()]
                pipe.send(Heard(messages, received_bytes, closed))
                received_bytes = 0
                continue
            count = readers[number].receive()
            received_bytes += count
            if not count:
                closed += 1
                poll.unregister(number)


@dataclass(slots=True)
class _Reader:
    connection: socket.socket
    #: What was received, and when; None where it is not read.
    chunks: list[tuple[float, bytes]] | None = None
    torn: bytes = b""

    def ask(self, event_ids: Sequence[int], *, more: bool) -> None:
        payload = json.dumps({"watch": {"events": list(event_ids), "more": more}}).encode()
        assert 125 < len(payload) < 2**16 or len(payload) < 126
        head = (
            bytes([0x81, 0x80 | len(payload)]) if len(payload) < 126 else b"\x81\xfe" + len(payload).to_bytes(2, "big")
        )
        # Masked with zeros.
        self.connection.sendall(head + b"\0\0\0\0" + payload)

    def skip_answer(self) -> None:
        data = b""
        while b'"type":"now"' not in data or not data.endswith(b"}"):
            data += _some(self.connection)
        self.connection.setblocking(False)

    def receive(self) -> int:
        try:
            data = self.connection.recv(65536)
        except OSError:
            return 0
        # May be found in the length of a message too: a pong without a ping does no harm.
        if (place := data.find(_PING_HEAD)) >= 0:
            with contextlib.suppress(OSError):
                self.connection.send(b"\x8a\x84\0\0\0\0" + data[place + 2 : place + 6])
        if self.chunks is not None:
            self.chunks.append((time.time(), data))
        return len(data)

    def messages(self) -> Iterator[tuple[float, dict[str, Any]]]:
        """Yield the messages received since the last call, and when."""
        chunks, self.chunks = self.chunks or [], []
        for at_s, chunk in chunks:
            self.torn += chunk
            while (length := _frame_length(self.torn)) is not None and len(self.torn) >= length:
                frame, self.torn = self.torn[:length], self.torn[length:]
                if frame[0] != _PING:
                    yield at_s, json.loads(frame[_header_length(frame) :])


def _open(url: str, cookie: bytes) -> _Reader:
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=TIMEOUT_S)
    connection.sendall(HANDSHAKE % cookie)
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    if not data.startswith(b"HTTP/1.1 101"):
        raise OSError(data[:200].decode(errors="replace"))
    return _Reader(connection)


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
