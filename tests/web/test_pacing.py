"""Pacing: a caller that has caused much work waits, and no other does."""

from __future__ import annotations

import asyncio

import pytest

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.cost import RequestCost
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.rates import Rate
from foreknow.web.pacing import BYTE_S, FREE_S, WAIT_MAX_S, WAITING_MAX, Pacer

ADDRESS = "192.0.2.1"
#: A tenth of a second of work, and 50 ms more in every second.
WORK = Rate(50, 100)


class Timer:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def timer() -> Timer:
    return Timer()


def cost(seconds: float) -> RequestCost:
    made = RequestCost()
    made.work_s = seconds + FREE_S
    return made


def user(user_id: int = 7, *, is_creator: bool = False, is_admin: bool = False) -> UserCaller:
    return UserCaller(user_id, 1, is_creator=is_creator, is_admin=is_admin, is_stats_viewer=False, is_operator=False)


def test_who_has_spent_the_budget_waits_until_it_is_positive_again(timer: Timer) -> None:
    pacer = Pacer(WORK, timer=timer)
    pacer.charge(7, cost(0.08), response_bytes=0)
    assert not pacer.must_wait(7)
    pacer.charge(7, cost(0.07), response_bytes=0)

    assert pacer.must_wait(7), "0.05 s too much"
    assert not pacer.must_wait(8)
    timer.now_s += 0.99
    assert pacer.must_wait(7)
    timer.now_s += 0.02
    assert not pacer.must_wait(7)


def test_what_every_request_costs_is_free_and_bytes_are_not(timer: Timer) -> None:
    pacer = Pacer(WORK, timer=timer)
    for _ in range(10_000):
        pacer.charge(7, cost(0), response_bytes=0)
    assert not pacer.must_wait(7)
    for _ in range(101):
        pacer.charge(7, cost(0), response_bytes=int(0.001 / BYTE_S))
    assert pacer.must_wait(7)


def test_only_strangers_and_users_have_a_budget() -> None:
    pacer = Pacer(WORK)

    assert pacer.key(None, ADDRESS) == ADDRESS
    assert pacer.key(None, "2001:db8::1") == pacer.key(None, "2001:db8::2")
    assert pacer.key(user(), ADDRESS) == pacer.key(user(is_creator=True), "192.0.2.2") == 7
    assert pacer.key(user(is_admin=True), ADDRESS) is None
    assert pacer.key(PartnerCaller(1, "shop", 1), ADDRESS) is None


async def test_those_who_wait_are_served_one_at_a_time() -> None:
    pacer = Pacer(Rate(10_000, 1))
    pacer.charge(7, cost(0.1), response_bytes=0)
    together, most = 0, 0

    async def one() -> None:
        nonlocal together, most
        assert pacer.must_wait(7)
        async with pacer.turn(7):
            together += 1
            most = max(most, together)
            await asyncio.sleep(0)
            together -= 1

    await asyncio.gather(*(one() for _ in range(WAITING_MAX)))
    assert most == 1
    assert not pacer.must_wait(7)


async def test_too_many_and_too_long_waits_are_refused(timer: Timer) -> None:
    pacer = Pacer(WORK, timer=timer)
    pacer.charge(7, cost(0.1 + 0.05 * WAIT_MAX_S), response_bytes=0)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(turn(pacer)) for _ in range(WAITING_MAX)]
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await turn(pacer)
        for one in waiting:
            one.cancel()
    assert pacer.must_wait(7), "those who left have been charged nothing, and paid nothing"

    pacer.charge(7, cost(0.05), response_bytes=0)
    with pytest.raises(RateLimited) as refused:
        await turn(pacer)
    assert refused.value.retry_after_s == WAIT_MAX_S + 1


async def turn(pacer: Pacer) -> None:
    async with pacer.turn(7):
        pass
