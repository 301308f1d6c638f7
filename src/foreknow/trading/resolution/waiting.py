"""What waits for a person: notices to creators, and entries for operators."""

from __future__ import annotations

from collections.abc import Mapping

from foreknow.market.events.store import EventRow, closing_time_ms
from foreknow.market.pools import deadlines
from foreknow.market.pools.resolutions import Reason
from foreknow.market.pools.store import PoolRow, PoolState, write_attention_reason
from foreknow.people import attention, notifications
from foreknow.people.notifications.kinds.run import EventClosed, ResolutionNeeded
from foreknow.platform.db.transactions import WriteTx

#: A deadline that only `deadlines.hasten` makes due: a pool past its end waits for another that has none.
NEVER_MS = 2**62


def need_person(tx: WriteTx, event: EventRow, pool_id: int, reason: Reason, *, at_ms: int) -> None:
    """Leave a locked pool, whose rule gives no result, to a person: its creator and operators are notified."""
    write_attention_reason(tx, pool_id, reason)
    attention.open_entry(tx, "resolution", reason=reason, event_id=event.id, pool_id=pool_id, at_ms=at_ms)
    new = notifications.NewNotifications(event, at_ms=at_ms)
    notifications.record(tx, new.add(event.creator_id, ResolutionNeeded()))


def note_closing(tx: WriteTx, event: EventRow, pools: Mapping[int, PoolRow], *, at_ms: int) -> None:
    """Notify the creator once of a closed event in which pools wait to be resolved by hand.

    `pools` are all of the event's, locked. Until then these pools keep a deadline, which says that the notice is still
    to come.
    """
    undecided = [pool for pool in pools.values() if pool.state is PoolState.OPEN and not pool.is_decided]
    by_hand = [pool.id for pool in undecided if not pool.rule_type.gives_result and pool.is_over(at_ms)]
    waiting = deadlines.scheduled(tx, by_hand)
    if not waiting:
        return
    if not all(pool.is_over(at_ms) for pool in undecided):
        closes_at_ms = closing_time_ms(pool.finish_at_ms for pool in undecided)
        for pool_id in waiting:
            deadlines.schedule(tx, pool_id, at_ms=NEVER_MS if closes_at_ms is None else closes_at_ms)
        return
    for pool_id in waiting:
        deadlines.drop(tx, pool_id)
    new = notifications.NewNotifications(event, at_ms=at_ms)
    notifications.record(tx, new.add(event.creator_id, EventClosed()))
