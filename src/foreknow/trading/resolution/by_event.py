"""The result that an event elsewhere gives: what two rounds running say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.store import PricedPool
from foreknow.trading.odds import FetchedResult


def last_round_at_ms(pool: PricedPool, rule: ExternalRule) -> int:
    """Return until when (excluded) the source is asked."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + rule.wait_minutes * MINUTE_MS


def is_confirmed(result: FetchedResult, before: Mapping[str, Any] | None) -> bool:
    """Return whether the round before, whose evidence the pool keeps, gave the same result."""
    now = result.evidence
    return before is not None and (before["url"], before["result"]) == (now["url"], now["result"])
