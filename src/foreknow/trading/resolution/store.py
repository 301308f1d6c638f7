"""Deadlines of pools as jobs, and pools that wait for a price."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.market.events.tables import odds_events
from foreknow.market.pools.rule_view import rule_of
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.market.pools.tables import WAITING_FOR_PRICE, pool_deadlines, pools
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.jobs import JobTable

_C = pool_deadlines.c
#: Of a step that asks no one: after the death of its process another does it within 2 s, its poll included.
LEASE_MS = SECOND_MS
#: Of a step that may wait for a source.
SOURCE_LEASE_MS = MINUTE_MS


def deadlines_of_source(source: str) -> JobTable:
    """Return the deadlines of the pools that events of a source resolve."""
    return _deadlines(_is_resolved_by(source), lease_ms=SOURCE_LEASE_MS)


def other_deadlines(sources: Collection[str]) -> JobTable:
    """Return the deadlines of all pools but those that events of `sources` resolve."""
    return _deadlines(sa.and_(sa.true(), *(~_is_resolved_by(source) for source in sources)), lease_ms=LEASE_MS)


def _deadlines(claimable: sa.ColumnElement[bool], *, lease_ms: int) -> JobTable:
    return JobTable(_C.pool_id, _C.due_at_ms, lease_ms=lease_ms, claims=_C.attempts, claimable=claimable)


def _is_resolved_by(source: str) -> sa.ColumnElement[bool]:
    return (
        sa.select(pools.c.id)
        .join(odds_events, odds_events.c.event_id == pools.c.event_id)
        .where(pools.c.id == _C.pool_id, pools.c.resolution_kind == ExternalRule.kind, odds_events.c.source == source)
        .exists()
    )


def waiting_for_price(tx: ReadTx, *, now_ms: int) -> Sequence[tuple[PoolRow, PriceRule]]:
    """Return the pools past their `finish_at` that wait for the price their rule needs, each with its rule."""
    query = sa.select(pools.c.id).where(WAITING_FOR_PRICE, pools.c.finish_at_ms <= now_ms)
    found = load_pools(tx, tx.execute(query).scalars().all()).values()
    return [(pool, rule) for pool in found if isinstance(rule := rule_of(pool), PriceRule)]
