"""An attacker, in a process of its own: `python -m bench.attacks.attacker NAME`, with a `Plan` as JSON on its input.

It attacks until its standard input closes, two minutes at most, and then says as JSON what came of it. It is niced,
since a real one has a machine of its own; each attack names how many connections it holds and how much it sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import uvloop

from bench.attacks.wire import BROKEN, Address, Line

LONGEST_S = 120
_NICE = 10
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


async def _run(attack: Attack, attacker: Attacker) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    attacking = asyncio.ensure_future(attack(attacker))
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_S):
            waiting = asyncio.ensure_future(ended.wait())
            await asyncio.wait({attacking, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if attacking.done():
        # It never ends by itself: it has failed.
        await attacking
    attacking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await attacking


def main(name: str) -> None:
    """Run the attack of this name until it is stopped."""
    from bench.attacks.catalogue import CATALOGUE

    os.nice(_NICE)
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    attacker = Attacker(msgspec.json.decode(sys.stdin.readline(), type=Plan))
    uvloop.run(_run(CATALOGUE[name].attack, attacker))
    print(msgspec.json.encode(attacker.tally).decode())


if __name__ == "__main__":
    main(sys.argv[1])
