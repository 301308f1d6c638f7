"""PostgreSQL fails under a service at work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faults import database
from faults.database import Scene, connections_end, disk_seems_full, meet, row_is_locked
from foreknow.platform.db.postgres import database as postgres_database
from tests.support.postgres import Postgres

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("fault", [connections_end, disk_seems_full, row_is_locked])
def test_a_fault_of_postgresql_is_answered_503_and_loses_no_answered_bet(
    fault: Callable[[Scene], None], postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_database, "LOCK_S", 1.0)
    monkeypatch.setattr(database, "BETS", 4)
    scene = meet(postgres, fault)
    assert scene.trader.wrong == scene.other.wrong == []
    if fault is not connections_end:
        # Connections that ended between two requests are replaced before a request notices, or not.
        assert scene.trader.statuses[503]
