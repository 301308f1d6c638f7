"""What the house account spends in all pools in a UTC day, however many processes follow however many events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.tables import HOUSE_TRADER_KEY
from foreknow.trading.odds import Budget
from tests.support.following import Follower, following
from tests.support.kinds import ON_SQLITE
from tests.support.odds import polymarket_group
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import expect

STEP_KOPECKS, DAY_KOPECKS = 10_000, 15_000
SPENT = """
    SELECT SUM(CASE t.action WHEN 'buy' THEN t.amount_kopecks ELSE -t.amount_kopecks END)
    FROM trades t JOIN users u ON u.id = t.user_id
    WHERE u.nickname_key = :key AND t.created_at_ms BETWEEN :first AND :last
"""


@pytest.fixture
def follower(database_url: str) -> Iterator[Follower]:
    """A follower of this file's own, whose clock stands still where a test says so."""
    with following(database_url) as made:
        yield made


def spent_in(follower: Follower, day: int) -> int:
    """Return what the house account's trades of a day cost, by the trades."""
    times = {"first": day * DAY_MS, "last": (day + 1) * DAY_MS - 1}
    return follower.sum(SPENT, key=HOUSE_TRADER_KEY, **times)


@proves(
    "lifecycle: `FOREKNOW_ODDS_DAY_KOPECKS` (ten times that) in all pools a UTC day,",
)
def test_rounds_of_many_events_at_once_spend_no_more_than_the_bound_of_their_day(follower: Follower) -> None:
    """Who knows a round before the source that it turns sells to the house in every pool that follows it."""
    clock = follower.service.clock
    day = clock() // DAY_MS + 1
    clock.stop_at((day + 1) * DAY_MS - 60_000)
    budget = Budget(step_kopecks=STEP_KOPECKS, pool_kopecks=20_000, day_kopecks=DAY_KOPECKS)
    processes = [follower.with_rules(budget=budget) for _ in range(2)]
    events = [follower.event({"Reds": "0.7", "Blues": "0.3"}) for _ in range(4)]
    someone = follower.service.user(balance_kopecks=100)
    for event in events:
        expect(bet(someone, event["pools"][0]["markets"][0]["id"], "YES", 10), 201)

    def round_at(at_ms: int) -> None:
        async def run() -> None:
            ids = [event["id"] for event in events]
            await asyncio.gather(*(one._runners["polymarket"].run_due(only=ids) for one in processes))

        clock.stop_at(at_ms)
        follower.service.server.run(run())

    def spent() -> int:
        return sum(follower.spent(event) for event in events)

    last_ms = (day + 1) * DAY_MS - 1
    round_at(last_ms)
    assert DAY_KOPECKS - 1_000 < spent() <= DAY_KOPECKS
    assert spent_in(follower, day) == spent()
    # A millisecond later it is the next day; each event's next round is 30 s on.
    round_at(last_ms + 31_000)
    first = spent_in(follower, day)
    assert DAY_KOPECKS - 1_000 < spent_in(follower, day + 1) <= DAY_KOPECKS
    assert first + spent_in(follower, day + 1) == spent()
    # What sales bring may be spent again on the same day, and no more.
    rich = max(events, key=follower.spent)
    follower.answer(rich, polymarket_group(Reds="0.5", Blues="0.5"))
    before = follower.spent(rich)
    round_at(last_ms + 62_000)
    assert follower.spent(rich) < before
    assert first + spent_in(follower, day + 1) == spent()
    assert spent_in(follower, day + 1) <= DAY_KOPECKS


@ON_SQLITE
def test_over_a_bound_of_the_day_that_was_lowered_it_spends_nothing(follower: Follower) -> None:
    first, second = (follower.event({"Reds": "0.7", "Blues": "0.3"}) for _ in range(2))
    for event in (first, second):
        follower.bet(event)
    follower.service.clock.stop_at((follower.service.clock() // DAY_MS + 1) * DAY_MS + 1)
    rich = Budget(step_kopecks=STEP_KOPECKS, pool_kopecks=20_000, day_kopecks=DAY_KOPECKS)
    assert follower.round(first, rounds=follower.with_rules(budget=rich))
    spent, prices = follower.spent(first), follower.prices(second)
    assert spent > 1_000
    poor = Budget(step_kopecks=STEP_KOPECKS, pool_kopecks=20_000, day_kopecks=spent - 1)
    assert follower.round(second, rounds=follower.with_rules(budget=poor))
    assert (follower.spent(second), follower.prices(second)) == (0, prices)
