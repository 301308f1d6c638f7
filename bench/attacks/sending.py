"""Attacks by what is sent."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from http import HTTPStatus
from urllib.parse import quote

import msgspec

from bench.attacks.attacker import Attacker
from bench.attacks.wire import BROKEN, Line
from bench.load import request

#: Two marks of different classes, those that belong in front last: to put a run of them in order takes all there is.
_FIRST, _LAST = "\N{COMBINING DOT BELOW}", "\N{COMBINING ACUTE ACCENT}"
_UPLOAD_BYTES = 5 * 2**20
_CHUNK_BYTES = 64 * 1024


def _marks(count: int) -> str:
    return _LAST * count + _FIRST * count


def _sign_in(login: str, password: str = "wrong password") -> bytes:
    body = msgspec.json.encode({"login": login, "password": password})
    return request("POST", "/api/v1/auth/sign-in", body=body)


async def marks(attacker: Attacker) -> None:
    """Make normalising a text as dear as it can be."""
    wanted = _sign_in("a" + _marks(15_000))
    await attacker.requests(4, lambda: wanted, per_second=40)


async def marks_in_query(attacker: Attacker) -> None:
    """Do the same in a query, as long as servers usually take one."""
    wanted = request("GET", "/api/v1/events?q=" + quote("a" + _marks(5_000)))
    await attacker.requests(4, lambda: wanted, per_second=40)


async def deep(attacker: Attacker) -> None:
    """Have something unforeseen deep inside."""
    body = b'{"a":' * 330 + b'"\\u0000"' + b"}" * 330
    wanted = request("POST", "/api/v1/auth/sign-in", body=body)
    await attacker.requests(4, lambda: wanted, per_second=200)


async def uploads(attacker: Attacker) -> None:
    """Send pictures where none may be sent: signed out, and signed in without the role."""
    path = f"/api/v1/events/{attacker.plan.event_id}/image"
    signed_in = itertools.cycle([{}, {"Authorization": f"Bearer {attacker.plan.token}"}])
    chunk = random.Random(5).randbytes(_CHUNK_BYTES)

    async def session(line: Line) -> None:
        headers = {**next(signed_in), "Content-Type": "image/png", "Content-Length": str(_UPLOAD_BYTES)}
        await line.send(request("PUT", path, headers=headers))

        async def send() -> None:
            for _ in range(_UPLOAD_BYTES // _CHUNK_BYTES):
                await line.send(chunk)
                attacker.tally["KiB sent"] += _CHUNK_BYTES // 1024

        sending = asyncio.ensure_future(send())
        try:
            attacker.tally[str(await line.answer())] += 1
        finally:
            # What was announced is sent, whatever the answer.
            with contextlib.suppress(*BROKEN):
                await sending

    await attacker.workers(8, session, per_second=20)


async def guessing(attacker: Attacker) -> None:
    """Guess passwords, as fast as they are answered."""

    def make() -> bytes:
        number = next(attacker.numbers)
        return _sign_in(f"guessed{number}@example.org", f"password {number}")

    await attacker.requests(100, make, per_second=1_000)


async def call_operator(attacker: Attacker) -> None:
    """Begin a chat and call an operator, again and again, each time as a new visitor."""
    begin, call = (request("POST", f"/api/v1/chat/session{what}") for what in ("", "/call-operator"))

    async def session(line: Line) -> None:
        reader, _ = await line.open()
        await line.send(begin)
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        attacker.tally[f"begun {lines[0].split()[1]}"] += 1
        fields = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines[1:])}
        await reader.readexactly(int(fields["content-length"]))
        if "set-cookie" in fields:
            cookie = fields["set-cookie"].split(";")[0]
            with_cookie = call.replace(b"\r\n\r\n", f"\r\nCookie: {cookie}\r\n\r\n".encode(), 1)
            attacker.tally[f"called {await line.ask(with_cookie)}"] += 1

    await attacker.workers(20, session, per_second=100)


async def keys(attacker: Attacker) -> None:
    """Make an API key and delete it: commits of one account."""
    headers = {"Authorization": f"Bearer {attacker.plan.token}"}
    make = request("POST", "/api/v1/users/me/keys", headers=headers, body=b'{"name":"bot","scope":"read"}')

    async def session(line: Line) -> None:
        while True:
            status, body = await line.read(make)
            attacker.tally[str(status)] += 1
            if status == HTTPStatus.CREATED:
                made = msgspec.json.decode(body)
                path = f"/api/v1/users/me/keys/{made['id']}"
                attacker.tally[str(await line.ask(request("DELETE", path, headers=headers)))] += 1
            await asyncio.sleep(8 / 100)

    await attacker.workers(8, session, per_second=100)
