"""Orders are taken from `live_at` on and before `finish_at`, by the database's clock, however wrong the server's is."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import asyncpg
import httpx
import pytest

from foreknow.kernel.clock import iso, millis, system_clock
from tests.support import partner_orders
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.orders import bet, sell
from tests.support.postgres import one_waits
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

SECOND = 1_000
MINUTE = 60 * SECOND
#: Servers whose own clocks are slow and fast.
SLOW, FAST = -10 * SECOND, 10 * SECOND

on_postgres = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


def market_between(service: Service, live_at_ms: int, finish_at_ms: int) -> int:
    """Publish an event that trades between two moments, and return its market's id."""
    event = service.event(pools=[pool(b=10**6, live_at=iso(live_at_ms), finish_at=iso(finish_at_ms))])
    return int(event["pools"][0]["markets"][0]["id"])


def shown_ms(time: str) -> int:
    """Return a time of an answer in Unix milliseconds."""
    return millis(datetime.fromisoformat(time))


@proves("lifecycle: A trade's `created_at` is ≥ `live_at` and < `finish_at`, to the millisecond.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("off_ms", [SLOW, 0, FAST])
def test_the_millisecond_decides_on_a_slow_server_and_on_a_fast_one(
    start_service: Callable[..., Service], off_ms: int
) -> None:
    service = start_service(server_off_ms=off_ms)
    person, partner = service.user(balance_kopecks=100_000), service.partner(float_kopecks=100_000)
    live_at_ms = service.clock() + MINUTE
    finish_at_ms = live_at_ms + MINUTE
    market = market_between(service, live_at_ms, finish_at_ms)

    def orders() -> list[httpx.Response]:
        return [bet(person, market, "YES", 100), partner_orders.bet(partner, "ann", market, 100)]

    for closed_at_ms in (live_at_ms - 1, finish_at_ms, finish_at_ms + 1):
        service.clock.stop_at(closed_at_ms)
        by_user, by_partner = orders()
        refused(by_user, 409, "market_closed")
        refused(by_partner, 409, "MARKET_CLOSED")
    for open_at_ms in (live_at_ms, finish_at_ms - 1):
        service.clock.stop_at(open_at_ms)
        assert [expect(order, 201)["created_at"] for order in orders()] == [iso(open_at_ms)] * 2
        assert expect(sell(person, market, "YES", 10), 201)["created_at"] == iso(open_at_ms)
    service.clock.stop_at(finish_at_ms)
    refused(sell(person, market, "YES", 10), 409, "market_closed")


def open_market_until(service: Service, person: Person) -> tuple[int, int]:
    """Return a market on which a bet was accepted, and its deadline, a moment ahead."""
    for lead_ms in (SECOND // 4, 2 * SECOND, 10 * SECOND, MINUTE):
        # On a slow machine the first deadlines pass before the bet.
        finish_at_ms = system_clock() + lead_ms
        event = service.event(publish=False, pools=[pool(b=10**6, finish_at=iso(finish_at_ms))])
        market = int(event["pools"][0]["markets"][0]["id"])
        published = service.creator.client.post(f"/events/{event['id']}/publish")
        if published.status_code == 200 and bet(person, market, "YES", 100).status_code == 201:
            return market, finish_at_ms
    raise AssertionError("no bet was ever accepted")


@proves("lifecycle: One clock, the database's (on SQLite the machine's),")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("off_ms", [SLOW, FAST])
def test_the_databases_own_clock_decides_not_the_servers(start_service: Callable[..., Service], off_ms: int) -> None:
    service = start_service(server_off_ms=off_ms, has_real_database_clock=True)
    person = service.user(balance_kopecks=10**6)
    market, finish_at_ms = open_market_until(service, person)
    while (answer := bet(person, market, "YES", 100)).status_code == 201:
        assert shown_ms(answer.json()["created_at"]) < finish_at_ms
    refused(answer, 409, "market_closed")
    # The databases of the tests run on this machine.
    assert system_clock() >= finish_at_ms


@proves("lifecycle: on every server, however wrong its own.")
@on_postgres
def test_a_slow_server_and_a_fast_one_close_at_the_same_moment(start_service: Callable[..., Service]) -> None:
    slow, fast = (start_service(server_off_ms=off_ms, has_real_database_clock=True) for off_ms in (SLOW, FAST))
    person = slow.user(balance_kopecks=10**6)
    elsewhere = replace(person, client=fast.client(token=person.token))
    market, finish_at_ms = open_market_until(slow, person)
    turns = itertools.cycle([elsewhere, person])
    while (answer := bet(next(turns), market, "YES", 100)).status_code == 201:
        assert shown_ms(answer.json()["created_at"]) < finish_at_ms
    assert system_clock() >= finish_at_ms
    for one in (person, elsewhere):
        refused(bet(one, market, "YES", 100), 409, "market_closed")


@proves("lifecycle: read after the locks,")
@on_postgres
def test_a_bet_that_waits_for_its_pool_is_decided_when_it_gets_it(fresh_service: Service) -> None:
    service = fresh_service
    person = service.user(balance_kopecks=1_000)
    finish_at_ms = service.clock() + MINUTE
    market = market_between(service, finish_at_ms - 2 * MINUTE, finish_at_ms)

    async def bet_across_the_deadline() -> Any:
        holder = await asyncpg.connect(service.database_url)
        watcher = await asyncpg.connect(service.database_url)
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM pools FOR UPDATE")
            order = asyncio.create_task(asyncio.to_thread(bet, person, market, "YES", 100))
            await one_waits(watcher)
            service.clock.stop_at(finish_at_ms)
        await holder.close()
        await watcher.close()
        return await order

    service.clock.stop_at(finish_at_ms - 1)
    refused(asyncio.run(bet_across_the_deadline()), 409, "market_closed")
