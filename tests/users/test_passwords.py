"""Passwords: every character counts, and hashing never holds up the others."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator

import pytest

from foreknow.kernel.errors import RateLimited
from foreknow.users import passwords as module
from foreknow.users.passwords import Passwords
from tests.support.proofs import proves


@pytest.fixture
async def passwords() -> AsyncIterator[Passwords]:
    made = Passwords("low")
    yield made
    await made.stop()


async def test_a_password_matches_itself_alone(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse")

    assert stored.startswith("$argon2id$")
    assert await passwords.matches("correct horse", stored)
    assert not await passwords.matches("correct horsf", stored)
    assert not await passwords.matches("", stored)
    assert not await passwords.matches("nobody's password", None)
    assert await passwords.hash("correct horse") != stored


@proves("decisions: a password of any length is tried")
async def test_every_character_of_a_long_password_counts(passwords: Passwords) -> None:
    stored = await passwords.hash("x" * 127 + "y")

    assert not await passwords.matches("x" * 127 + "z", stored)
    assert not await passwords.matches("x" * 127, stored)
    assert not await passwords.matches("x" * 127 + "y" * 60_000, stored)


async def test_a_composed_password_is_the_same_as_a_decomposed_one(passwords: Passwords) -> None:
    spellings = ("cafe\u0301", "caf\u00e9")

    for stored in [await passwords.hash(spelling) for spelling in spellings]:
        assert [await passwords.matches(spelling, stored) for spelling in spellings] == [True, True]


async def test_a_hash_of_another_cost_is_outdated(passwords: Passwords) -> None:
    normal = Passwords("normal")

    assert normal.is_outdated(await passwords.hash("x"))
    assert not normal.is_outdated(await normal.hash("x"))
    await normal.stop()


@proves("decisions: same answer and same time whether or not the account exists")
async def test_nobodys_password_takes_as_long_as_somebodys() -> None:
    made = Passwords("normal")
    stored = await made.hash("correct horse")
    times_s: dict[bool, list[float]] = {True: [], False: []}
    # In turn, and in time of this process alone, so that whatever else the machine does matters to neither.
    for _ in range(9):
        for exists in (True, False):
            start_s = time.process_time()
            assert not await made.matches("wrong", stored if exists else None)
            times_s[exists].append(time.process_time() - start_s)
    await made.stop()

    ratio = statistics.median(times_s[True]) / statistics.median(times_s[False])
    assert 0.6 < ratio < 1.7


async def test_the_event_loop_goes_on_while_passwords_are_hashed() -> None:
    made = Passwords("normal")
    hashing = asyncio.gather(*(made.hash("x") for _ in range(6)))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0.001)
        turns += 1
    await hashing
    await made.stop()

    assert turns > 6


async def test_a_crowd_at_the_door_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING_MAX", 3)
    limited, free = Passwords("low"), Passwords("low", limited=False)
    answers = await asyncio.gather(*(limited.hash("x") for _ in range(5)), return_exceptions=True)
    everybody = await asyncio.gather(*(free.hash("x") for _ in range(5)))

    assert [isinstance(answer, RateLimited) for answer in answers] == [False] * 3 + [True] * 2
    assert len(everybody) == 5
    assert await limited.hash("x")
    await limited.stop()
    await free.stop()
