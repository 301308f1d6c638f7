"""The result that an observation of an asset's price gives."""

from __future__ import annotations

from typing import Any, NamedTuple

from foreknow.kernel.clock import SECOND_MS, iso
from foreknow.market.assets import observations
from foreknow.market.assets.observations import Observation
from foreknow.market.pools.rule_view import strike_of
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, PricedPool
from foreknow.platform.db.transactions import ReadTx


def last_observation_at_ms(pool: PricedPool, rule: PriceRule) -> int:
    """Return the end of the time, itself included, whose observations count."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + rule.within_seconds * SECOND_MS


class Awaited(NamedTuple):
    """What the observation is that a pool waits for: of which asset and source (None: one that counts), and when."""

    symbol: str
    source: str | None
    from_ms: int
    to_ms: int


def awaited(pool: PricedPool, rule: PriceRule) -> Awaited:
    """Return which observation gives a pool its result."""
    assert pool.finish_at_ms is not None
    return Awaited(rule.symbol, rule.source, pool.finish_at_ms, last_observation_at_ms(pool, rule))


def first_of(tx: ReadTx, wanted: Awaited) -> Observation | None:
    """Return the observation that decides; None where there is none yet."""
    return observations.first_recorded(
        tx, wanted.symbol, source=wanted.source, from_ms=wanted.from_ms, to_ms=wanted.to_ms
    )


def price_result(tx: ReadTx, pool: PoolRow, rule: PriceRule) -> tuple[int, dict[str, Any]] | None:
    """Return which side won and the observation that says so; None where there is no such observation yet."""
    found = first_of(tx, awaited(pool, rule))
    if found is None:
        return None
    evidence = {"price": found.price_usd, "observed_at": iso(found.observed_at_ms), "source": found.source}
    return rule.outcome_of(found.price_usd, strike=strike_of(pool)), evidence
