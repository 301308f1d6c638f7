"""A pool's rule as stored, and as responses show it."""

from __future__ import annotations

import functools

import msgspec

from foreknow.market.pools.rules.base import CACHED_MAX, RuleView
from foreknow.market.pools.rules.family import Rule, resolution_rule
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.store import PoolRow


def rule_of(pool: PoolRow) -> Rule:
    """Return the rule that resolves a pool."""
    if pool.rule_type is ManualRule:
        # Of pools from before there were rules, `metadata.resolution` is any JSON.
        return ManualRule(dispute_minutes=pool.dispute_minutes)
    return _rule(msgspec.json.encode(pool.metadata.get("resolution")), len(pool.markets))


def strike_of(pool: PoolRow) -> float | None:
    """Return the price at publication; None where nothing refers to it."""
    return None if pool.strike is None else float(pool.strike["price"])


def rule_view(pool: PoolRow) -> RuleView:
    """Show a pool's rule."""
    return rule_of(pool).view(pool.strike)


# Reading a rule of 100 outcomes takes 4 ms, and a page shows many pools.
@functools.lru_cache(maxsize=CACHED_MAX)
def _rule(sent: bytes, market_count: int) -> Rule:
    return resolution_rule("resolution", msgspec.json.decode(sent), market_count=market_count)
