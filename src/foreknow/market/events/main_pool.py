"""Which pool of an event is its main one."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.market.events.store import EventRow


def main_pool_id(event: EventRow, pool_ids: Sequence[int]) -> int:
    """Return the main pool of an event among its pools in their order: the first, if there is no such index."""
    return pool_ids[event.main_pool_index if event.main_pool_index < len(pool_ids) else 0]
