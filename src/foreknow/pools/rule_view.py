"""A pool's rule as stored, and as responses show it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import msgspec

from foreknow.pools.resolution_rules import ManualRule, PriceRule, Rule, resolution_rule
from foreknow.pools.store import PoolRow

#: Bounds the memory of rules that were read: one of 100 outcomes takes some 50 KB.
CACHED_MAX = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """What a rule shows in `Pool.resolution`; None where it does not apply."""

    symbol: str | None = None
    source: str | None = None
    #: One interval an outcome, its numbers filled in; None also while they wait for the strike.
    outcomes: list[dict[str, int | float]] | None = None
    #: The observation at publication that the rule or a text refers to: `{price, observed_at, source}`.
    strike: dict[str, Any] | None = None
    #: What the result was read from, or what left it to a person.
    evidence: dict[str, Any] | None = None


def rule_of(pool: PoolRow) -> Rule:
    """Return the rule that resolves a pool."""
    if pool.resolution_kind == ManualRule.kind:
        # Of pools from before there were rules, `metadata.resolution` is any JSON.
        return ManualRule(dispute_minutes=pool.dispute_minutes)
    return _rule(msgspec.json.encode(pool.metadata.get("resolution")), len(pool.markets))


def strike_of(pool: PoolRow) -> float | None:
    """Return the price at publication; None where nothing refers to it."""
    return None if pool.strike is None else float(pool.strike["price"])


def rule_view(pool: PoolRow) -> RuleView:
    """Show a pool's rule."""
    rule = rule_of(pool)
    # Before, it is what one round of an external rule said, which the next must confirm.
    is_evidence = pool.decided_at_ms is not None or pool.attention_reason is not None
    evidence = pool.evidence if is_evidence else None
    if not isinstance(rule, PriceRule):
        return RuleView(evidence=evidence)
    strike = strike_of(pool)
    outcomes = None if rule.needs_strike and strike is None else _outcomes(rule, strike)
    return RuleView(symbol=rule.symbol, source=rule.source, outcomes=outcomes, strike=pool.strike, evidence=evidence)


# Reading a rule of 100 outcomes takes 4 ms, and a page shows many pools.
@functools.lru_cache(maxsize=CACHED_MAX)
def _rule(sent: bytes, market_count: int) -> Rule:
    return resolution_rule("resolution", msgspec.json.decode(sent), market_count=market_count)


@functools.lru_cache(maxsize=CACHED_MAX)
def _outcomes(rule: PriceRule, strike: float | None) -> list[dict[str, int | float]]:
    return [interval.as_json() for interval in rule.at(strike)]
