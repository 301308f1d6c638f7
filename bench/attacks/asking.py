"""Attacks by what is requested: reads that cost the service far more than a page of everybody's."""

from __future__ import annotations

import itertools
import random
from urllib.parse import quote

import msgspec

from bench.attacks.attacker import Attacker
from bench.attacks.wire import Line
from bench.load import request

_SORTS = ("trending", "new", "volume", "closing", "moved")
_STATUSES = ("all", "active", "resolved")
#: Letters and parts of words that many names of a history hold.
_PARTS = ("a", "e", "i", "will", "the", "o", "за", "е")


async def lists(attacker: Attacker) -> None:
    """Request the largest pages, each time with another query."""
    shuffled = random.Random(6)
    pool_ids = list(attacker.plan.pool_ids)

    def make() -> bytes:
        number = next(attacker.numbers)
        if number % 2:
            shuffled.shuffle(pool_ids)
            return request("GET", "/api/v1/pools/batch?ids=" + ",".join(map(str, pool_ids)))
        return request(
            "GET", f"/api/v1/events?limit={100 - number // 2 % 50}&sort={('new', 'volume')[number // 2 % 2]}"
        )

    await attacker.requests(4, make, per_second=50)


async def boards(attacker: Attacker) -> None:
    """Request cards in every order, each time with other filters."""

    def make() -> bytes:
        number = next(attacker.numbers)
        sort, status = _SORTS[number % 5], _STATUSES[number // 5 % 3]
        part = quote(_PARTS[number // 15 % 8])
        return request("GET", f"/api/v1/cards?sort={sort}&status={status}&q={part}&limit={100 - number // 120 % 50}")

    await attacker.requests(4, make, per_second=50)


async def search(attacker: Attacker) -> None:
    """Search all events for parts of names, most of which nothing holds."""
    letters = random.Random(7)

    def make() -> bytes:
        number = next(attacker.numbers)
        part = _PARTS[number % 8] if number % 2 else "".join(letters.choices("aeinorst", k=2))
        return request("GET", f"/api/v1/events?q={quote(part)}&limit={100 - number % 50}&sort=volume")

    await attacker.requests(4, make, per_second=50)


async def leaderboard(attacker: Attacker) -> None:
    """Read the whole ranking page by page, from its first, as fast as it is answered."""

    async def session(line: Line) -> None:
        for period in itertools.cycle(("all", "month", "week")):
            cursor = ""
            while True:
                path = f"/api/v1/leaderboard?period={period}&limit=100{cursor}"
                status, body = await line.read(request("GET", path))
                attacker.tally[str(status)] += 1
                page = msgspec.json.decode(body)
                if not page.get("has_more"):
                    break
                cursor = f"&cursor={page['next_cursor']}"

    await attacker.workers(4, session, per_second=50)
