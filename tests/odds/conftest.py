"""A service whose events follow a source, for all tests of rounds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.following import Follower, following
from tests.support.schema import prepare


@pytest.fixture(scope="module")
def follower(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Follower]:
    if database_kind == "sqlite":
        url = request.getfixturevalue("sqlite_files").fresh_database()
    else:
        url = request.getfixturevalue("postgres").fresh_database(prepare)
    with following(url) as made:
        yield made
