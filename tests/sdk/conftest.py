"""A service that this folder shares, and what stands before it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sdk.unreliable import Cable, Proxy
from tests.support.service import Service


@pytest.fixture
def proxy(sqlite_service: Service) -> Iterator[Proxy]:
    """A proxy before the service, which passes everything on until it is planned otherwise."""
    with Proxy(sqlite_service.server.port).running() as proxy:
        yield proxy


@pytest.fixture
def cable(sqlite_service: Service) -> Iterator[Cable]:
    """A cable to the service."""
    with Cable(sqlite_service.server.port).laid() as cable:
        yield cable
