"""Tests that need no more than one kind of database, and those of whose cases PostgreSQL need see no more than one."""

from __future__ import annotations

import pytest

#: For what the database has no say in.
ON_SQLITE = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
#: For tests whose cases send the database the same statements with other values: PostgreSQL gets the first of them, all
#: in `just long`; SQLite gets all in each run.
FIRST_ON_POSTGRES = pytest.mark.first_on_postgres


def repeats(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of such tests that PostgreSQL need not see."""
    seen: set[str] = set()
    found = []
    for item in items:
        case = getattr(item, "callspec", None)
        if (
            case is None
            or case.params.get("database_kind") != "postgres"
            or item.get_closest_marker(FIRST_ON_POSTGRES.name) is None
        ):
            continue
        test = item.nodeid.partition("[")[0]
        if test in seen:
            found.append(item)
        seen.add(test)
    return found
