"""Services for tests that put trades straight into the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.schema import SqliteFiles
from tests.support.service import Service


@pytest.fixture
def start_unpaid_service(database_url: str) -> Iterator[Callable[[], Service]]:
    """Starts services for trades that no account paid for: their books are not audited afterwards."""
    running: list[Service] = []

    def start() -> Service:
        running.append(Service(database_url))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@pytest.fixture
def unpaid_service(start_unpaid_service: Callable[[], Service]) -> Service:
    """One such service."""
    return start_unpaid_service()


@pytest.fixture
def unpaid_sqlite_service(sqlite_files: SqliteFiles) -> Iterator[Service]:
    """The same on SQLite alone, where the database makes no difference."""
    one = Service(sqlite_files.fresh_database())
    yield one
    one.stop()
