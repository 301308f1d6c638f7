"""The active events of each tag, counted as events become active and close.

Events that may have changed stand in `event_changes`, written with the change; those that close by the time are found
by it. Once at each start all active events are looked through, for what an earlier release has not written there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.market.events.store import EventRow, EventStatus, load_events
from foreknow.market.events.tables import event_changes, events
from foreknow.platform.db.bulk import in_array
from foreknow.platform.db.changes import Insert, adding, apply, on_conflict
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.tables import active_events, event_activity, tag_counts

#: Events of one transaction.
PIECE_EVENTS = 200

_A = active_events.c


@dataclass(frozen=True, slots=True)
class Noted:
    """Events that may have begun or ceased to be active, and the notes that say so."""

    note_ids: Sequence[int]
    event_ids: Collection[int]
    #: Whether there may be more.
    is_full: bool = False


def noted(tx: ReadTx) -> Noted:
    """Return some events that changed, and some that have closed by the time."""
    changes = tx.execute(
        sa.select(event_changes.c.id, event_changes.c.event_id).order_by(event_changes.c.id).limit(PIECE_EVENTS)
    ).all()
    closed = sa.select(_A.event_id).where(_A.ends_at_ms <= now_ms(tx)).order_by(_A.ends_at_ms).limit(PIECE_EVENTS)
    closed_ids = tx.execute(closed).scalars().all()
    return Noted(
        [change.id for change in changes],
        {*(change.event_id for change in changes), *closed_ids},
        is_full=PIECE_EVENTS in {len(changes), len(closed_ids)},
    )


def uncounted(tx: ReadTx, after_id: int) -> tuple[Collection[int], int | None]:
    """Return which of the next events after an id are active and not counted, and the last id looked at.

    None: there are no more.
    """
    is_active = events.c.status == EventStatus.ACTIVE.value
    ids = sa.select(events.c.id).where(is_active, events.c.id > after_id).order_by(events.c.id).limit(PIECE_EVENTS)
    found = tx.execute(ids).scalars().all()
    if not found:
        return (), None
    counted = set(tx.execute(sa.select(_A.event_id).where(_A.event_id.in_(found))).scalars())
    missing = load_events(tx, [event_id for event_id in found if event_id not in counted])
    at_ms = now_ms(tx)
    return {row.id for row in missing.values() if _is_active(row, at_ms)}, found[-1]


def count(tx: WriteTx, of: Noted) -> None:
    """Count these events as they are now, and remove the notes."""
    at_ms = now_ms(tx)
    rows = load_events(tx, of.event_ids)
    active = {row.id: row for row in rows.values() if _is_active(row, at_ms)}
    counted = set(tx.execute(sa.select(_A.event_id).where(in_array(_A.event_id)), {"ids": of.event_ids}).scalars())
    begun, over = active.keys() - counted, counted - active.keys()
    changes: Counter[str] = Counter()
    for event_id in begun | over:
        for tag in set(rows[event_id].tags):
            changes[tag] += 1 if event_id in begun else -1
    apply(tx, _TAGS, [change for change in sorted(changes.items()) if change[1]])
    if over:
        tx.execute(active_events.delete().where(_A.event_id.in_(over)))
    apply(tx, _ACTIVE, [(event_id, active[event_id].closes_at_ms) for event_id in sorted(active)])
    past = [row.id for row in rows.values() if row.published_at_ms is not None and row.id not in active]
    if past:
        tx.execute(event_activity.update().where(event_activity.c.event_id.in_(past)).values(is_over=True))
    if of.note_ids:
        tx.execute(event_changes.delete().where(in_array(event_changes.c.id)), {"ids": of.note_ids})


def _is_active(row: EventRow, at_ms: int) -> bool:
    return row.status_at(at_ms) is EventStatus.ACTIVE


_TAGS = Insert(tag_counts, ("tag", "active"), conflict=adding(tag_counts, "active"))
_ACTIVE = Insert(
    active_events,
    ("event_id", "ends_at_ms"),
    conflict=on_conflict(active_events, ends_at_ms="excluded.ends_at_ms"),
)
