"""A site of each released version migrates to this one, and is right before it serves, while it does and after."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from foreknow.commands.verify import verify
from foreknow.platform.db.migrate import migrate
from tests.releases.dumps import KINDS, file_of, load, versions
from tests.support.books import audit_database
from tests.support.orders import bet
from tests.support.postgres import Postgres
from tests.support.service import Service, expect
from tests.support.waiting import let_work, wait_until


def test_there_are_released_versions_of_both_kinds() -> None:
    assert "0.1.0" in versions()
    assert all(file_of(version, kind).exists() for version in versions() for kind in KINDS)


@pytest.mark.parametrize("version", versions())
def test_a_site_of_a_released_version_goes_on(
    version: str, database_kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: Postgres | None = None if database_kind == "sqlite" else request.getfixturevalue("postgres")
    url = f"sqlite:///{tmp_path}/foreknow.sqlite3" if server is None else server.fresh_database()
    load(version, url)
    migrate(url)
    audit_database(url)
    service = Service(url)
    try:
        # Who signs up need not agree to the site's terms.
        expect(service.admin.delete("/admin/looks/pages/terms?lang=en"), 200)
        wait_until(lambda: not expect(service.client().get("/site"), 200).get("terms"))
        trader = service.user(balance_kopecks=10_000)
        for event in expect(service.client().get("/events?limit=100"), 200)["events"][:5]:
            assert bet(trader, event["pools"][0]["markets"][0]["id"], "YES", 500).status_code in {201, 409}
        let_work()
        assert asyncio.run(verify(service.url, token=None)).wrong == []
    finally:
        service.stop()
    audit_database(url)
    if server is not None:
        server.drop(url)
