"""The order of a seed."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tests.support.order import shuffled
from tests.support.units import Groups

ROOT = Path(__file__).parents[2]
TESTS = [
    f"tests/support/test_{file}.py::test_{number}[{database}]"
    for file in ("books", "cpu", "order")
    for database in ("sqlite", "postgres")
    for number in range(20)
]


def test_a_seed_is_one_order_however_tests_were_collected_and_another_seed_another() -> None:
    order = shuffled(TESTS, seed="1", root=ROOT)
    assert sorted(order) == sorted(TESTS)
    assert order not in (TESTS, sorted(TESTS))
    assert shuffled(TESTS[::-1], seed="1", root=ROOT) == order
    assert shuffled(TESTS, seed="2", root=ROOT) != order


def test_the_tests_of_a_file_and_a_database_stay_together_and_are_shuffled() -> None:
    groups = Groups(ROOT)
    runs = [(group, list(tests)) for group, tests in groupby(shuffled(TESTS, seed="1", root=ROOT), groups.of)]
    assert sorted(len(tests) for _, tests in runs) == [20] * 6
    assert [group for group, _ in runs] != sorted(group for group, _ in runs)
    assert all(tests != sorted(tests) for _, tests in runs)
