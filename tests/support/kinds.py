"""Which of their two databases tests and their cases need."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

#: For what only SQLite can be asked.
ON_SQLITE = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
#: For what is decided before the first statement, such as the shape of a body, a header or a text: PostgreSQL gets it
#: in `just long` alone. A whole file: `pytestmark = ONCE`.
ONCE = pytest.mark.once
#: For tests whose cases send the database the same statements with other values: PostgreSQL gets the first of them, all
#: in `just long`; SQLite gets all in each run.
FIRST_ON_POSTGRES = pytest.mark.first_on_postgres
#: Tests whose statements others send PostgreSQL as well, by `python -m tests.repeats`: it gets them in `just long`.
REPEATS: Final = Path(__file__).parents[1] / "repeats" / "tests.txt"
LISTED: Final = set(REPEATS.read_text().splitlines())


def repeats(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of such tests that PostgreSQL need not see."""
    seen: set[str] = set()
    found = []
    for item in items:
        case = getattr(item, "callspec", None)
        if case is None or case.params.get("database_kind") != "postgres":
            continue
        test = item.nodeid.partition("[")[0]
        if item.get_closest_marker(ONCE.name) is not None or test in LISTED:
            found.append(item)
        elif item.get_closest_marker(FIRST_ON_POSTGRES.name) is not None:
            if test in seen:
                found.append(item)
            seen.add(test)
    return found
