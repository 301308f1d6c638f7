"""A pool's rule as stored, and as responses show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foreknow.pools.resolution_rules import ManualRule, PriceRule, Rule, resolution_rule
from foreknow.pools.store import PoolRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """What a rule shows in `Pool.resolution`; None where it does not apply."""

    symbol: str | None = None
    source: str | None = None
    #: One interval an outcome, its numbers filled in; None also while they wait for the strike.
    outcomes: list[dict[str, int | float]] | None = None
    #: The observation at publication that the rule or a text refers to: `{price, observed_at, source}`.
    strike: dict[str, Any] | None = None


def rule_of(pool: PoolRow) -> Rule:
    """Return the rule that resolves a pool."""
    if pool.resolution_kind == ManualRule.kind:
        # Of pools from before there were rules, `metadata.resolution` is any JSON.
        return ManualRule(dispute_minutes=pool.dispute_minutes)
    return resolution_rule("resolution", pool.metadata.get("resolution"), market_count=len(pool.markets))


def strike_of(pool: PoolRow) -> float | None:
    """Return the price at publication; None where nothing refers to it."""
    return None if pool.strike is None else float(pool.strike["price"])


def rule_view(pool: PoolRow) -> RuleView:
    """Show a pool's rule."""
    rule = rule_of(pool)
    if not isinstance(rule, PriceRule):
        return RuleView()
    strike = strike_of(pool)
    filled = None if rule.needs_strike and strike is None else rule.at(strike)
    return RuleView(
        symbol=rule.symbol,
        source=rule.source,
        outcomes=None if filled is None else [interval.as_json() for interval in filled],
        strike=pool.strike,
    )
