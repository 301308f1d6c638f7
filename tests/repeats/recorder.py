"""A plugin of pytest, `-p tests.repeats.recorder`: runs what PostgreSQL gets, and notes the statements of each test.

A statement is its text without values, with the class of the error that it met. Only those of the test's own process
are seen.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

from tests.support import kinds

#: Where each process of a run writes what it noted: a folder.
FOLDER_VARIABLE: Final = "STATEMENTS_FOLDER"
_LIST = re.compile(r"\((?:\s*\$\d+(?:::\w+(?:\[\])?)?\s*,?)+\)")
_LISTS = re.compile(r"(?:\(\?\)(?:, )?){2,}")
_VALUE = re.compile(r"\$\d+|'[^']*'|\b\d+\b")
_REPEATED = re.compile(r"(\bUNION ALL .*?)(?:\1)+")

_noted: dict[str, set[str]] = defaultdict(set)
#: The running test, if there is one.
_running: list[str] = []


def shape(statement: str) -> str:
    """Return a statement without its values, however many rows or names it lists."""
    return _REPEATED.sub(r"\1", _VALUE.sub("?", _LISTS.sub("(?)", _LIST.sub("(?)", statement))))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what PostgreSQL is not in."""
    chosen = [item for item in items if _kind(item) == "postgres"]
    config.hook.pytest_deselected(items=[item for item in items if _kind(item) != "postgres"])
    items[:] = chosen


def pytest_configure() -> None:
    """Listen to all connections made from now on, of the tests that are listed so far, too."""
    kinds.LISTED.clear()
    connect: Any = asyncpg.connect

    async def listened(*arguments: Any, **options: Any) -> Any:
        connection = await connect(*arguments, **options)
        connection.add_query_logger(_note)
        return connection

    vars(asyncpg)["connect"] = listened


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know whose statements are sent."""
    _running.append(item.nodeid)
    try:
        return (yield)
    finally:
        _running.clear()


def pytest_sessionfinish() -> None:
    """Write what this process noted."""
    path = Path(os.environ[FOLDER_VARIABLE], f"{os.getpid()}.json")
    path.write_text(json.dumps({test: sorted(statements) for test, statements in _noted.items()}))


def _kind(item: pytest.Item) -> object:
    case = getattr(item, "callspec", None)
    return None if case is None else case.params.get("database_kind")


def _note(query: Any) -> None:
    if _running:
        met = type(query.exception).__name__ if query.exception else ""
        _noted[_running[0]].add(f"{met} {shape(query.query)}".strip())
