"""The demo's list: who runs the next large project, where candidates become known while people trade."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS
from foreknow.commands.demo.people import TESS, TRADERS
from foreknow.commands.demo.schedule import Actor, Schedule
from foreknow.commands.replay.accounts import ReplayUser
from foreknow.commands.replay.client import ApiClient
from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso

#: Bets as someone: on a market's side, with a stake, in a step that is done once.
BetAs = Callable[[str, int, str, int, tuple[str | int, ...]], Awaitable[None]]
TAG = "growing list"
ACTOR: Actor = ("list",)
_OPENS_MS = 3 * DAY_MS
_FINISH_MS = 90 * DAY_MS
_TRADES = 60
#: Before which trades an outcome is taken out of Other: the last one less than a day ago.
_SPLITS: Mapping[int, tuple[str, str, float]] = {
    20: ("A foundation", "Фонд", 0.4),
    59: ("A ministry", "Министерство", 0.25),
}
#: Before which trade the trader to sign in as buys Other.
_HOLDER_AT = 5
_HOLDER_KOPECKS = 3_000
_OTHER = 2


def event(began_ms: int) -> dict[str, Any]:
    """Return the body of POST /events/create-full, for a past that begins at `began_ms`."""
    finish_ms = began_ms + PAST_MS + _FINISH_MS
    return {
        "name": "Who will run the next large replication project?",
        "name_ru": "Кто проведёт следующий большой проект повторных исследований?",
        "tags": ["science", TAG],
        "pools": [
            {
                "name": "Who will run it",
                "name_ru": "Кто его проведёт",
                "rules": "The body that announces the next project of twenty studies or more. Others that come into "
                "question are added as they become known; “Other” wins where none of the list is it.",
                "finish_at": iso(finish_ms - finish_ms % HOUR_MS),
                "metadata": {
                    "shape": {"kind": "list"},
                    "market_names": ["A university", "A journal", "Other"],
                    "market_names_ru": ["Университет", "Журнал", "Другое"],
                    "rules_ru": "Организация, которая объявит следующий проект не менее чем из двадцати исследований. "
                    "Новые претенденты добавляются, когда о них становится известно; «Другое» выигрывает, если ни "
                    "одного из списка не будет.",
                    "market_probabilities": [0.35, 0.25, 0.4],
                },
            }
        ],
    }


def moments(began_ms: int) -> list[int]:
    """Return when the list is published, and when it is traded."""
    opens_ms = began_ms + _OPENS_MS
    every_ms = (began_ms + PAST_MS - HOUR_MS - opens_ms) // _TRADES
    return [opens_ms + number * every_ms for number in range(_TRADES + 1)]


async def hold(client: ApiClient, olga: ReplayUser, bet: BetAs, schedule: Schedule, *, began_ms: int) -> None:
    """Make the list, trade in it and let it grow; an interrupted past goes on."""
    random = Random("list")  # noqa: S311 - nothing to guess
    async with schedule.step(ACTOR):
        made = await olga.publish(event(began_ms), await olga.newest_event(TAG))
    pool_id = made["pools"][0]["id"]
    for number in range(_TRADES):
        async with schedule.step(ACTOR):
            pool = await client.get(f"/pools/{pool_id}")
            if number in _SPLITS:
                pool = await _grow(olga, pool, *_SPLITS[number])
            if number == _HOLDER_AT:
                other_id = pool["markets"][_OTHER]["id"]
                await bet(TESS.local_part, other_id, "YES", _HOLDER_KOPECKS, ("list", "holder"))
            market, side = random.choice(pool["markets"]), random.choice(["YES", "YES", "NO"])
            who, stake_kopecks = random.choice(TRADERS).local_part, random.randint(300, 2_000)
            if market["outcome_index"] == _OTHER:
                # NO of Other cannot be bought.
                side = "YES"
            await bet(who, market["id"], side, stake_kopecks, ("list", number))


async def _grow(olga: ReplayUser, pool: dict[str, Any], name: str, name_ru: str, share: float) -> dict[str, Any]:
    """Take an outcome out of Other, unless it is there."""
    if any(market["name"] == name for market in pool["markets"]):
        return pool
    (other,) = [market for market in pool["markets"] if market["outcome_index"] == _OTHER]
    probability = round(share * other["yes_probability"], 6)
    body = {"name": name, "name_ru": name_ru, "share": share, "probability": probability}
    path = f"/pools/{pool['id']}/outcomes"
    grown: dict[str, Any] = await olga.call("POST", path, body=body)
    return grown
