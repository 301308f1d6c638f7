"""How long five servers that never end hold the event loop, server by server.

python -m bench receivers

Each is asked (GET) and posted to, five at a time, again and again. Beside them runs a task that wakes up every
millisecond: the longest CPU time between two of its turns is what other requests would have waited. The bar is 5 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import time
from collections import Counter
from multiprocessing.connection import Connection

import uvloop

from foreknow.platform.fetching import Fetcher, FetchFailed, PublicTransport
from foreknow.service.server import prepare_process
from tests.support.evil import BODIES, FAST, SLOW, Evil, Script

SCRIPTS: dict[str, Script] = {**{name: script for name, (script, _) in FAST.items()}, **BODIES, **SLOW}
SERVERS = 5
BAR_MS = 5.0
#: Of what is slow, nothing more is to be seen after this time.
ANSWER_S = 2.0
_TICK_S = 0.001


def main(arguments: list[str]) -> None:
    """Measure server by server, and print a table."""
    parser = argparse.ArgumentParser(
        prog="bench receivers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--only", action="append", choices=list(SCRIPTS), help="may be given several times")
    options = parser.parse_args(arguments)
    address, serving = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=_serve, args=(serving,), daemon=True)
    server.start()
    prepare_process()
    uvloop.run(_measure(address.recv(), options.only or list(SCRIPTS), seconds=options.seconds))
    server.terminate()


def _serve(serving: Connection) -> None:
    async def serve() -> None:
        async with Evil(SCRIPTS).serving() as evil:
            serving.send(evil.url)
            await asyncio.Event().wait()

    uvloop.run(serve())


async def _measure(url: str, names: list[str], *, seconds: float) -> None:
    print(f"| server | longest hold of the loop (bar: {BAR_MS:g} ms) | CPU | exchanges | end of the last |")
    print("|---|--:|--:|--:|---|", flush=True)
    # What is loaded at the first request is none of theirs.
    await _attack(f"{url}/silent", seconds=0.0, answer_s=0.1)
    for name in names:
        held = _Held()
        watching = asyncio.create_task(held.watch())
        began_s = time.thread_time()
        ends = await _attack(f"{url}/{name}", seconds=seconds, answer_s=ANSWER_S)
        cpu_s = time.thread_time() - began_s
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        last = max(ends, key=ends.__getitem__)
        print(f"| {name} | {held.longest_ms:.1f} ms | {cpu_s:.2f} s | {ends.total():,} | {last} |", flush=True)


class _Held:
    """The longest time for which nothing else ran, in milliseconds of CPU."""

    def __init__(self) -> None:
        self.longest_ms = 0.0

    async def watch(self) -> None:
        """Watch until cancelled."""
        before_s = time.thread_time()
        while True:
            await asyncio.sleep(_TICK_S)
            now_s = time.thread_time()
            self.longest_ms = max(self.longest_ms, (now_s - before_s) * 1000)
            before_s = now_s


async def _attack(url: str, *, seconds: float, answer_s: float) -> Counter[str]:
    """Ask and post to five servers until the time is over; count how the exchanges ended."""
    ends: Counter[str] = Counter()
    until_s = time.monotonic() + seconds

    async def exchange() -> None:
        while True:
            fetcher = Fetcher(answer_s=answer_s, transport=PublicTransport(connections_kept=1))
            for send in (fetcher.get(url), fetcher.post(url, b"{}", {})):
                try:
                    ends[str(await send)] += 1
                except FetchFailed as failure:
                    ends[str(failure)] += 1
            await fetcher.close()
            # As attempts do, which back off.
            await asyncio.sleep(0.1)
            if time.monotonic() > until_s:
                return

    await asyncio.gather(*(exchange() for _ in range(SERVERS)))
    return ends
