"""Deadlines of pools as jobs; pools that wait for a price, or for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.market.events.store import EventRow, closing_time_ms
from foreknow.market.events.tables import odds_events
from foreknow.market.pools import deadlines
from foreknow.market.pools.resolutions import Reason
from foreknow.market.pools.rule_view import rule_of
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, PoolState, load_pools, write_attention_reason
from foreknow.market.pools.tables import WAITING_FOR_PRICE, pool_deadlines, pools
from foreknow.people import attention, notifications
from foreknow.people.notifications.kinds.run import EventClosed, ResolutionNeeded
from foreknow.platform.db.transactions import ReadTx, WriteTx
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
