"""Makes the demo's recurring market, with its instances of the last half hour, and a result that can be disputed.

The past is lived through once, on a service that reads the time from a file: its instances were opened, traded,
resolved by their evidence and paid like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from foreknow.commands.demo.exchange import NAME, SYMBOL
from foreknow.commands.demo.people import settle
from foreknow.commands.demo.schedule import TestTime
from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import ApiClient
from foreknow.commands.replay.concurrency import until
from foreknow.commands.replay.replayer import is_paid
from foreknow.kernel.clock import DAY_MS, MINUTE_MS, SECOND_MS, iso, millis

INTERVAL_MS = 5 * MINUTE_MS
PAST_INSTANCES = 6
#: The local part of its creator's address.
CREATOR = "series-creator"
TAG = "recurring"
DISPUTED_TAG = "dispute window"
#: 30 days, the longest there is.
DISPUTE_MINUTES = 43_200
STAKE_KOPECKS = 20_000
#: How much time passes between two looks for the first price; in all that are taken, less than an instance has.
PASSES_MS = 100


def began_ms(until_ms: int) -> int:
    """Return when the past begins that ends at the last full interval before `until_ms`."""
    return until_ms - until_ms % INTERVAL_MS - PAST_INSTANCES * INTERVAL_MS


async def load(client: ApiClient, run: Run, admin: str, time: TestTime, *, began_ms: int) -> None:
    """Live through the half hour from `began_ms` on, on a service whose time is `time`; an interrupted load goes on."""
    named = (("Price desk", run.email(CREATOR)), ("Ada", run.email("ada")), ("Boris", run.email("boris")))
    creator, *traders = (ReplayUser(client, name, email, run.password(email)) for name, email in named)
    await settle(creator, admin, role="is_creator", credit_key="")
    for trader in traders:
        await settle(trader, admin, role="", credit_key=run.key("series", "credit", trader.name))
    await until_priced(client, time, began_ms)
    disputed = await creator.publish(_disputed(began_ms), await creator.newest_event(DISPUTED_TAG))
    newest = await creator.publish(_recurring(began_ms), await creator.newest_event(TAG))
    while newest["series"]["index"] < PAST_INSTANCES:
        newest = await _live(client, run, traders, newest, time)
    await _trade(run, traders, disputed)
    pool_id = disputed["pools"][0]["id"]
    await creator.call("POST", f"/pools/{pool_id}/resolve", body={"won_side": 0})


async def until_priced(client: ApiClient, time: TestTime, from_ms: int) -> None:
    """Wait until the asset has a price of `from_ms` or later, while time goes on slowly.

    Where a price of just before was under way as time came to `from_ms`, the next one is due some seconds later.
    """

    async def is_priced() -> bool:
        assets = (await client.get("/assets"))["assets"]
        if any(one["symbol"] == SYMBOL and _ms(one["price_updated_at"]) >= from_ms for one in assets):
            return True
        time.set(time.now_ms + PASSES_MS)
        return False

    await until(is_priced, "the price of the demo's asset")


def _recurring(began_ms: int) -> dict[str, Any]:
    """Describe the recurring event: is the price as high after five minutes."""
    rule = {"kind": "price", "symbol": SYMBOL, "outcomes": [{"from": {"times": 1}}], "within_seconds": 60}
    return {
        "name": f"{NAME} at {{finish_at:time}} UTC: at least {{price}}?",
        "name_ru": "Демо-монета в {finish_at:time} UTC: не ниже {price}?",
        "tags": ["crypto", TAG],
        "loop_interval_minutes": INTERVAL_MS // MINUTE_MS,
        "pools": [
            {
                "name": "{number}: at least {price}",
                "name_ru": "{number}: не ниже {price}",
                "rules": "The first price at {finish_at} UTC or within a minute after it, as recorded by the service. "
                "YES if it is {price} US dollars or more.",
                "live_at": iso(began_ms),
                "finish_at": iso(began_ms + INTERVAL_MS),
                "metadata": {"lmsr_b_kopecks": 100_000, "resolution": rule},
            }
        ],
    }


def _disputed(began_ms: int) -> dict[str, Any]:
    return {
        "name": "Was the demo's first half hour quiet?",
        "name_ru": "Спокойны ли были первые полчаса демо?",
        "tags": [DISPUTED_TAG],
        "pools": [
            {
                "name": "Was it quiet?",
                "name_ru": "Было спокойно?",
                "rules": "Its creator decides. An admin can correct the result while the dispute window is open.",
                "finish_at": iso(began_ms + 30 * DAY_MS),
                "metadata": {"resolution": {"kind": "manual", "dispute_minutes": DISPUTE_MINUTES}},
            }
        ],
    }


async def _live(client: ApiClient, run: Run, traders: Sequence[ReplayUser], event: Any, time: TestTime) -> Any:
    """Take an instance to its payment; return the next one."""
    index = event["series"]["index"]
    finish_ms = _ms(event["pools"][0]["finish_at"])
    if event["status"] == "active":
        time.set(finish_ms - INTERVAL_MS // 2)
        await _trade(run, traders, event)
    time.set(finish_ms + SECOND_MS)

    async def is_next_open() -> bool:
        series = await client.get(f"/series/{event['series']['id']}")
        return bool(series["current_event_id"] != event["id"])

    what = f"instance {index} of the demo's series"
    await until(partial(is_paid, client, event["pools"][0]["id"]), what)
    await until(is_next_open, what)
    series = await client.get(f"/series/{event['series']['id']}")
    return await client.get(f"/events/{series['current_event_id']}")


async def _trade(run: Run, traders: Sequence[ReplayUser], event: Any) -> None:
    """Let one trader bet on YES and one on NO."""
    market_id = event["pools"][0]["markets"][0]["id"]
    for number, (trader, side) in enumerate(zip(traders, ("YES", "NO"), strict=True)):
        await trader.bet(market_id, side, STAKE_KOPECKS, key=run.key("series", event["id"], number))


def _ms(moment: str) -> int:
    return millis(datetime.fromisoformat(moment))
