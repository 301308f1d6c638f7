"""Cached values are bounded, fetched once for all who wait, and never kept once they were forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from foreknow.kernel.cache import BoundedCache, ExpiringValue, SingleFlight, in_bytes, in_entries


@dataclass(frozen=True)
class Value:
    size_bytes: int


def test_the_entries_put_longest_ago_are_dropped_over_the_bound() -> None:
    dropped: list[str] = []
    cache: BoundedCache[str, Value] = BoundedCache(10, in_bytes, on_drop=lambda key, _: dropped.append(key))
    for key in "abc":
        cache.put(key, Value(3))
    cache.put("a", Value(4))
    cache.put("d", Value(4))
    assert dropped == ["a", "b", "c"]
    assert [key for key in "abcd" if cache.get(key) is not None] == ["a", "d"]
    assert (len(cache), cache.size) == (2, 8)


def test_a_value_over_the_bound_is_not_kept() -> None:
    cache: BoundedCache[str, Value] = BoundedCache(10, in_bytes)
    cache.put("a", Value(11))
    assert (cache.get("a"), len(cache), cache.size) == (None, 0, 0)


def test_an_entry_is_good_until_its_time_and_then_makes_space() -> None:
    now_s = 0.0
    cache: BoundedCache[str, str] = BoundedCache(3, in_entries, timer=lambda: now_s)
    cache.put("a", "old", until=1)
    cache.put("b", "newer", until=2)
    now_s = 1.0
    assert (cache.get("a"), cache.get("b"), len(cache)) == (None, "newer", 2)
    cache.put("c", "newest", until=2)
    assert (cache.get("b"), cache.get("c"), len(cache)) == ("newer", "newest", 2)


def test_entries_beyond_their_number_are_dropped_and_others_on_demand() -> None:
    cache: BoundedCache[int, str] = BoundedCache(3, in_entries)
    for key in range(5):
        cache.put(key, "even" if key % 2 == 0 else "odd")
    cache.remove_where(lambda key, value: key == 2 or value == "odd")
    assert [cache.get(key) for key in range(5)] == [None, None, None, None, "even"]
    assert (len(cache), cache.size) == (1, 1)


async def test_callers_at_the_same_time_share_one_call() -> None:
    calls: list[int] = []
    kept: list[int] = []

    async def call() -> int:
        calls.append(1)
        await asyncio.sleep(0)
        return len(calls)

    flight: SingleFlight[str, int] = SingleFlight("test")
    assert await asyncio.gather(*(flight.run("a", call, keep=kept.append) for _ in range(5))) == [1] * 5
    assert await flight.run("a", call, keep=kept.append) == 2
    assert kept == [1, 2]


async def test_a_call_that_was_forgotten_is_neither_shared_nor_kept() -> None:
    kept: list[str] = []
    go = asyncio.Event()

    async def old() -> str:
        await go.wait()
        return "old"

    async def new() -> str:
        return "new"

    flight: SingleFlight[str, str] = SingleFlight("test")
    waiting = asyncio.create_task(flight.run("a", old, keep=kept.append))
    await asyncio.sleep(0)
    flight.forget()
    assert await flight.run("a", new, keep=kept.append) == "new"
    go.set()
    assert await waiting == "old"
    assert kept == ["new"]


async def test_a_caller_who_is_cancelled_leaves_the_call_to_the_others() -> None:
    go = asyncio.Event()
    flight: SingleFlight[str, bool] = SingleFlight("test")
    callers = [asyncio.create_task(flight.run("a", go.wait, keep=lambda _: None)) for _ in range(2)]
    await asyncio.sleep(0)
    callers[0].cancel()
    await asyncio.wait({callers[0]})
    go.set()
    assert await callers[1] is True


async def test_a_value_is_fetched_again_when_it_is_too_old_and_a_failure_is_not_kept() -> None:
    now_s = 0.0
    results: list[int | Exception] = [ValueError("no"), 1, 2, 3]

    async def fetch() -> int:
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    value = ExpiringValue("test", fetch, for_s=10, timer=lambda: now_s)
    with pytest.raises(ValueError, match="no"):
        await value.get()
    assert [await value.get(), await value.get()] == [1, 1]
    now_s = 10.0
    assert [await value.get(), await value.refresh(), await value.get()] == [2, 3, 3]
