"""Attacks by receivers: partners' webhooks whose servers never end."""

from __future__ import annotations

import functools
import itertools

from bench.attacks.attacker import Attacker
from bench.attacks.wire import Line
from bench.load import request
from tests.support.evil import BODIES, FAST, SLOW, Evil, Script

#: The path of the webhooks.
PATH = "hook"
_PER_SECOND = 5


async def interim(attacker: Attacker) -> None:
    """Continue without end."""
    await _receive(attacker, FAST["continue"][0])


async def headers(attacker: Attacker) -> None:
    """Send headers without end."""
    await _receive(attacker, FAST["headers"][0])


async def chunks(attacker: Attacker) -> None:
    """Send chunks of a byte without end."""
    await _receive(attacker, FAST["small-chunks"][0])


async def bodies(attacker: Attacker) -> None:
    """Send a body without end."""
    await _receive(attacker, BODIES["announced"])


async def slow(attacker: Attacker) -> None:
    """Send a body byte by byte."""
    await _receive(attacker, SLOW["slow-body"])


async def _receive(attacker: Attacker, script: Script) -> None:
    """Let each partner's webhook be tried once a second, as soon as the attempt before has ended."""
    paths = itertools.cycle(f"/api/v1/admin/partners/{name}/webhook/test" for name in attacker.plan.partners)
    make = functools.partial(request, "POST", headers={"Authorization": f"Bearer {attacker.plan.admin_token}"})

    async def session(line: Line) -> None:
        attacker.tally[f"tried {await line.ask(make(next(paths)))}"] += 1

    evil = Evil({PATH: script})
    async with evil.serving(port=attacker.plan.receiver_port):
        try:
            await attacker.workers(len(attacker.plan.partners), session, per_second=_PER_SECOND)
        finally:
            attacker.tally["KiB sent"] = evil.sent_bytes[PATH] // 1024
