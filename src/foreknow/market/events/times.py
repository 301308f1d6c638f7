"""When an event closes and when it is resolved, from its pools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from foreknow.market.events.store import closing_time_ms
from foreknow.market.pools.store import PoolState, PricedPool

#: `closes_at_ms` of an event whose unresolved pools all have a result: long ago, whatever a server's clock says.
CLOSED_LONG_AGO_MS = 0


class EventTimes(TypedDict):
    """Columns of an event that follow from its pools."""

    closes_at_ms: int | None
    resolves_at_ms: int | None


def event_times(pools: Iterable[PricedPool]) -> EventTimes:
    """Return the times of an event, from all of its locked pools as they are after the change.

    It closes when its last unresolved pool is past its `finish_at` or has a result; it is resolved when the last of
    its dispute windows ends, once every unresolved pool has one.
    """
    unresolved = [pool for pool in pools if pool.state is not PoolState.RESOLVED]
    undecided = [pool.finish_at_ms for pool in unresolved if not pool.is_decided]
    if undecided or not unresolved:
        return {"closes_at_ms": closing_time_ms(undecided), "resolves_at_ms": None}
    window_ends_ms = (pool.disputable_until_ms for pool in unresolved)
    return {
        "closes_at_ms": CLOSED_LONG_AGO_MS,
        "resolves_at_ms": max(end_ms for end_ms in window_ends_ms if end_ms is not None),
    }
