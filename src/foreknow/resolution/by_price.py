"""The result that an observation of an asset's price gives."""

from __future__ import annotations

from typing import Any

from foreknow.assets import observations
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import SECOND_MS, iso
from foreknow.pools.resolution_rules import PriceRule
from foreknow.pools.rule_view import rule_of, strike_of
from foreknow.pools.store import PoolRow


def last_observation_at_ms(pool: PoolRow) -> int:
    """Return the end of the time, itself included, whose observations count."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + price_rule(pool).within_seconds * SECOND_MS


def price_result(tx: ReadTx, pool: PoolRow) -> tuple[int, dict[str, Any]] | None:
    """Return which side won and the observation that says so; None where there is no such observation yet."""
    rule = price_rule(pool)
    assert pool.finish_at_ms is not None
    found = observations.first_recorded(
        tx, rule.symbol, source=rule.source, from_ms=pool.finish_at_ms, to_ms=last_observation_at_ms(pool)
    )
    if found is None:
        return None
    evidence = {"price": found.price_usd, "observed_at": iso(found.observed_at_ms), "source": found.source}
    return rule.outcome_of(found.price_usd, strike=strike_of(pool)), evidence


def price_rule(pool: PoolRow) -> PriceRule:
    """Return the rule of a pool that has a price rule."""
    rule = rule_of(pool)
    assert isinstance(rule, PriceRule)
    return rule
