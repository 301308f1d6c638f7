"""Reading what is counted of events, pools and tags."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.tables import event_activity, pool_activity, tag_counts


class EventActivity(NamedTuple):
    """What is counted of an event."""

    traders: int
    volume_24h_kopecks: int


NO_ACTIVITY = EventActivity(0, 0)
_TRADERS = CompiledQuery(
    sa.select(event_activity.c.event_id, event_activity.c.traders).where(in_array(event_activity.c.event_id))
)


def activity_of_events(tx: ReadTx, event_ids: Collection[int]) -> dict[int, EventActivity]:
    """Return what is counted of each event that was ever traded in."""
    columns = event_activity.c
    query = sa.select(columns.event_id, *(columns[name] for name in EventActivity._fields))
    rows = tx.execute(query.where(in_array(columns.event_id)), {"ids": event_ids})
    return {event_id: EventActivity(*rest) for event_id, *rest in rows}


def traders_of_events(tx: ReadTx, event_ids: Collection[int]) -> dict[int, int]:
    """Return how many have ever traded in each of these events."""
    found = dict.fromkeys(event_ids, 0)
    found.update((event_id, traders) for event_id, traders in _TRADERS.fetch(tx, {"ids": event_ids}))
    return found


def traders_of_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, int]:
    """Return how many have ever traded in each of these pools."""
    columns = pool_activity.c
    found = dict.fromkeys(pool_ids, 0)
    rows = tx.execute(sa.select(columns.pool_id, columns.traders).where(in_array(columns.pool_id)), {"ids": pool_ids})
    found.update((pool_id, traders) for pool_id, traders in rows)
    return found


class TagCount(NamedTuple):
    """A tag and how many active events have it."""

    tag: str
    active: int


def most_used_tags(tx: ReadTx, *, limit: int) -> list[TagCount]:
    """Return the tags with the most active events; of equal ones, the last in the order of code points first."""
    columns = tag_counts.c
    query = sa.select(columns.tag, columns.active).where(columns.active > sa.literal(0, literal_execute=True))
    return [
        TagCount(*row) for row in tx.execute(query.order_by(columns.active.desc(), columns.tag.desc()).limit(limit))
    ]
