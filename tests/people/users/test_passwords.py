"""Passwords: every character counts, and hashing never holds up the others."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator

import pytest

from foreknow.kernel.errors import RateLimited
from foreknow.people.users import passwords as module
from foreknow.people.users.passwords import Passwords
from tests.support.proofs import proves

HOME = "203.0.113.1"


@pytest.fixture
async def passwords() -> AsyncIterator[Passwords]:
    made = Passwords("low")
    yield made
    await made.stop()


async def test_a_password_matches_itself_alone(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse", rate_limit_key=HOME)

    assert stored.startswith("$argon2id$")
    assert await passwords.matches("correct horse", stored, rate_limit_key=HOME)
    assert not await passwords.matches("correct horsf", stored, rate_limit_key=HOME)
    assert not await passwords.matches("", stored, rate_limit_key=HOME)
    assert not await passwords.matches("unknown user's password", None, rate_limit_key=HOME)
    assert await passwords.hash("correct horse", rate_limit_key=HOME) != stored


@proves("decisions: a password of any length is tried")
async def test_every_character_of_a_long_password_counts(passwords: Passwords) -> None:
    stored = await passwords.hash("x" * 127 + "y", rate_limit_key=HOME)

    assert not await passwords.matches("x" * 127 + "z", stored, rate_limit_key=HOME)
    assert not await passwords.matches("x" * 127, stored, rate_limit_key=HOME)
    assert not await passwords.matches("x" * 127 + "y" * 60_000, stored, rate_limit_key=HOME)


async def test_a_composed_password_is_the_same_as_a_decomposed_one(passwords: Passwords) -> None:
    spellings = ("cafe\u0301", "caf\u00e9")

    for stored in [await passwords.hash(spelling, rate_limit_key=HOME) for spelling in spellings]:
        assert [await passwords.matches(spelling, stored, rate_limit_key=HOME) for spelling in spellings] == [
            True,
            True,
        ]


async def test_a_hash_of_another_cost_is_outdated(passwords: Passwords) -> None:
    normal = Passwords("normal")

    assert normal.is_outdated(await passwords.hash("x", rate_limit_key=HOME))
    assert not normal.is_outdated(await normal.hash("x", rate_limit_key=HOME))
    await normal.stop()


@proves("decisions: same answer and same time whether or not the account exists")
async def test_an_unknown_login_takes_as_long_as_a_wrong_password() -> None:
    made = Passwords("normal")
    stored = await made.hash("correct horse", rate_limit_key=HOME)
    times_s: dict[bool, list[float]] = {True: [], False: []}
    # In turn, and in time of this process alone, so that whatever else the machine does matters to neither.
    for _ in range(9):
        for exists in (True, False):
            start_s = time.process_time()
            assert not await made.matches("wrong", stored if exists else None, rate_limit_key=HOME)
            times_s[exists].append(time.process_time() - start_s)
    await made.stop()

    ratio = statistics.median(times_s[True]) / statistics.median(times_s[False])
    assert 0.6 < ratio < 1.7


async def test_the_event_loop_goes_on_while_passwords_are_hashed() -> None:
    made = Passwords("normal")
    hashing = asyncio.gather(*(made.hash("x", rate_limit_key=HOME) for _ in range(6)))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0.001)
        turns += 1
    await hashing
    await made.stop()

    assert turns > 6


async def test_a_crowd_of_sign_ins_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NETWORK_WAITING_MAX", 3)
    limited, free = Passwords("low"), Passwords("low", limited=False)
    answers = await asyncio.gather(*(limited.hash("x", rate_limit_key=HOME) for _ in range(7)), return_exceptions=True)
    everybody = await asyncio.gather(*(free.hash("x", rate_limit_key=HOME) for _ in range(7)))

    # Two are hashed at once, three wait.
    assert [isinstance(answer, RateLimited) for answer in answers] == [False] * 5 + [True] * 2
    assert len(everybody) == 7
    assert await limited.hash("x", rate_limit_key=HOME)
    await limited.stop()
    await free.stop()


async def test_networks_take_turns_and_none_keeps_another_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING_MAX", 20)
    # Which of two threads is done first is the system's to say.
    monkeypatch.setattr(module, "THREADS", 1)
    made = Passwords("low")
    done: list[str] = []

    async def hash_at(rate_limit_key: str) -> None:
        try:
            await made.hash("x", rate_limit_key=rate_limit_key)
        except RateLimited:
            done.append(f"{rate_limit_key} refused")
        else:
            done.append(rate_limit_key)

    everybody = [hash_at("crowd") for _ in range(21)] + [hash_at("one"), hash_at("two")]
    await asyncio.gather(*everybody)
    await made.stop()

    # One is hashed and 20 wait; of these, the two who came last give way to the others.
    assert done.count("crowd refused") == 2
    hashed = [key for key in done if key != "crowd refused"]
    assert hashed == ["crowd"] * 2 + ["one", "two"] + ["crowd"] * 17


async def test_who_hangs_up_is_not_waited_for() -> None:
    made = Passwords("normal")
    waiting = [asyncio.create_task(made.hash("x", rate_limit_key=HOME)) for _ in range(10)]
    await asyncio.sleep(0)
    for task in waiting[5:]:
        task.cancel()
    ended = await asyncio.gather(*waiting, return_exceptions=True)

    assert [isinstance(one, str) for one in ended] == [True] * 5 + [False] * 5
    assert made.waiting == 0
    assert await made.hash("x", rate_limit_key=HOME)
    await made.stop()


async def test_stopping_lets_no_caller_wait_for_ever() -> None:
    made = Passwords("normal")
    waiting = [asyncio.create_task(made.hash("x", rate_limit_key=HOME)) for _ in range(5)]
    await asyncio.sleep(0)
    await made.stop()
    ended = await asyncio.gather(*waiting, return_exceptions=True)

    assert [isinstance(one, str) for one in ended] == [True] * 2 + [False] * 3
