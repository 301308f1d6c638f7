from collections import Counter
from pathlib import Path

import pytest

from tests.repeats.choice import TIMES, Seen, repeated
from tests.repeats.recorder import shape
from tests.support.kinds import LISTED

ROOT = Path(__file__).parents[2]


def test_each_listed_test_is_there() -> None:
    """One that is renamed is nowhere in the list, and PostgreSQL gets it again; its old name goes."""
    texts = {file: (ROOT / file).read_text() for file in {test.partition("::")[0] for test in LISTED}}
    for test in LISTED:
        name = test.rpartition("::")[2]
        assert f"def {name}(" in texts[test.partition("::")[0]], test


def test_each_statement_stays_in_as_many_tests_as_are_wanted() -> None:
    tests = {
        f"tests/a.py::test_{number}": Seen(1 + number, frozenset({"SELECT", f"of {number // 2}"}), is_kept=False)
        for number in range(10)
    }
    gone = repeated(tests)
    left = Counter(sent for test, one in tests.items() if test not in gone for sent in one.statements)
    # Of those that two tests send, both are needed.
    assert not gone
    assert left["of 4"] == 2
    alike = {
        f"tests/a.py::test_{number}": Seen(1 + number, frozenset({"SELECT"}), is_kept=False) for number in range(9)
    }
    assert repeated(alike) == sorted(alike)[TIMES:]


def test_what_is_kept_anyway_sends_for_others() -> None:
    kept = {f"tests/b.py::test_{number}": Seen(9, frozenset({"SELECT"}), is_kept=True) for number in range(TIMES)}
    other = {"tests/a.py::test": Seen(1, frozenset({"SELECT"}), is_kept=False)}
    assert repeated(kept | other) == list(other)


def test_what_looks_at_few_answers_sends_for_no_other() -> None:
    weak = {f"tests/fuzzing/b.py::test_{number}": Seen(9, frozenset({"SELECT"}), is_kept=True) for number in range(9)}
    other = {"tests/a.py::test": Seen(1, frozenset({"SELECT"}), is_kept=False)}
    assert repeated(weak | other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM b WHERE c IN ($1)", "SELECT a FROM b WHERE c IN ($1, $2::BIGINT, $3)"),
        ("INSERT INTO b (c) VALUES ($1, $2)", "INSERT INTO b (c) VALUES ($1, $2), ($3, $4)"),
        ("SELECT a FROM b LIMIT 5", "SELECT a FROM b LIMIT 50"),
    ],
)
def test_statements_are_the_same_whatever_their_values(one: str, other: str) -> None:
    assert shape(one) == shape(other)


def test_statements_of_other_tables_differ() -> None:
    assert shape("SELECT a FROM b1") != shape("SELECT a FROM b2")
