"""The result that an event elsewhere gives: what two rounds running say."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.clock import MINUTE_MS, iso
from foreknow.pools.resolution_rules import ExternalRule
from foreknow.pools.rule_view import rule_of
from foreknow.pools.store import PoolRow
from foreknow.resolution.external import ExternalResult


def last_round_at_ms(pool: PoolRow) -> int:
    """Return until when (excluded) the source is asked."""
    rule = rule_of(pool)
    assert isinstance(rule, ExternalRule)
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + rule.wait_minutes * MINUTE_MS


def evidence_of(result: ExternalResult, *, fetched_at_ms: int) -> dict[str, Any]:
    """Return a result as responses show it, and as a pool keeps it from the first round to the second."""
    return {"url": result.url, "result": result.result, "fetched_at": iso(fetched_at_ms)}


def is_confirmed(pool: PoolRow, result: ExternalResult) -> bool:
    """Return whether the round before gave the same result."""
    before = pool.evidence
    return before is not None and (before["url"], before["result"]) == (result.url, result.result)
