"""A database that answers, but takes no writes."""

from __future__ import annotations

import pytest

from foreknow.platform.db import write_probe
from tests.support.postgres import Postgres
from tests.support.schema import prepare
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until


@pytest.mark.postgres
def test_a_server_of_a_read_only_database_is_not_ready(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_probe, "GOOD_FOR_S", 0.0)
    with postgres.lent_database(prepare) as url:
        name = url.rpartition("/")[2]
        service = Service(url)
        try:
            client = service.client()
            expect(client.get("/ready"), 200)
            postgres.sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
            disconnect = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            postgres.sql(disconnect)
            wait_until(lambda: client.get("/events").status_code == 200)
            refused(client.get("/ready"), 503, "unavailable")
            expect(client.get("/events"), 200)
            postgres.sql(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
            postgres.sql(disconnect)
            wait_until(lambda: client.get("/ready").status_code == 200)
        finally:
            service.stop()
