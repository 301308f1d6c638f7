"""How the organizer's questions of many outcomes were asked and traded in the demo's past: by ranges and conditions."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from random import Random
from typing import Any

from foreknow.commands.demo import baskets, polls, questions
from foreknow.commands.demo.calendar import PAST_MS
from foreknow.commands.demo.people import OLGA, TESS, TRADERS
from foreknow.commands.demo.schedule import Actor, Schedule
from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import RequestFailed
from foreknow.kernel.clock import DAY_MS, HOUR_MS

#: Mean time between two orders.
EVERY_MS = 3 * HOUR_MS
TRADING: Actor = ("shaped",)
GROWING: Actor = ("list",)
#: When they are asked; of the list, when the trader to sign in as buys Other, and when outcomes are taken out of it.
_OPENS_MS = 3 * DAY_MS
_GROWS_MS = (9 * DAY_MS, 17 * DAY_MS, 29 * DAY_MS)
_HELD_KOPECKS = 4_000
#: Where the price has moved, the next attempt expects the new one.
_ATTEMPTS = 20
#: Orders that a past meets which goes on: done already, moved or spent.
_DONE = {"idempotency_key_reused", "insufficient_funds", "slippage"}


def steps(began_ms: int) -> dict[Actor, Sequence[int]]:
    """Return when each step is taken, in a past that begins at `began_ms`."""
    random = Random("shaped moments")  # noqa: S311 - nothing to guess
    opens_ms, end_ms = began_ms + _OPENS_MS, began_ms + PAST_MS
    count = (end_ms - opens_ms) // EVERY_MS
    traded_ms = sorted(random.randrange(opens_ms + HOUR_MS, end_ms) for _ in range(count))
    return {TRADING: [opens_ms, *traded_ms], GROWING: [began_ms + after_ms for after_ms in _GROWS_MS]}


async def trade(schedule: Schedule, accounts: Mapping[str, ReplayUser], run: Run, *, began_ms: int) -> None:
    """Ask the questions, and let the demo's traders bring them near to what they believe."""
    random = Random("shaped")  # noqa: S311 - nothing to guess
    olga = accounts[OLGA.local_part]
    times = steps(began_ms)[TRADING]
    async with schedule.step(TRADING):
        asked = [await olga.publish(body, await olga.newest_event(tag)) for tag, body in questions.events(began_ms)]
        poll = await olga.newest_event(polls.TAG)
        pool_ids = [event["pools"][0]["id"] for event in (poll, *asked)]
    for number, at_ms in enumerate(times[1:]):
        async with schedule.step(TRADING):
            pool = await olga.client.get(f"/pools/{random.choice(pool_ids)}")
            who, stake_kopecks = accounts[random.choice(TRADERS).local_part], random.randint(600, 9_000)
            part, key = (at_ms - began_ms) / PAST_MS, run.key("shaped", number)
            body = baskets.order(pool, random, part=part, stake_kopecks=stake_kopecks)
            if pool["shape"]["kind"] == "list":
                body = {"market_ids": [random.choice(pool["markets"])["id"]], "amount_kopecks": stake_kopecks}
            if body is not None:
                await _once(who.basket(body, key=key))


async def grow(schedule: Schedule, accounts: Mapping[str, ReplayUser], run: Run) -> None:
    """Let the trader to sign in as hold Other, and the organizer take two outcomes out of it."""
    olga, tess = accounts[OLGA.local_part], accounts[TESS.local_part]
    async with schedule.step(GROWING):
        pool = await _list(olga)
        market_id = pool["markets"][pool["other"]]["id"]
        await _once(tess.bet(market_id, "YES", _HELD_KOPECKS, key=run.key("list", "held")))
    for name, name_ru, share in questions.ADDED:
        async with schedule.step(GROWING):
            await _add(olga, name, name_ru, share)


async def _list(olga: ReplayUser) -> Any:
    event = await olga.newest_event(questions.LIST_TAG)
    return await olga.client.get(f"/pools/{event['pools'][0]['id']}")


async def _add(olga: ReplayUser, name: str, name_ru: str, share: float) -> None:
    """Take an outcome out of Other where it stands; once it is there, this changes nothing."""
    for attempt in range(1, _ATTEMPTS + 1):
        pool = await _list(olga)
        probability = pool["markets"][pool["other"]]["yes_probability"] * share
        body = {"name": name, "name_ru": name_ru, "share": share, "probability": probability}
        try:
            await olga.call("POST", f"/pools/{pool['id']}/outcomes", body=body)
        except RequestFailed as refused:
            if refused.code != "slippage" or attempt == _ATTEMPTS:
                raise
        else:
            return


async def _once(sent: Awaitable[Any]) -> None:
    try:
        await sent
    except RequestFailed as refused:
        if refused.code not in _DONE:
            raise
