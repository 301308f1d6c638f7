"""A service whose events follow a source, for all tests of rounds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.following import Follower, following


@pytest.fixture(scope="module")
def follower(module_database_url: str) -> Iterator[Follower]:
    with following(module_database_url) as made:
        yield made
