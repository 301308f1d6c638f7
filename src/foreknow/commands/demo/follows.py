"""What the trader to sign in as follows, and their price alerts: some are reached in the past, some later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS
from foreknow.commands.demo.people import OLGA, TESS
from foreknow.commands.demo.schedule import Actor, Schedule
from foreknow.commands.replay.accounts import ReplayUser
from foreknow.commands.replay.client import RequestFailed
from foreknow.commands.replay.history import History
from foreknow.kernel.clock import DAY_MS, HOUR_MS

ACTOR: Actor = ("follows",)
#: Of the market that recurs, which begins with the end of the past.
TAG = "crypto"
#: Every third market left open is followed, and has price alerts.
EVERY = 3
#: How far alerts are from the price, in basis points: those of the past, and those that are left to the demo's traders.
PAST_BPS, LATER_BPS = 300, 600
_BPS = 10_000

#: Returns the event of a recorded market, by its name.
FindEvent = Callable[[str], Awaitable[Any]]


def moments(began_ms: int) -> list[int]:
    """Return when each step is taken, in a past that begins at `began_ms`."""
    end_ms = began_ms + PAST_MS
    return [began_ms + DAY_MS, end_ms - 10 * DAY_MS, end_ms - HOUR_MS]


async def live(
    schedule: Schedule, accounts: Mapping[str, ReplayUser], left_open: Sequence[History], find: FindEvent
) -> None:
    """Take the steps: follow a creator, then a tag and markets with alerts, then set alerts again."""
    tess = accounts[TESS.local_part]
    followed = left_open[::EVERY]
    async with schedule.step(ACTOR):
        await tess.call("PUT", f"/users/{accounts[OLGA.local_part].id}/follow")
    async with schedule.step(ACTOR):
        await tess.call("PUT", f"/tags/{TAG}/follow")
        for history in followed:
            event = await find(history.name)
            await tess.call("PUT", f"/events/{event['id']}/follow")
            await _set_alert(tess, event, PAST_BPS)
    async with schedule.step(ACTOR):
        for history in followed:
            await _set_alert(tess, await find(history.name), LATER_BPS)


async def _set_alert(tess: ReplayUser, event: Any, far_bps: int) -> None:
    """Let them be notified at prices so far above and below the present one."""
    market_id = event["pools"][0]["markets"][0]["id"]
    shown = await tess.client.get(f"/markets/{market_id}")
    price_bps = round(_BPS * shown["yes_probability"])
    limits = {"above": min(_BPS - 1, price_bps + far_bps), "below": max(1, price_bps - far_bps)}
    try:
        await tess.call("PUT", f"/markets/{market_id}/alert", body=limits)
    except RequestFailed as refused:
        # The price is there already, or past it.
        if refused.code != "invalid_state":
            raise
