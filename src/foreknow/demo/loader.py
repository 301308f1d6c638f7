"""Makes the demo's recurring market, with its instances of the last half hour, and a result that can be disputed.

The past is lived through once, on a service that reads the time from a file: its instances were opened, traded,
resolved by their evidence and paid like any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foreknow.demo.exchange import NAME, SYMBOL
from foreknow.demo.schedule import TestTime
from foreknow.kernel.clock import DAY_MS, MINUTE_MS, SECOND_MS, iso, millis
from foreknow.replay.accounts import Run
from foreknow.replay.client import ApiClient, Refused
from foreknow.replay.errors import ReplayFailed

INTERVAL_MS = 5 * MINUTE_MS
PAST_INSTANCES = 6
#: The local part of its creator's address.
CREATOR = "series-creator"
TAG = "recurring"
DISPUTED_TAG = "dispute window"
#: 30 days, the longest there is.
DISPUTE_MINUTES = 43_200
STAKE_KOPECKS = 20_000
FUNDS_KOPECKS = 1_000_000
#: Longest wait for an instance to be paid and the next one opened.
WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class _People:
    """Access tokens of those who take part."""

    admin: str
    creator: str
    traders: tuple[str, ...]


def began_ms(until_ms: int) -> int:
    """Return when the past begins that ends at the last full interval before `until_ms`."""
    return until_ms - until_ms % INTERVAL_MS - PAST_INSTANCES * INTERVAL_MS


async def load(client: ApiClient, run: Run, admin: str, time: TestTime, *, began_ms: int) -> None:
    """Live through the half hour from `began_ms` on, on a service whose time is `time`; an interrupted load goes on."""
    people = await _sign_up(client, run, admin)
    await _until_priced(client, began_ms)
    disputed = await _published(client, people.creator, DISPUTED_TAG, _disputed(began_ms))
    newest = await _published(client, people.creator, TAG, _recurring(began_ms))
    while newest["series"]["index"] < PAST_INSTANCES:
        newest = await _live(client, run, people, newest, time)
        # Access tokens end after a quarter of an hour.
        people = await _sign_up(client, run, admin)
    await _trade(client, run, people, disputed)
    pool_id = disputed["pools"][0]["id"]
    await client.post(f"/pools/{pool_id}/resolve", people.creator, {"won_side": 0})


async def _published(client: ApiClient, creator: str, tag: str, body: dict[str, Any]) -> Any:
    """Publish an event, or what an interrupted load has left of it: return the newest with its tag."""
    found: list[Any] = []
    for status in ("new", "active", "closed", "resolved"):
        found += (await client.get("/events", creator, tag=tag, status=status, limit=1))["events"]
    event = max(found, key=lambda one: one["id"]) if found else await client.post("/events/create-full", creator, body)
    if event["status"] != "new":
        return event
    return await client.post(f"/events/{event['id']}/publish", creator)


async def _sign_up(client: ApiClient, run: Run, admin: str) -> _People:
    tokens: list[str] = []
    for local_part, name, role in ((CREATOR, "Price desk", "creator"), ("ada", "Ada", ""), ("boris", "Boris", "")):
        email = run.email(local_part)
        password = run.password(email)
        try:
            answer = await client.post("/auth/sign-up", body={"email": email, "password": password, "name": name})
        except Refused as refused:
            if refused.code != "email_taken":
                raise
            answer = await client.post("/auth/sign-in", body={"login": email, "password": password})
        user_id = answer["user"]["id"]
        if not role:
            body = {"amount_kopecks": FUNDS_KOPECKS, "note": "to trade in the demo"}
            await client.post(f"/admin/users/{user_id}/credit", admin, body, key=run.key("series", "credit", name))
        elif not answer["user"]["is_creator"]:
            await client.call("PATCH", f"/admin/users/{user_id}", admin, body={"is_creator": True})
        tokens.append(answer["access_token"])
    return _People(admin, tokens[0], tuple(tokens[1:]))


async def _until_priced(client: ApiClient, from_ms: int) -> None:
    """Wait until the asset has a price of `from_ms` or later."""

    async def is_priced() -> bool:
        assets = (await client.get("/assets"))["assets"]
        return any(one["symbol"] == SYMBOL and _ms(one["price_updated_at"]) >= from_ms for one in assets)

    await _until(is_priced, "the price of the demo's asset")


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


async def _live(client: ApiClient, run: Run, people: _People, event: Any, time: TestTime) -> Any:
    """Take an instance to its payment; return the next one."""
    index = event["series"]["index"]
    finish_ms = _finish_ms(event)
    if event["status"] == "active":
        time.set(finish_ms - INTERVAL_MS // 2)
        await _trade(client, run, people, event)
    time.set(finish_ms + SECOND_MS)

    async def is_paid() -> bool:
        shown = await client.get(f"/pools/{event['pools'][0]['id']}")
        return bool(shown["resolution"]["state"] == "paid")

    async def is_next_open() -> bool:
        series = await client.get(f"/series/{event['series']['id']}")
        return bool(series["current_event_id"] != event["id"])

    for condition in (is_paid, is_next_open):
        await _until(condition, f"instance {index} of the demo's series")
    series = await client.get(f"/series/{event['series']['id']}")
    return await client.get(f"/events/{series['current_event_id']}")


async def _trade(client: ApiClient, run: Run, people: _People, event: Any) -> None:
    """Let one trader bet on YES and one on NO."""
    market_id = event["pools"][0]["markets"][0]["id"]
    for number, (token, side) in enumerate(zip(people.traders, ("YES", "NO"), strict=True)):
        order = {"market_id": market_id, "token_type": side, "amount_kopecks": STAKE_KOPECKS}
        await client.post("/market/bets", token, order, key=run.key("series", event["id"], number))


async def _until(condition: Callable[[], Any], what: str) -> None:
    loop = asyncio.get_running_loop()
    until_s = loop.time() + WAIT_S
    while not await condition():
        if loop.time() > until_s:
            raise ReplayFailed(f"{what} does not go on")
        await asyncio.sleep(0.05)


def _finish_ms(event: Any) -> int:
    return _ms(event["pools"][0]["finish_at"])


def _ms(moment: str) -> int:
    return millis(datetime.fromisoformat(moment))
