"""The result that an event elsewhere gives: what two rounds running say."""

from __future__ import annotations

from foreknow.kernel.clock import MINUTE_MS
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


def is_confirmed(pool: PoolRow, result: ExternalResult) -> bool:
    """Return whether the round before, whose evidence the pool keeps, gave the same result."""
    before, now = pool.evidence, result.evidence
    return before is not None and (before["url"], before["result"]) == (now["url"], now["result"])
