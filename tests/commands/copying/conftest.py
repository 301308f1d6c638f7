"""Empty databases to copy into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foreknow.platform.db import migrate
from tests.support.postgres import Postgres
from tests.support.schema import prepare, upgrade_at_once

EmptyDatabase = Callable[[str], str]
OTHER_KIND = {"sqlite": "postgres", "postgres": "sqlite"}


@pytest.fixture
def empty_database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmptyDatabase]:
    """Makes databases without a table: `empty_database("postgres")` is a URL."""
    monkeypatch.setattr(migrate, "upgrade", upgrade_at_once)
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
def bare_url(database_kind: str, empty_database: EmptyDatabase) -> str:
    """A database without a table, of the other kind than the one whose turn it is."""
    return empty_database(OTHER_KIND[database_kind])


@pytest.fixture
def target_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database to copy into, of the other kind: without a row, on PostgreSQL with the schema, which is copied in a
    twentieth of the time that its migrations take.
    """
    if database_kind == "postgres":
        yield request.getfixturevalue("bare_url")
        return
    server: Postgres = request.getfixturevalue("postgres")
    url = server.fresh_database(prepare)
    yield url
    server.drop(url)
