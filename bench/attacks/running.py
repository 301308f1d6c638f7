"""An attacker, in a process of its own: `python -m bench.attacks.running NAME`, with a `Plan` as JSON on its input.

It attacks until its standard input closes, two minutes at most, and then says as JSON what came of it. It is niced,
since a real one has a machine of its own; each attack names how many connections it holds and how much it sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys

import msgspec
import uvloop

from bench.attacks.attacker import Attack, Attacker, Plan
from bench.attacks.catalogue import CATALOGUE

LONGEST_S = 120
_NICE = 10


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
    os.nice(_NICE)
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    attacker = Attacker(msgspec.json.decode(sys.stdin.readline(), type=Plan))
    uvloop.run(_run(CATALOGUE[name].attack, attacker))
    print(msgspec.json.encode(attacker.tally).decode())


if __name__ == "__main__":
    main(sys.argv[1])
