"""What the demo's people think without a stake: of the recorded markets in the past, and of all while it runs.

Some know more than the price, some say what it says, and one is surer than what they know: so scores differ.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS, Lifetime
from foreknow.commands.demo.follows import FindEvent
from foreknow.commands.demo.people import FORECASTERS
from foreknow.commands.demo.schedule import Actor, Schedule
from foreknow.commands.replay.accounts import ReplayUser
from foreknow.commands.replay.client import RequestFailed
from foreknow.commands.replay.history import History, MarketKey

ACTOR: Actor = ("forecasts",)
#: Parts of a market's life in the past after which they say what they think.
PARTS = (0.25, 0.6)
#: Mean pause between two forecasts of a person while the demo runs.
PAUSE_S = 60.0
_LEAST, _MOST = 0.02, 0.98
#: What a question that has ended meanwhile, or was decided, refuses.
_OVER = {"market_closed", "market_resolved", "slippage"}
_CHANCE = random.Random()  # noqa: S311 - nothing to guess


@dataclass(frozen=True, slots=True)
class _Mind:
    """How someone thinks: how far they go from the price to the truth, and how far they are off by chance."""

    insight: float
    noise: float


_MINDS: Mapping[str, _Mind] = {
    "fay": _Mind(0.35, 0.05),
    "igor": _Mind(0.15, 0.1),
    "bea": _Mind(0.0, 0.01),
    "sol": _Mind(0.1, 0.3),
}


@dataclass(frozen=True, slots=True)
class PlannedForecast:
    """When a recorded market is forecast, Unix milliseconds."""

    at_ms: int
    history: History
    number: int


def moments(
    histories: Sequence[History], lives: Mapping[MarketKey, Lifetime], *, began_ms: int
) -> list[PlannedForecast]:
    """Return when each recorded market is forecast, in a past that begins at `began_ms`."""
    found: list[PlannedForecast] = []
    for history in histories:
        life = lives[history.key]
        span_ms = min(life.finish_ms, began_ms + PAST_MS) - life.opens_ms
        found += [PlannedForecast(life.opens_ms + round(part * span_ms), history, n) for n, part in enumerate(PARTS)]
    return sorted(found, key=lambda moment: moment.at_ms)


async def live(
    schedule: Schedule, accounts: Mapping[str, ReplayUser], planned: Sequence[PlannedForecast], find: FindEvent
) -> None:
    """Take the steps: everyone forecasts a market. Those of a past that goes on after a break are not taken twice."""
    for moment in planned:
        async with schedule.step(ACTOR):
            if schedule.is_late(moment.at_ms):
                continue
            (pool,) = (await find(moment.history.name))["pools"]
            shown = await accounts[FORECASTERS[0].local_part].client.get(f"/pools/{pool['id']}")
            price, truth = shown["markets"][0]["yes_probability"], float(moment.history.finding.replicated)
            for person in FORECASTERS:
                chance = Random(f"{person.local_part} {moment.history.name} {moment.number}")  # noqa: S311 - likewise
                said = _thought(_MINDS[person.local_part], price, truth, chance)
                await _say(accounts[person.local_part], pool["id"], [said])


async def go_on(account: ReplayUser, is_stopping: Callable[[], bool]) -> None:
    """Forecast a question now and then: near its price, or what was said before still holds."""
    while not is_stopping():
        await asyncio.sleep(_CHANCE.expovariate(1 / PAUSE_S))
        cards = (await account.call("GET", "/cards", query={"limit": 50}))["cards"]
        if cards:
            pool_id = _CHANCE.choice(cards)["pool"]["pool_id"]
            pool = await account.client.get(f"/pools/{pool_id}")
            mine = (await account.call("GET", f"/pools/{pool_id}/forecasts", query={"limit": 1}))["mine"]
            still_so = mine is not None and _CHANCE.random() < 0.5
            await _say(account, pool_id, mine["probabilities"] if still_so else _near(pool["markets"]))


def _thought(mind: _Mind, price: float, truth: float, chance: Random) -> float:
    return min(_MOST, max(_LEAST, price + mind.insight * (truth - price) + chance.gauss(0, mind.noise)))


def _near(markets: Sequence[Any]) -> list[float]:
    """Return probabilities somewhat off the prices."""
    prices = [market["yes_probability"] for market in markets]
    if len(prices) == 1:
        return [_thought(_Mind(0, 0.08), prices[0], 0, _CHANCE)]
    parts = [price * _CHANCE.uniform(0.7, 1.4) for price in prices]
    return [part / sum(parts) for part in parts]


async def _say(account: ReplayUser, pool_id: int, probabilities: Sequence[float]) -> None:
    body = {"probabilities": list(probabilities), "outcomes": len(probabilities)}
    try:
        await account.call("PUT", f"/pools/{pool_id}/forecast", body=body)
    except RequestFailed as refused:
        if refused.code not in _OVER:
            raise
