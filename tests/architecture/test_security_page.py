"""What docs/security/requirements.md says is shown by a test is.

The tests are there, and the figures of the summary are those of its rows.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security" / "requirements.md").read_text()
#: How many requirements OWASP ASVS 5.0.0 has at each level.
REQUIREMENTS = {"1": 70, "2": 183}
CHAPTERS = 17


class Row(NamedTuple):
    """A requirement's row."""

    number: str
    level: str
    how: str
    shown_by: str

    @property
    def result(self) -> str:
        """Which column of the summary it counts in."""
        said, colon, _ = self.how.partition(": ")
        return said.lower() if colon and said in {"In part", "No", "Not applicable"} else "met"


def rows() -> list[Row]:
    found = re.findall(r"^\| ([0-9.]+) \| ([12]) \| (.*?) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    return [Row(*each) for each in found if each[0].count(".") == 2]


def test_the_tests_that_the_page_names_are_there() -> None:
    named = sorted(set(re.findall(r"(tests/[\w/]+\.py)::(\w+)", PAGE)))

    assert len(named) > 100
    assert [f"{path}::{name}" for path, name in named if not is_there(path, name)] == []


def is_there(path: str, name: str) -> bool:
    file = ROOT / path
    return file.is_file() and bool(re.search(rf"^(?:async )?def {name}\(", file.read_text(), flags=re.MULTILINE))


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert is_there("tests/architecture/test_security_page.py", "test_a_test_that_is_not_there_is_noticed")
    assert not is_there("tests/architecture/test_security_page.py", "test_of_nothing")
    assert not is_there("tests/architecture/test_nowhere.py", "test_of_nothing")


def test_the_files_that_the_page_names_are_there() -> None:
    named = sorted(set(re.findall(r"`((?:deploy|docs|bin|bench|tests)/[\w@./-]+)`", PAGE)))

    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_no_requirement_waits_for_its_test() -> None:
    assert re.findall(r"^\| ([0-9.]+) .*\bPENDING:([\w-]+)", PAGE, flags=re.MULTILINE) == []


def test_every_requirement_of_both_levels_has_one_row_in_its_chapter() -> None:
    numbers = [row.number for row in rows()]
    chapters = re.split(r"^## V([0-9]+) ", PAGE, flags=re.MULTILINE)[1:]

    assert len(numbers) == len(set(numbers))
    assert Counter(row.level for row in rows()) == REQUIREMENTS
    assert [int(number) for number in chapters[::2]] == list(range(1, CHAPTERS + 1))
    for chapter, text in zip(chapters[::2], chapters[1::2], strict=True):
        assert {number.split(".")[0] for number in re.findall(r"^\| ([0-9.]+) \|", text, flags=re.MULTILINE)} == {
            chapter
        }


def test_whatever_is_met_says_what_shows_it_and_whatever_is_not_says_why() -> None:
    assert [row.number for row in rows() if row.result == "met" and len(row.shown_by) < 5] == []
    assert [row.number for row in rows() if row.result != "met" and len(row.how.partition(": ")[2]) < 5] == []


def test_the_summary_adds_up_the_rows() -> None:
    table = re.search(r"^\| Level \| (.*?) \| in all \|\n\|.*?\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    assert table
    results = table[1].split(" | ")
    counted = Counter((row.level, row.result) for row in rows())

    for line in table[2].splitlines():
        level, *figures = [int(cell) for cell in line.strip("| ").split(" | ")]
        assert figures == [*(counted[str(level), result] for result in results), REQUIREMENTS[str(level)]]
