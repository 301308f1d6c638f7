"""Connections of one user to several processes of a service, and what it asks through them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import msgspec

from bench.load import request
from faults.history.made import NEVER_NS, SEVERAL, Operation

#: Pause between attempts to reach a server that is not running.
PAUSE_S: Final = 0.05
TIMEOUT_S: Final = 60.0
PREFIX: Final = "/api/v1"
UNAUTHORIZED: Final = 401
#: Of orders whose answer did not come, each fifth is not sent again.
LEFT_ALONE: Final = 5


class Unreachable(Exception):
    """No server answered for a minute."""


class User(msgspec.Struct, frozen=True):
    """Who asks."""

    id: int
    email: str
    password: str
    token: str


class Wire:
    """Asks one thing at a time, each at a process of its choice."""

    def __init__(self, ports: Sequence[int], user: User, chance: Random) -> None:
        """Open no connection yet."""
        self.user = user
        self.chance = chance
        self._ports = ports
        self._token = user.token
        self._streams: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    def close(self) -> None:
        """Close all connections."""
        for process in list(self._streams):
            self._drop(process)

    async def do(
        self, kind: str, method: str, path: str, body: dict[str, Any] | None = None, *, key: str | None = None
    ) -> Operation:
        """Ask until it is answered; an order is sometimes left unanswered. Raises `Unreachable`."""
        process = self._some_process()
        began_ns, first = time.monotonic_ns(), True
        while time.monotonic_ns() < began_ns + TIMEOUT_S * 1e9:
            try:
                status, answer = await self._ask(process, method, path, body, key)
            except (OSError, asyncio.IncompleteReadError):
                self._drop(process)
                if key is not None and not self.chance.randrange(LEFT_ALONE):
                    return Operation(kind, self.user.id, body or {}, None, None, began_ns, NEVER_NS, process)
            else:
                if status == UNAUTHORIZED:
                    await self._sign_in(process)
                    continue
                if status < 500:
                    done_by = process if first else SEVERAL
                    return Operation(
                        kind, self.user.id, body or {}, status, answer, began_ns, time.monotonic_ns(), done_by
                    )
            first = False
            await asyncio.sleep(PAUSE_S)
            process = self._some_process()
        raise Unreachable(f"{method} {path}")

    async def read(self, path: str, *, is_anonymous: bool = False) -> tuple[int, Any, int, int, int]:
        """Read through some process, again where that fails; return also from when to when, and where."""
        for _ in range(int(TIMEOUT_S / PAUSE_S)):
            process = self._some_process()
            began_ns = time.monotonic_ns()
            try:
                status, answer = await self._ask(process, "GET", path, None, None, is_anonymous=is_anonymous)
            except (OSError, asyncio.IncompleteReadError):
                self._drop(process)
            else:
                if status == UNAUTHORIZED:
                    await self._sign_in(process)
                    continue
                if status < 500:
                    return status, answer, began_ns, time.monotonic_ns(), process
            await asyncio.sleep(PAUSE_S)
        raise Unreachable(path)

    def _some_process(self) -> int:
        return self.chance.randrange(len(self._ports))

    async def _sign_in(self, process: int) -> None:
        body = {"login": self.user.email, "password": self.user.password}
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            status, answer = await self._ask(process, "POST", "/auth/sign-in", body, None, is_anonymous=True)
            if status == 200:
                self._token = answer["access_token"]

    async def _ask(
        self, process: int, method: str, path: str, body: Any, key: str | None, *, is_anonymous: bool = False
    ) -> tuple[int, Any]:
        if process not in self._streams:
            self._streams[process] = await asyncio.open_connection("127.0.0.1", self._ports[process])
        reader, writer = self._streams[process]
        headers = {} if is_anonymous else {"Authorization": f"Bearer {self._token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = b"" if body is None else msgspec.json.encode(body)
        writer.write(request(method, PREFIX + path, headers=headers, body=content))
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.index(b"content-length:") + 15
        given = await reader.readexactly(int(head[at : head.index(b"\r\n", at)]))
        if b"connection: close" in head:
            self._drop(process)
        return int(head[9:12]), msgspec.json.decode(given) if given else {}

    def _drop(self, process: int) -> None:
        stream = self._streams.pop(process, None)
        if stream is not None:
            stream[1].close()
