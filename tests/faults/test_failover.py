"""A primary is killed under load, and its standby promoted."""

from __future__ import annotations

import pytest

from faults import failover
from faults.failover import CANCELLED, TURNS, fail_over_often

pytestmark = pytest.mark.postgres


def test_no_answered_order_is_lost_with_a_primary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with commits either that were cancelled while they waited for the standby."""
    monkeypatch.setattr(failover, "REST_S", 0.1)
    failovers, load, feed = fail_over_often(kills=1, first=TURNS.index(CANCELLED))
    assert failovers.kinds == {CANCELLED: 1}
    assert failovers.cancelled
    assert load.unanswered
    assert failovers.refused_by_old == 1
    assert feed.connections == 1
