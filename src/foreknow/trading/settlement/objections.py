"""Objections: who may object to a result, what that holds, and confirming a result in spite of them.

All of it under the locks of the event's pools. What may follow what, and when, says `market/pools/standing.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.errors import BadRequest, DomainError, Forbidden, InvalidState, RateLimited, Unauthorized
from foreknow.kernel.terms import Terms
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.service import visible_pool
from foreknow.market.pools.standing import VerdictStage
from foreknow.market.pools.store import PoolRow, load_pools, lock_with_siblings, write_standing
from foreknow.people import admin_log, attention
from foreknow.people.users import require_live_session
from foreknow.people.users.store import lock_person
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.partner.keys import require_live_key
from foreknow.trading.settlement import answers, notifying, objection_store, service
from foreknow.trading.settlement.authority import check_impartial
from foreknow.trading.settlement.objection_store import ObjectionRow, Objector
from foreknow.trading.settlement.resolve_body import ResolveBody, named_outcome, resolution_for
from foreknow.trading.settlement.service import AlreadyResolved

#: Objections that one makes in 24 hours.
OBJECTIONS_MAX = 20
#: At 3 rejected ones in 90 days, and none upheld since, new ones hold nothing.
REJECTED_MAX, REJECTED_MS = 3, 90 * DAY_MS


class ObjectionsOff(DomainError):
    code = "objections_off"
    status = 409
    message = "Here no one objects to results."


class ObjectionNotFound(DomainError):
    code = "objection_not_found"
    status = 404
    message = "There is no objection with this id."


class InvalidObjectionId(DomainError):
    code = "invalid_objection_id"
    status = 400
    message = "An objection id is a whole number from 1."


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedObjection:
    """An objection that a checked body asks for."""

    verdict: int
    reason: str
    source_url: str
    proposal: ResolveBody | None


def object_to(
    tx: WriteTx, pool_id: int, wanted: WantedObjection, caller: UserCaller, *, terms: Terms
) -> tuple[ObjectionRow, bool]:
    """Object to a pool's result; return the objection, and whether it is new: one has one a result.

    Raises, in this order, `PoolNotFound`, `Forbidden` for who held nothing, `ObjectionsOff`, `InvalidState`,
    `BadRequest` for the proposal, and `RateLimited`.
    """
    visible_pool(tx, pool_id, caller)
    pools = lock_with_siblings(tx, pool_id)
    # Deactivating and deleting lock the person, too: none crosses this.
    if not lock_person(tx, caller.user_id).is_active:
        raise Unauthorized
    require_live_session(tx, caller)
    return _object(tx, pools, pool_id, wanted, Objector(caller.user_id), terms=terms)


def object_for(
    tx: WriteTx, pool_id: int, wanted: WantedObjection, caller: PartnerCaller, external_user_id: str, *, terms: Terms
) -> tuple[ObjectionRow, bool]:
    """Object to a pool's result for a partner's user, likewise; a partner has one a result."""
    require_live_key(tx, caller)
    visible_pool(tx, pool_id, None)
    name = (caller.partner_id, external_user_id)
    user = find_sub_accounts(tx, [name]).get(name)
    if user is None:
        raise _held_nothing()
    pools = lock_with_siblings(tx, pool_id)
    return _object(tx, pools, pool_id, wanted, Objector(user.user_id, caller.partner_id), terms=terms)


def _object(
    tx: WriteTx, pools: dict[int, PoolRow], pool_id: int, wanted: WantedObjection, objector: Objector, *, terms: Terms
) -> tuple[ObjectionRow, bool]:
    pool, at_ms = pools[pool_id], now_ms(tx)
    held = objection_store.held_at_the_end(tx, user_id=objector.user_id, event_id=pool.event_id, pool_id=pool_id)
    if not held:
        raise _held_nothing()
    known = objection_store.first_of(tx, pool_id, wanted.verdict, objector)
    if known is not None:
        return known, False
    if terms.objections == "off":
        raise ObjectionsOff
    if not pool.standing.takes_objections(wanted.verdict, at_ms):
        raise InvalidState("Object to the present result, within its dispute window.")
    proposal = None if wanted.proposal is None else _proposal(pool, wanted.proposal, at_ms=at_ms)
    _check_rate(tx, objector, at_ms=at_ms)
    return _hold(tx, pools, pool, wanted, objector, proposal=proposal, at_ms=at_ms), True


def _hold(
    tx: WriteTx,
    pools: dict[int, PoolRow],
    pool: PoolRow,
    wanted: WantedObjection,
    objector: Objector,
    *,
    proposal: dict[str, Any] | None,
    at_ms: int,
) -> ObjectionRow:
    """Write an objection, and what it holds."""
    before = pool.standing
    rejected = objection_store.rejected_since(tx, objector, since_ms=at_ms - REJECTED_MS)
    holds = not before.is_confirmed and rejected < REJECTED_MAX
    is_first = holds and not objection_store.was_held(tx, pool.id, before.number)
    objection_id = objection_store.insert(
        tx,
        pool_id=pool.id,
        verdict=before.number,
        user_id=objector.user_id,
        partner_id=objector.partner_id,
        reason=wanted.reason,
        source_url=wanted.source_url,
        proposal=proposal,
        holds=holds,
        held_first=is_first,
        state="open",
        created_at_ms=at_ms,
    )
    after = before.objected(holds=holds)
    write_standing(tx, pool, after)
    if holds and not before.holding_objections:
        service.move(tx, pools, pool.id)
    if is_first:
        assert after.final_at_ms is not None
        notifying.write_held(tx, pool, held_until_ms=after.final_at_ms, at_ms=at_ms)
    if not before.is_confirmed:
        attention.open_entry(tx, "objection", reason="objected", event_id=pool.event_id, pool_id=pool.id, at_ms=at_ms)
    row = objection_store.find(tx, objection_id)
    assert row is not None
    return row


def confirm(tx: WriteTx, pool_id: int, caller: UserCaller, *, verdict: int, seen: int | None, note: str) -> PoolRow:
    """Confirm a pool's result as an admin: its open objections are rejected, and nothing holds it; return the pool.

    `seen` is the newest objection to it that the admin has read. Raises `PoolNotFound`, `OwnEvent`, `AlreadyResolved`
    for a final result, `InvalidState` for another one or a newer objection.
    """
    admin = require_live_session(tx, caller, AuthLevel.ADMIN)
    visible_pool(tx, pool_id, admin)
    pools = lock_with_siblings(tx, pool_id)
    pool, at_ms = pools[pool_id], now_ms(tx)
    check_impartial(tx, pool, admin)
    standing = pool.standing
    if standing.number == verdict and standing.is_confirmed:
        return pool
    if standing.is_final(at_ms):
        raise AlreadyResolved("The result is final.")
    if standing.stage(at_ms) is VerdictStage.UNDECIDED or standing.number != verdict:
        raise InvalidState("The pool has another result, or none: read it again.")
    if objection_store.newest_id(tx, pool_id, verdict) != seen:
        raise InvalidState("There is a newer objection: read it first.")
    answers.reject_all(tx, pool, note=note, at_ms=at_ms)
    write_standing(tx, pool, standing.confirmed(at_ms))
    service.move(tx, pools, pool_id)
    details = {"verdict": verdict, "note": note}
    admin_log.record(tx, admin, action="pool.confirm", target=f"pool:{pool_id}", details=details, at_ms=at_ms)
    service.finalize(tx, pool_id)
    return load_pools(tx, [pool_id])[pool_id]


def release_all_of(tx: WriteTx, user_id: int) -> None:
    """Let what a person objects to be held by others alone: their account is deleted or inactive.

    Locks the pools: before any other lock where that is possible.
    """
    for pool_id in sorted(objection_store.pools_held_by(tx, user_id)):
        pools = lock_with_siblings(tx, pool_id)
        pool, at_ms = pools[pool_id], now_ms(tx)
        count = objection_store.release(tx, pool_id, user_id)
        standing = pool.standing
        if standing.stage(at_ms) is not VerdictStage.HELD:
            continue
        after = standing.released(min(count, standing.holding_objections), at_ms)
        write_standing(tx, pool, after)
        if after.final_at_ms != standing.final_at_ms:
            service.move(tx, pools, pool_id)


def _proposal(pool: PoolRow, body: ResolveBody, *, at_ms: int) -> dict[str, Any]:
    """Return what is stored of a checked proposal: what it would pay; `BadRequest`."""
    if body.outcomes is not None and body.outcomes != len(pool.markets):
        raise wrong_field("proposal.outcomes", f"must be {len(pool.markets)}, the number of the pool's outcomes")
    try:
        resolution = resolution_for(named_outcome(body, pool), outcomes=len(pool.weights))
        if body.void_at_ms is not None and pool.published_at_ms is not None:
            service.check_moment(pool.published_at_ms, body.void_at_ms, at_ms=at_ms)
    except BadRequest as error:
        raise inside_proposal(error) from error
    assert pool.decision is not None
    if resolution.pays == pool.decision.resolution.pays:
        raise wrong_field("proposal", "must not be the present result")
    return dict(resolution.stored)


def inside_proposal(error: BadRequest) -> BadRequest:
    """Return the error of a field of the proposal as one of the objection's body."""
    fields = error.details.get("fields")
    if not fields:
        return wrong_field("proposal", "must be one result that the pool can have")
    ((field, problem),) = fields.items()
    return wrong_field(f"proposal.{field}", problem)


def _check_rate(tx: ReadTx, objector: Objector, *, at_ms: int) -> None:
    oldest_ms = objection_store.oldest_of_last(tx, objector, count=OBJECTIONS_MAX, since_ms=at_ms - DAY_MS)
    if oldest_ms is not None:
        raise RateLimited(retry_after_s=-(-(oldest_ms + DAY_MS - at_ms) // SECOND_MS))


def _held_nothing() -> Forbidden:
    return Forbidden("Only who held shares of the pool when its trading ended may object.")
