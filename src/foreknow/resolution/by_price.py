"""The result that an observation of an asset's price gives."""

from __future__ import annotations

from typing import Any, NamedTuple

from foreknow.assets import observations
from foreknow.assets.observations import Observation
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import SECOND_MS, iso
from foreknow.pools.resolution_rules import PriceRule
from foreknow.pools.rule_view import rule_of, strike_of
from foreknow.pools.store import PoolRow


def last_observation_at_ms(pool: PoolRow) -> int:
    """Return the end of the time, itself included, whose observations count."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + price_rule(pool).within_seconds * SECOND_MS


class Awaited(NamedTuple):
    """What the observation is that a pool waits for: of which asset and source (None: one that counts), and when."""

    symbol: str
    source: str | None
    from_ms: int
    to_ms: int


def awaited(pool: PoolRow) -> Awaited:
    """Return which observation gives a pool its result."""
    rule = price_rule(pool)
    assert pool.finish_at_ms is not None
    return Awaited(rule.symbol, rule.source, pool.finish_at_ms, last_observation_at_ms(pool))


def first_of(tx: ReadTx, wanted: Awaited) -> Observation | None:
    """Return the observation that decides; None where there is none yet."""
    return observations.first_recorded(
        tx, wanted.symbol, source=wanted.source, from_ms=wanted.from_ms, to_ms=wanted.to_ms
    )


def price_result(tx: ReadTx, pool: PoolRow) -> tuple[int, dict[str, Any]] | None:
    """Return which side won and the observation that says so; None where there is no such observation yet."""
    found = first_of(tx, awaited(pool))
    if found is None:
        return None
    evidence = {"price": found.price_usd, "observed_at": iso(found.observed_at_ms), "source": found.source}
    return price_rule(pool).outcome_of(found.price_usd, strike=strike_of(pool)), evidence


def price_rule(pool: PoolRow) -> PriceRule:
    """Return the rule of a pool that has a price rule."""
    rule = rule_of(pool)
    assert isinstance(rule, PriceRule)
    return rule
