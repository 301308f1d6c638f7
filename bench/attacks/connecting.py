"""Attacks by connections: too many, too slow, too long, and WebSockets that talk without end."""

from __future__ import annotations

import asyncio
import base64
import os

from bench.attacks.attacker import Attacker
from bench.attacks.wire import Line
from bench.load import request

_HEAD = b"GET /api/v1/health HTTP/1.1\r\nHost: bench\r\n"
_CHUNK_BYTES = 64 * 1024
#: Bytes of an unfinished head before the attacker begins another.
_ENDLESS_BYTES = 32 * 2**20
_SOCKET_WRITES_PER_SECOND = 50


async def long_heads(attacker: Attacker) -> None:
    """Send one header that does not end."""

    async def session(line: Line) -> None:
        await line.send(_HEAD + b"X-Long: ")
        for _ in range(_ENDLESS_BYTES // _CHUNK_BYTES):
            await line.send(b"a" * _CHUNK_BYTES)
            attacker.tally["KiB sent"] += _CHUNK_BYTES // 1024
            await asyncio.sleep(_CHUNK_BYTES / 2**20)
            await _closed(line, within_s=0)

    await attacker.workers(8, session, per_second=8)


async def many_headers(attacker: Attacker) -> None:
    """Send heads of many short headers."""
    wanted = _HEAD + b"".join(b"X-%d: a\r\n" % number for number in range(20_000)) + b"\r\n"
    await attacker.requests(8, lambda: wanted, per_second=80)


async def flood(attacker: Attacker) -> None:
    """Hold connections and say nothing."""

    async def session(line: Line) -> None:
        await _closed(line, within_s=None)

    await attacker.workers(3_000, session, per_second=2_000)


async def slow_heads(attacker: Attacker) -> None:
    """Send a head byte by byte."""

    async def session(line: Line) -> None:
        await line.send(_HEAD + b"X-Slow: ")
        await _drip(attacker, line)

    await attacker.workers(500, session, per_second=500)


async def slow_bodies(attacker: Attacker) -> None:
    """Send a body byte by byte, to an address that waits for it."""
    head = b"POST /api/v1/auth/sign-in HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"

    async def session(line: Line) -> None:
        await line.send(head + b"Content-Length: 60000\r\n\r\n{")
        await _drip(attacker, line)

    await attacker.workers(500, session, per_second=500)


async def takes_nothing(attacker: Attacker) -> None:
    """Ask for the largest answer there is, and take none."""
    wanted = request("GET", "/docs/swagger-ui-bundle.js")

    async def session(line: Line) -> None:
        await line.shrink()
        _, writer = await line.open()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(120):
            writer.write(wanted)
            attacker.tally["asked"] += 1
            await asyncio.sleep(1)
            if writer.transport.is_closing():
                raise ConnectionResetError

    await attacker.workers(100, session, per_second=100)


async def broken(attacker: Attacker) -> None:
    """Send what is no HTTP."""

    async def session(line: Line) -> None:
        attacker.tally[str(await line.ask(b"\x16\x03\x01 this is no HTTP\r\n\r\n"))] += 1

    await attacker.workers(50, session, per_second=500)


async def pings(attacker: Attacker) -> None:
    """Ping without end, and read no pong."""
    await _talk(attacker, _frame(0x9, b"p" * 125), reads=False)


async def one_byte(attacker: Attacker) -> None:
    """Say one byte without end."""
    await _talk(attacker, _frame(0x1, b"m"), reads=True)


async def _talk(attacker: Attacker, frame: bytes, *, reads: bool) -> None:
    count = _CHUNK_BYTES // len(frame)
    chunk = frame * count

    async def session(line: Line) -> None:
        await _upgrade(attacker, line)
        reader, writer = await line.open()
        if not reads:
            writer.transport.pause_reading()  # type: ignore[attr-defined]
        while not writer.transport.is_closing():
            await line.send(chunk)
            attacker.tally["frames"] += count
            await asyncio.sleep(1 / _SOCKET_WRITES_PER_SECOND)
            if reads and reader.at_eof():
                return

    await attacker.workers(8, session, per_second=8)


async def _upgrade(attacker: Attacker, line: Line) -> None:
    reader, _ = await line.open()
    key = base64.b64encode(os.urandom(16)).decode()
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": key,
    }
    await line.send(request("GET", "/api/v1/ws/trades", headers=headers))
    status = int((await reader.readuntil(b"\r\n\r\n"))[9:12])
    attacker.tally[f"handshakes {status}"] += 1
    if status != 101:
        raise ConnectionRefusedError


def _frame(opcode: int, payload: bytes) -> bytes:
    # The mask of a client may be any, zeros too.
    return bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload


async def _drip(attacker: Attacker, line: Line) -> None:
    while True:
        await line.send(b"a")
        attacker.tally["bytes sent"] += 1
        await _closed(line, within_s=1)


async def _closed(line: Line, *, within_s: float | None) -> None:
    """Read for at most the given time; raise `ConnectionResetError` where the other side hangs up."""
    reader, _ = await line.open()
    try:
        async with asyncio.timeout(within_s):
            while await reader.read(_CHUNK_BYTES):
                pass
    except TimeoutError:
        return
    raise ConnectionResetError
