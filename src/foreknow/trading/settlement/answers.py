"""What becomes of the objections of a locked pool: another result upholds or rejects them, a confirmation rejects them,
and with a final result they lapse.
"""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.market.events.store import load_events
from foreknow.market.pools.resolutions import Resolution, read_resolution
from foreknow.market.pools.store import PoolRow
from foreknow.people import attention, notifications
from foreknow.people.notifications.kind import shortened
from foreknow.people.notifications.kinds.own import ObjectionAnswered
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.settlement import objection_store as store
from foreknow.trading.settlement.objection_store import ObjectionRow


def answer_by_verdict(tx: WriteTx, pool: PoolRow, resolution: Resolution, *, at_ms: int) -> None:
    """Uphold what proposed another result or none at all, reject the rest; `pool` as before that result."""
    found = store.open_of(tx, pool.id)
    upheld = [one for one in found if one.proposal is None or _pays(pool, one.proposal) == resolution.pays]
    upheld_ids = {one.id for one in upheld}
    rejected = [one for one in found if one.id not in upheld_ids]
    store.answer(tx, [one.id for one in upheld], state="upheld", at_ms=at_ms)
    store.answer(tx, [one.id for one in rejected], state="rejected", at_ms=at_ms)
    _end(tx, pool.id, at_ms=at_ms)
    _tell(tx, pool, upheld=upheld, rejected=rejected, at_ms=at_ms)


def reject_all(tx: WriteTx, pool: PoolRow, *, note: str, at_ms: int) -> None:
    """Reject what is open against a result that is confirmed."""
    rejected = store.open_of(tx, pool.id)
    store.answer(tx, [one.id for one in rejected], state="rejected", note=note, at_ms=at_ms)
    _end(tx, pool.id, at_ms=at_ms)
    _tell(tx, pool, upheld=(), rejected=rejected, answer=note, at_ms=at_ms)


def lapse(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Let what is open against a result lapse that is final since then; no one is notified."""
    store.lapse(tx, pool_id, at_ms=at_ms)
    _end(tx, pool_id, at_ms=at_ms)


def _end(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """An admin has nothing to answer there any more."""
    attention.close_entry(tx, "objection", pool_id=pool_id, at_ms=at_ms)


def _pays(pool: PoolRow, proposal: dict[str, object]) -> object:
    return read_resolution(proposal, outcomes=len(pool.weights)).pays


def _tell(
    tx: WriteTx,
    pool: PoolRow,
    *,
    upheld: Sequence[ObjectionRow],
    rejected: Sequence[ObjectionRow],
    answer: str = "",
    at_ms: int,
) -> None:
    """Notify who objected; a partner's users have no notifications."""
    people = {one.user_id for one in (*upheld, *rejected) if one.partner_id is None}
    if not people:
        return
    people -= deleted_among(tx, people)
    new = notifications.NewNotifications(load_events(tx, [pool.event_id])[pool.event_id], at_ms=at_ms)
    names = {"pool_name": pool.name, "pool_name_ru": pool.name_ru}
    for one in upheld:
        if one.user_id in people:
            new.add(one.user_id, ObjectionAnswered(state="upheld", **names))
    for one in rejected:
        if one.user_id in people:
            new.add(one.user_id, ObjectionAnswered(state="rejected", answer=shortened(answer), **names))
    notifications.record(tx, new)
