"""What attackers have in common."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec

from bench.attacks.wire import BROKEN, Address, Line

#: Pause of an attacker before it connects again.
_BACK_S = 0.02


class Plan(msgspec.Struct, frozen=True):
    """What an attacker knows."""

    host: str
    port: int
    source: str
    #: An access token of an account without any role.
    token: str
    event_id: int
    pool_ids: list[int]
    #: Partners whose webhooks are on a port of the attacker's; and the token of an admin who tries them.
    partners: list[str] = []
    receiver_port: int = 0
    admin_token: str = ""


class Attacker:
    """What all attacks have in common: workers, a pace, and a tally of what came of it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.tally: Counter[str] = Counter()
        self.numbers = itertools.count()

    @contextlib.asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        """Open a connection for a while."""
        line = Line(Address(self.plan.host, self.plan.port, self.plan.source))
        try:
            await line.open()
            self.tally["connections"] += 1
            yield line
        finally:
            line.close()

    async def workers(self, count: int, session: Callable[[Line], Awaitable[None]], *, per_second: float) -> None:
        """Have `count` connections in use at a time; each opens a new one when its session is over or was cut."""
        pause_s = count / per_second

        async def work(number: int) -> None:
            # Not all in the same moment.
            await asyncio.sleep(pause_s * number / count)
            while True:
                began_s = time.monotonic()
                try:
                    async with self.line() as line:
                        await session(line)
                except BROKEN:
                    self.tally["cut or refused"] += 1
                    await asyncio.sleep(_BACK_S)
                await asyncio.sleep(max(0.0, began_s + pause_s - time.monotonic()))

        await asyncio.gather(*(work(number) for number in range(count)))

    async def requests(self, count: int, make: Callable[[], bytes], *, per_second: float) -> None:
        """Send requests over `count` connections that stay open, each after the answer to the one before."""
        pause_s = count / per_second

        async def session(line: Line) -> None:
            while True:
                began_s = time.monotonic()
                self.tally[str(await line.ask(make()))] += 1
                if not line.is_open:
                    return
                await asyncio.sleep(max(0.0, began_s + pause_s - time.monotonic()))

        await self.workers(count, session, per_second=per_second)


Attack = Callable[[Attacker], Awaitable[None]]
