"""When a pool's markets can be traded, and which error they raise when they cannot."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.errors import DomainError
from foreknow.market.pools.errors import MarketClosed, MarketPaused, MarketResolved
from foreknow.market.pools.store import PoolState
from tests.market.pools.made import pool_row

NOW_MS = 1_000


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, None),
        ({"live_at_ms": NOW_MS}, None),
        ({"live_at_ms": NOW_MS + 1}, MarketClosed),
        ({"finish_at_ms": NOW_MS + 1}, None),
        ({"finish_at_ms": NOW_MS}, MarketClosed),
        ({"paused": True}, MarketPaused),
        ({"paused": True, "finish_at_ms": NOW_MS}, MarketClosed),
        ({"paused": True, "finish_at_ms": NOW_MS, "state": PoolState.RESOLVED}, MarketResolved),
        ({"published_at_ms": None, "state": PoolState.NEW}, MarketClosed),
        ({"published_at_ms": None, "state": PoolState.RESOLVED}, MarketClosed),
    ],
)
def test_the_error_is_the_first_in_the_order_of_the_contract(
    fields: dict[str, Any], error: type[DomainError] | None
) -> None:
    assert pool_row(**fields).trading_error(NOW_MS) is error
