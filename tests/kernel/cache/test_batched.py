"""Batches that overlap share their calls, key by key, and keep nothing that was forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from foreknow.kernel.cache.single_flight import BatchedSingleFlight


class Source:
    """Values by key, as a database would return them; every call waits until `go` is set."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = dict(values)
        self.calls: list[list[str]] = []
        self.kept: dict[str, int] = {}
        self.go = asyncio.Event()
        self.flight: BatchedSingleFlight[str, int] = BatchedSingleFlight("test")

    async def fetch(self, keys: Sequence[str]) -> Mapping[str, int]:
        self.calls.append(list(keys))
        found = {key: self.values[key] for key in keys if key in self.values}
        await self.go.wait()
        return found

    def keep(self, key: str, value: int) -> None:
        self.kept[key] = value

    def start(self, *keys: str) -> asyncio.Task[dict[str, int]]:
        return asyncio.create_task(self.flight.run(keys, self.fetch, keep=self.keep))

    async def called(self, count: int) -> None:
        """Return once `count` calls have begun."""
        async with asyncio.timeout(60):
            while len(self.calls) < count:  # noqa: ASYNC110 - a call begins within a few turns of the loop
                await asyncio.sleep(0)


async def settle() -> None:
    """Let all tasks that can run do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_overlapping_batches_fetch_each_key_once() -> None:
    source = Source({"a": 1, "b": 2, "c": 3})
    first, second, third = source.start("a", "b"), source.start("b", "c"), source.start("c", "a")
    await source.called(2)
    source.go.set()

    assert [await first, await second, await third] == [{"a": 1, "b": 2}, {"b": 2, "c": 3}, {"c": 3, "a": 1}]
    assert source.calls == [["a", "b"], ["c"]]
    assert source.kept == {"a": 1, "b": 2, "c": 3}


async def test_a_batch_of_no_keys_fetches_nothing() -> None:
    source = Source({"a": 1})

    assert await source.start() == {}
    assert source.calls == []


async def test_keys_without_a_value_are_left_out_and_fetched_again_next_time() -> None:
    source = Source({"a": 1})
    source.go.set()

    assert await source.start("a", "missing") == {"a": 1}
    assert source.kept == {"a": 1}
    source.values["missing"] = 2
    assert await source.start("missing") == {"missing": 2}
    assert source.calls == [["a", "missing"], ["missing"]]


async def test_a_call_that_has_ended_is_not_shared() -> None:
    source = Source({"a": 1})
    source.go.set()
    assert await source.start("a") == {"a": 1}
    source.values["a"] = 2

    assert await source.start("a") == {"a": 2}
    assert source.kept == {"a": 2}


async def test_a_forgotten_key_is_neither_shared_nor_kept_and_the_others_are() -> None:
    source = Source({"a": 1, "b": 2})
    before = source.start("a", "b")
    await source.called(1)
    source.flight.forget(["a", "unknown"])
    source.values |= {"a": 10, "b": 20}
    after = source.start("a", "b")
    await source.called(2)
    source.go.set()

    assert await before == {"a": 1, "b": 2}
    assert await after == {"a": 10, "b": 2}
    assert source.calls == [["a", "b"], ["a"]]
    assert source.kept == {"a": 10, "b": 2}


async def test_after_forgetting_all_every_key_is_fetched_again() -> None:
    source = Source({"a": 1, "b": 2})
    before = source.start("a", "b")
    await source.called(1)
    source.flight.forget_all()
    after = source.start("b")
    await source.called(2)
    source.go.set()

    assert (await before, await after) == ({"a": 1, "b": 2}, {"b": 2})
    assert source.calls == [["a", "b"], ["b"]]
    assert source.kept == {"b": 2}


async def test_an_old_call_that_ends_late_leaves_the_new_one_shared() -> None:
    source = Source({"a": 1})
    go_of_old = source.go
    old = source.start("a")
    await source.called(1)
    source.flight.forget(["a"])
    source.go, source.values["a"] = asyncio.Event(), 2
    new = source.start("a")
    await source.called(2)
    go_of_old.set()
    assert await old == {"a": 1}
    late = source.start("a")
    await settle()
    source.go.set()

    assert (await new, await late) == ({"a": 2}, {"a": 2})
    assert len(source.calls) == 2
    assert source.kept == {"a": 2}


async def test_a_failure_reaches_every_batch_that_shares_the_call_and_none_after() -> None:
    source = Source({"a": 1, "b": 2})
    fails = asyncio.Event()

    async def fail(keys: Sequence[str]) -> Mapping[str, int]:
        await fails.wait()
        raise ValueError(keys)

    first = asyncio.create_task(source.flight.run(["a"], fail, keep=source.keep))
    await settle()
    second = source.start("a", "b")
    await source.called(1)
    fails.set()
    source.go.set()
    outcomes = await asyncio.gather(first, second, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [ValueError, ValueError]
    assert await source.start("a") == {"a": 1}
    assert source.calls == [["b"], ["a"]]


async def test_a_caller_who_is_cancelled_leaves_the_calls_to_the_others() -> None:
    source = Source({"a": 1, "b": 2})
    gone, stays = source.start("a"), source.start("a", "b")
    await source.called(2)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    source.go.set()

    assert await stays == {"a": 1, "b": 2}
    assert source.calls == [["a"], ["b"]]
    assert source.kept == {"a": 1, "b": 2}
