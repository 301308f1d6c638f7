"""Empty databases to copy into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres

EmptyDatabase = Callable[[str], str]


@pytest.fixture
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EmptyDatabase]:
    """Makes databases without a table: `empty_database("postgres")` is a URL."""
    made: list[str] = []

    def make(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/empty-{len(made)}/foreknow.sqlite3"
        server: Postgres = request.getfixturevalue("postgres")
        made.append(server.fresh_database())
        return made[-1]

    yield make
    for url in made:
        request.getfixturevalue("postgres").drop(url)


@pytest.fixture
def target_url(database_kind: str, empty_database: EmptyDatabase) -> str:
    """An empty database of the other kind than the one whose turn it is."""
    return empty_database({"sqlite": "postgres", "postgres": "sqlite"}[database_kind])
