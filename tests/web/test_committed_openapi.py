"""docs/openapi.json is what the service serves."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.http import NO_TLS
from tests.support.service import Service

COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.json"


def test_the_committed_document_is_current(sqlite_service: Service) -> None:
    served = httpx.get(f"{sqlite_service.url}/openapi.json", verify=NO_TLS).content

    assert COMMITTED.read_bytes() == served, "run `just openapi` and commit docs/openapi.json"
