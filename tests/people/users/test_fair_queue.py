"""The fair queue before the hashing threads: fair, bounded, and with the right size."""

from __future__ import annotations

import random

from foreknow.people.users.passwords import FairQueue


def line(*, per_key_max: int = 100, total_max: int = 1_000) -> FairQueue[str]:
    return FairQueue(per_key_max=per_key_max, total_max=total_max)


def taken(turns: FairQueue[str]) -> list[str]:
    return list(iter(turns.take, None))


def test_keys_take_turns_and_each_keeps_its_order() -> None:
    turns = line()
    for rate_limit_key, item in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")]:
        assert turns.put(rate_limit_key, item) is None

    assert taken(turns) == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert len(turns) == 0


def test_who_comes_next_waits_for_one_of_each_key() -> None:
    turns = line()
    for number in range(100):
        turns.put("crowd", f"crowd {number}")
    turns.take()
    turns.put("late", "late")

    assert [turns.take(), turns.take()] == ["crowd 1", "late"]


def test_a_key_has_a_limit() -> None:
    turns = line(per_key_max=2)

    assert [turns.put("a", item) for item in ("a1", "a2", "a3")] == [None, None, "a3"]
    assert turns.put("b", "b1") is None
    assert taken(turns) == ["a1", "b1", "a2"]


def test_a_full_queue_drops_the_newest_of_the_key_with_most() -> None:
    turns = line(total_max=4)
    for rate_limit_key, item in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")]:
        turns.put(rate_limit_key, item)

    assert turns.put("a", "a4") == "a4"
    assert turns.put("c", "c1") == "a3"
    # Now no key has two more than the new key would.
    assert turns.put("b", "b2") == "b2"
    assert turns.put("d", "d1") == "a2"
    assert turns.put("e", "e1") == "e1"
    assert (len(turns), taken(turns)) == (4, ["a1", "b1", "c1", "d1"])


def test_who_leaves_is_not_served() -> None:
    turns = line()
    for rate_limit_key, item in [("a", "a1"), ("a", "a2"), ("b", "b1")]:
        turns.put(rate_limit_key, item)
    turns.discard("a", "a1")
    turns.discard("b", "b1")
    turns.discard("b", "b1")
    turns.discard("unknown", "x")

    assert (len(turns), taken(turns)) == (1, ["a2"])


def test_whatever_happens_the_count_is_right_and_no_entry_is_lost() -> None:
    chance = random.Random(9)
    turns = line(per_key_max=5, total_max=12)
    inside: set[str] = set()
    for number in range(5_000):
        rate_limit_key = f"h{chance.randrange(6)}"
        deed = chance.random()
        if deed < 0.6:
            item = f"{rate_limit_key}/{number}"
            inside.add(item)
            gone = turns.put(rate_limit_key, item)
            inside.discard(gone or "")
        elif deed < 0.8 and inside:
            item = chance.choice(sorted(inside))
            turns.discard(item.partition("/")[0], item)
            inside.remove(item)
        else:
            next_one = turns.take()
            assert (next_one is None) == (not inside)
            inside.discard(next_one or "")
        assert len(turns) == len(inside) <= 12
    assert set(taken(turns)) == inside
