"""How often what changes is sent."""

from __future__ import annotations

import msgspec
import pytest

from foreknow.site.live.messages import LivePool, pool_json
from foreknow.site.live.store import EventReading, PoolReading
from foreknow.site.live.watched import WatchedEvents

EVENT, POOL = 7, 70


class World:
    """An event with a pool that is traded in."""

    def __init__(self) -> None:
        """Watch it, and read it for the first time."""
        self.events = WatchedEvents()
        self.events.add(EVENT)
        self.trades = 0
        self.comments = 0
        self.read()

    def read(self) -> None:
        """Read it again."""
        now = LivePool(POOL, False, None, (0.5,), 100 * self.trades, self.trades)
        reading = PoolReading(now, pool_json(now), None, (1_000, None, False, 2, False, 0))
        version = (self.trades,)
        known = self.events.known([EVENT], now_ms=0)
        changed = {} if known.get(POOL) == version else {POOL: reading}
        self.events.note([EVENT], [EventReading(EVENT, "active", self.comments, 0, {POOL: version}, changed)], commit=0)

    def trade(self) -> None:
        """Trade, and read it."""
        self.trades += 1
        self.read()

    def sent(self, at_s: float) -> list[tuple[str, int]]:
        """Return what is sent at a time: each message's type, and the number of trades that it shows."""
        messages, _ = self.events.take_unsent(at_s)
        found = []
        for frames in messages.get(EVENT, ()):
            (frame,) = frames
            message = msgspec.json.decode(frame[frame.index(b"{") :])
            pool = message["pool"] if message["type"] == "prices" else message["event"]["pools"][0]
            found.append((message["type"], pool["trades"]))
        return found


@pytest.fixture
def world() -> World:
    return World()


def test_what_was_read_first_is_not_sent_again(world: World) -> None:
    assert world.sent(0.0) == []
    world.read()
    assert world.sent(1.0) == []


def test_prices_of_a_pool_are_sent_four_times_a_second_and_the_last_ones_win(world: World) -> None:
    sent = []
    for hundredth in range(1_000):
        world.trade()
        sent += [(hundredth, trades) for _, trades in world.sent(hundredth / 100)]
    times = [hundredth for hundredth, _ in sent]
    assert all(len([one for one in times if start <= one < start + 100]) <= 4 for start in range(900))
    assert len(times) == 40
    # Each shows what was there when it was sent.
    assert sent == [(hundredth, hundredth + 1) for hundredth in times]


def test_prices_that_had_to_wait_are_sent_when_they_may(world: World) -> None:
    world.trade()
    assert world.sent(0.0) == [("prices", 1)]
    world.trade()
    messages, next_s = world.events.take_unsent(0.1)
    assert (messages, next_s) == ({}, 0.25)
    assert world.sent(0.25) == [("prices", 2)]
    assert world.events.take_unsent(0.3) == ({}, None)


def test_a_state_holds_the_newest_prices_which_are_not_sent_beside_it(world: World) -> None:
    world.trade()
    world.comments += 1
    world.read()
    assert world.sent(0.0) == [("state", 1)]
    world.comments += 1
    world.trade()
    assert world.sent(0.1) == []
    assert world.sent(0.25) == [("state", 2)]
    assert world.sent(1.0) == []


def test_an_event_that_no_one_watches_any_more_is_forgotten(world: World) -> None:
    world.trade()
    world.events.remove(EVENT)
    assert world.events.events_of_pools([POOL]) == set()
    assert world.sent(1.0) == []
    # What was being read meanwhile is dropped.
    world.events.note([EVENT], [EventReading(EVENT, "active", 0, 0, {}, {})], commit=0)
    assert world.events.snapshot([EVENT]) == []
