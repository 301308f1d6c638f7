"""Who may resolve a pool or cancel an event, when, and what follows at once; paying comes after (`payments`).

A decision locks all pools of its event: of the last two that are resolved at once, one must see the other and end the
event. It locks no holder's account and not the house's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import DomainError, Forbidden, InvalidState
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.events.service import managed_event
from foreknow.market.events.store import EventRow, EventStatus, load_events, update_event
from foreknow.market.events.times import event_times
from foreknow.market.pools import deadlines
from foreknow.market.pools.errors import PoolNotFound
from foreknow.market.pools.resolutions import VOID, DecidedBy, Decision, Resolution
from foreknow.market.pools.store import (
    PoolRow,
    PoolState,
    PricedPool,
    load_pools,
    load_priced_pools,
    lock_pools_of_event,
    lock_with_siblings,
    mark_decided,
    mark_resolved,
    write_reasons,
)
from foreknow.market.pools.verdicts import Reasons, Verdict, verdict_of
from foreknow.people import admin_log, attention, notifications
from foreknow.people.follows import news
from foreknow.people.notifications.kinds.followed import EventCancelled
from foreknow.people.users import require_live_session, require_run_by
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.desk.errors import OutcomesChanged
from foreknow.trading.effects import payouts
from foreknow.trading.positions.store import traded_pools
from foreknow.trading.settlement import answers, notifying, store
from foreknow.trading.settlement.authority import ENDED, check_impartial, decided_by, may_cancel, may_its_creator
from foreknow.trading.settlement.past_trades import NOTHING_KNOWN, LaterTrades, later_trades, past_trades
from foreknow.trading.settlement.resolve_body import ResolveBody, named_outcome, resolution_for


class AlreadyResolved(DomainError):
    code = "already_resolved"
    status = 409
    message = "The pool was resolved otherwise before; a resolution is final."


def trades_since(tx: ReadTx, pool_id: int, body: ResolveBody, caller: UserCaller) -> LaterTrades:
    """Return a pool's trades after the moment that an admin's void names; none for others, who may name none."""
    if body.void_at_ms is None or not caller.is_admin:
        return NOTHING_KNOWN
    pool = load_priced_pools(tx, [pool_id]).get(pool_id)
    if pool is None:
        return NOTHING_KNOWN
    return later_trades(tx, pool, at_ms=body.void_at_ms)


def resolve(
    tx: WriteTx,
    pool_id: int,
    body: ResolveBody,
    caller: UserCaller,
    *,
    reasons: Reasons | None = None,
    later: LaterTrades = NOTHING_KNOWN,
) -> PoolRow:
    """Decide a pool by hand; the same decision again, by who gave it or an admin, adds `reasons` that it lacks alone.

    `body` passed `resolution.check`; `later` are the trades after the moment of a void that were read before. Raises
    `PoolNotFound`, `Forbidden`, `InvalidState` for a pool that was never published, `AlreadyResolved` for another
    resolution than the final one. An admin may replace a decision until it is final, `OwnEvent` who is not impartial.
    """
    caller, row = _managed_pool(tx, pool_id, caller)
    if body.void_at_ms is not None and not caller.is_admin:
        raise Forbidden("Only an admin may void a pool at a moment's prices.")
    named = named_outcome(body, row)
    pools = lock_pools_of_event(tx, row.event_id)
    pool = pools[pool_id]
    if body.outcomes is not None and body.outcomes != len(pool.markets):
        check_impartial(tx, pool, caller)
        raise OutcomesChanged(outcomes=len(pool.markets))
    resolution = resolution_for(named, outcomes=len(pool.weights))
    at_ms = _after_all_trades(tx, [pool])
    if pool.decision is not None and _is_same(pool, pool.decision.resolution, resolution, at_ms=at_ms):
        return _with_reasons(tx, pool, caller, reasons or Reasons())
    _check_may_decide(pool, caller)
    is_correction = pool.is_decided and not pool.is_resolved(at_ms)
    if is_correction and not caller.is_admin:
        raise Forbidden("Only an admin may correct a decision.")
    check_impartial(tx, pool, caller)
    void_at_ms = body.void_at_ms
    if void_at_ms is not None and pool.published_at_ms is not None:
        check_moment(pool.published_at_ms, void_at_ms, at_ms=at_ms)
    if pool.is_decided and not is_correction:
        raise AlreadyResolved
    if pool.state is PoolState.NEW:
        raise InvalidState("The event was never published.")
    decision = _decision(pool, resolution, by=decided_by(pool, caller), at_ms=at_ms)
    if void_at_ms is not None:
        prices = past_trades(tx, pool, later, at_ms=void_at_ms)
        decision = replace(decision, void_at_ms=void_at_ms, void_prices=prices)
    has_traded = pool_id in traded_pools(tx, user_id=caller.user_id, event_id=pool.event_id)
    verdict = verdict_of(decision, by_id=caller.user_id, has_traded=has_traded, reasons=reasons)
    if is_correction:
        mark_decided(tx, pool, decision, verdict)
        move(tx, pools, pool_id)
        answers.answer_by_verdict(tx, pool, resolution, at_ms=at_ms)
        notifying.write_decided(tx, pool, decision, verdict.reasons)
    else:
        _decide(tx, pools, pool, decision, verdict)
    _log_decision(tx, caller, pool, resolution, at_ms=at_ms)
    return load_pools(tx, [pool_id])[pool_id]


def decide(
    tx: WriteTx, pool_id: int, body: ResolveBody, *, by: DecidedBy = "rule", evidence: dict[str, Any] | None = None
) -> bool:
    """Decide a published pool by its rule; return False, and change nothing, if it has a result already.

    `body` passed `resolution.check`; `evidence` is what it was read from, as responses show it.
    """
    pools = lock_with_siblings(tx, pool_id)
    pool = pools[pool_id]
    if pool.is_decided:
        return False
    resolution = resolution_for(body, outcomes=len(pool.weights))
    at_ms = _after_all_trades(tx, [pool])
    decision = replace(_decision(pool, resolution, by=by, at_ms=at_ms), evidence=evidence)
    _decide(tx, pools, pool, decision, verdict_of(decision))
    return True


def finalize(tx: WriteTx, pool_id: int) -> None:
    """Make a decision final if its dispute window has ended."""
    pools = lock_with_siblings(tx, pool_id)
    pool = pools[pool_id]
    if pool.state is PoolState.OPEN and pool.decision is not None and pool.is_resolved(now_ms(tx)):
        _make_final(tx, pools, pool_id, pool.decision)


def void_event(tx: WriteTx, event_id: int, caller: UserCaller, *, reasons: Reasons | None = None) -> list[int]:
    """Cancel an event: void every pool without a result, for these reasons; return the ids of those that are to be
    paid. The creator's notification shows the note.

    Pools in their dispute windows are left to them. If the event was never published, no money moves. Raises
    `EventNotFound`, `Forbidden` (where only an admin may, too: `may_cancel`), `InvalidState` for an event that is
    resolved or cancelled.
    """
    managed_event(tx, event_id, caller)
    caller = require_live_session(tx, caller)
    pools = lock_pools_of_event(tx, event_id)
    # Its status changes under the locks of its pools: this is the newest.
    event = load_events(tx, [event_id])[event_id]
    undecided = [pool for pool in pools.values() if not pool.is_decided]
    at_ms = _after_all_trades(tx, undecided)
    if event.status_at(at_ms) in ENDED:
        raise InvalidState("The event is resolved or cancelled.")
    if not may_cancel(event, pools.values(), caller, now_ms=at_ms):
        raise Forbidden(
            "Only an admin may cancel: a rule resolves a pool that has ended, or that you have paused; or a pool with "
            "a dispute window was traded, which you may resolve as void."
        )
    by: DecidedBy = "creator" if caller.user_id == event.creator_id else "admin"
    # Of a draft it is for its creator alone.
    shown = None if event.published_at_ms is None else reasons
    _void(tx, event, undecided, by=by, at_ms=at_ms, caller=caller, reasons=shown)
    _record_cancellation(tx, event, caller, "" if reasons is None else reasons.note, at_ms=at_ms)
    pool_ids = [pool.id for pool in undecided]
    return pool_ids if event.published_at_ms is not None else []


def void_draft(tx: WriteTx, event_id: int) -> None:
    """Cancel an event that was never published, once its creator's account is deleted; no one is notified."""
    pools = lock_pools_of_event(tx, event_id)
    event = load_events(tx, [event_id])[event_id]
    if event.status is EventStatus.NEW:
        _void(tx, event, pools.values(), by="creator", at_ms=now_ms(tx))


def _void(
    tx: WriteTx,
    event: EventRow,
    pools: Collection[PoolRow],
    *,
    by: DecidedBy,
    at_ms: int,
    caller: UserCaller | None = None,
    reasons: Reasons | None = None,
) -> None:
    """Cancel an event with these undecided pools, all locked."""
    decision = Decision(resolution=VOID, at_ms=at_ms, by=by, disputable_until_ms=None)
    pool_ids = [pool.id for pool in pools]
    # A draft whose creator's account is deleted is voided by no one.
    by_id = None if caller is None else caller.user_id
    traded = set() if by_id is None else traded_pools(tx, user_id=by_id, event_id=event.id)
    for pool in pools:
        verdict = verdict_of(decision, by_id=by_id, has_traded=pool.id in traded, reasons=reasons)
        mark_decided(tx, pool, decision, verdict)
    if pool_ids:
        mark_resolved(tx, pool_ids, won_side=VOID.won_side, at_ms=at_ms, paying=event.published_at_ms is not None)
    for pool_id in pool_ids:
        deadlines.drop(tx, pool_id)
        _close_entries(tx, pool_id, at_ms=at_ms)
    update_event(tx, event.id, status=EventStatus.CANCELLED.value, closes_at_ms=None, resolves_at_ms=None)
    if event.published_at_ms is not None:
        store.schedule_payments(tx, pool_ids, due_at_ms=now_ms(tx))
    else:
        attention.close_entry(tx, "suggestion", event_id=event.id, at_ms=at_ms)


def _is_same(pool: PoolRow, present: Resolution, other: Resolution, *, at_ms: int) -> bool:
    """Return whether a resolution is the present one again: in its form, or until it is final by what it pays."""
    return present == other or (not pool.is_resolved(at_ms) and present.pays == other.pays)


def _with_reasons(tx: WriteTx, pool: PoolRow, caller: UserCaller, reasons: Reasons) -> PoolRow:
    """Add to the present verdict of a locked pool what its reasons leave open, by who gave it or an admin."""
    present = pool.verdicts[-1]
    filled = present.filled(reasons)
    if filled == present or not (caller.is_admin or caller.user_id == present.by_id):
        return pool
    write_reasons(tx, pool, filled)
    return load_pools(tx, [pool.id])[pool.id]


def _decide(tx: WriteTx, pools: Mapping[int, PoolRow], pool: PoolRow, decision: Decision, verdict: Verdict) -> None:
    """Write the first decision of a pool of these locked ones; final at once without a dispute window."""
    mark_decided(tx, pool, decision, verdict)
    deadlines.drop(tx, pool.id)
    # With this one, the event may have closed: its creator is to be notified of those that wait to be resolved.
    by_hand = [
        other.id
        for other in pools.values()
        if not other.rule_type.gives_result and not other.is_decided and other.is_over(decision.at_ms)
    ]
    deadlines.hasten(tx, by_hand, at_ms=now_ms(tx))
    _close_entries(tx, pool.id, at_ms=decision.at_ms)
    until_ms = decision.disputable_until_ms
    store.schedule_payments(tx, [pool.id], due_at_ms=now_ms(tx) if until_ms is None else until_ms)
    if until_ms is None:
        _make_final(tx, pools, pool.id, decision)
    else:
        notifying.write_decided(tx, pool, decision, verdict.reasons)
        _update_event(tx, pools, pool.id)


def _close_entries(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """A locked pool needs no person to give it its first result any more."""
    attention.close_entry(tx, "resolution", pool_id=pool_id, at_ms=at_ms)
    attention.close_entry(tx, "overdue", pool_id=pool_id, at_ms=at_ms)


def move(tx: WriteTx, pools: Mapping[int, PricedPool], pool_id: int) -> None:
    """Let what follows from when a result is final follow from when it now is, of one of these locked pools."""
    now = load_priced_pools(tx, [pool_id])[pool_id]
    assert now.disputable_until_ms is not None
    store.reschedule_payment(tx, pool_id, due_at_ms=now.disputable_until_ms)
    _update_event(tx, pools, pool_id)


def _make_final(tx: WriteTx, pools: Mapping[int, PricedPool], pool_id: int, decision: Decision) -> None:
    """Make the decision of one of these locked pools final; the row in `payments` is there."""
    # Where there was a window the end of what held it open, whenever this runs.
    at_ms = decision.at_ms if decision.disputable_until_ms is None else decision.disputable_until_ms
    mark_resolved(tx, [pool_id], won_side=decision.resolution.won_side, at_ms=at_ms, paying=True)
    _update_event(tx, pools, pool_id)
    answers.lapse(tx, pool_id, at_ms=at_ms)


def _update_event(tx: WriteTx, pools: Mapping[int, PricedPool], changed_id: int) -> None:
    """Set the event's times after the change of one of its locked pools; it is resolved with the last of them."""
    now = {**pools, **load_priced_pools(tx, [changed_id])}
    event_id = now[changed_id].event_id
    change: dict[str, Any] = {**event_times(now.values())}
    event = load_events(tx, [event_id])[event_id]
    if event.status is EventStatus.CANCELLED:
        return
    if all(pool.state is PoolState.RESOLVED for pool in now.values()):
        change["status"] = EventStatus.RESOLVED.value
    update_event(tx, event.id, **change)


def _decision(pool: PoolRow, resolution: Resolution, *, by: DecidedBy, at_ms: int) -> Decision:
    until_ms = pool.standing.decided(at_ms).window_ends_ms
    return Decision(resolution=resolution, at_ms=at_ms, by=by, disputable_until_ms=until_ms)


def _check_may_decide(pool: PoolRow, caller: UserCaller) -> None:
    if not caller.is_admin and not may_its_creator(pool):
        raise Forbidden("A rule resolves this pool; only admins may do it by hand.")


def check_moment(published_at_ms: int, void_at_ms: int, *, at_ms: int) -> None:
    """Raise `BadRequest` for a void at a moment before the publication, or ahead of now."""
    if void_at_ms < published_at_ms:
        raise wrong_field("at", "must not lie before the publication")
    if void_at_ms > at_ms:
        raise wrong_field("at", "must not lie ahead of now")


def _managed_pool(tx: ReadTx, pool_id: int, caller: UserCaller) -> tuple[UserCaller, PoolRow]:
    """Return the caller and a pool that they manage; session and roles are read from the database."""
    fresh = require_live_session(tx, caller)
    row = load_pools(tx, [pool_id]).get(pool_id)
    if row is None or not is_visible_to(caller, row):
        raise PoolNotFound
    require_run_by(tx, caller, row, "Only the event's creator and admins may resolve its pools.")
    return fresh, row


def _after_all_trades(tx: ReadTx, pools: Iterable[PricedPool]) -> int:
    """Return the time, but not before the last trade: the clock may have been set back."""
    return max(now_ms(tx), *(pool.last_trade_at_ms or 0 for pool in pools), 0)


def _log_decision(tx: WriteTx, caller: UserCaller, pool: PoolRow, resolution: Resolution, *, at_ms: int) -> None:
    """Log an admin's decision on another user's pool, and every correction."""
    target = f"pool:{pool.id}"
    if pool.decision is not None:
        details = {"from": pool.decision.resolution.stored, "to": resolution.stored}
        admin_log.record(tx, caller, action=payouts.CORRECTED, target=target, details=details, at_ms=at_ms)
        return
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=pool.creator_id,
        action=payouts.RESOLVED,
        target=target,
        details=resolution.stored,
        at_ms=at_ms,
    )


def _record_cancellation(tx: WriteTx, event: EventRow, caller: UserCaller, note: str, *, at_ms: int) -> None:
    if caller.user_id != event.creator_id:
        new = notifications.NewNotifications(event, at_ms=at_ms)
        notifications.record(tx, new.add(event.creator_id, EventCancelled(note=note)))
    followed = EventCancelled(followed=True)
    news.write(tx, event.id, followed, without=[caller.user_id, event.creator_id], at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=event.creator_id,
        action="event.cancel",
        target=f"event:{event.id}",
        details={},
        at_ms=at_ms,
    )
