"""Results that someone objects to, as admins answer them: who objects with how much at stake, and who may answer."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import iso
from foreknow.market.pools.resolutions import Resolution, read_resolution
from foreknow.market.pools.schemas import pool_view
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.settlement import objection_store as store
from foreknow.trading.settlement import objection_views
from foreknow.trading.settlement.authority import impartial_admins, leaves_to_another
from foreknow.trading.settlement.holdings import Held, held_by, paid_to, paid_to_all
from foreknow.trading.settlement.objection_schemas import ObjectedResult, Objection, OpenObjection
from foreknow.trading.settlement.objection_store import ObjectionRow, Past, WaitingResult

#: Objections of a result that are shown with it, the newest; and admins who may answer.
SHOWN_MAX = 20
ADMINS_SHOWN_MAX = 5


def waiting(tx: ReadTx, reader: UserCaller, *, after_id: int, limit: int) -> Sequence[ObjectedResult]:
    """Return the results that someone objects to, those first that have waited longest."""
    found = store.waiting_results(tx, after_id=after_id, limit=limit, at_ms=now_ms(tx))
    pools = load_pools(tx, {one.pool_id for one in found})
    return [_view(tx, one, pools[one.pool_id], reader) for one in found]


def _view(tx: ReadTx, waits: WaitingResult, pool: PoolRow, reader: UserCaller) -> ObjectedResult:
    assert pool.decision is not None
    rows = store.newest_open(tx, pool.id, limit=SHOWN_MAX)
    market_maker = pool.lmsr_at(pool.decision.void_prices)
    result = pool.decision.resolution
    held = held_by(tx, pool, {row.user_id for row in rows})
    decided = paid_to(tx, pool, held, result, market_maker)
    shown = objection_views.views(tx, rows, reader)
    past = store.pasts(tx, rows)
    is_left = leaves_to_another(tx, pool, reader)
    others = impartial_admins(tx, pool)[:ADMINS_SHOWN_MAX] if is_left else []
    people = find_people(tx, others)
    return ObjectedResult(
        id=waits.id,
        event_id=pool.event_id,
        pool=pool_view(pool, now_ms=now_ms(tx)),
        since=iso(waits.since_ms),
        seen=store.newest_id(tx, pool.id, pool.standing.number),
        pays_kopecks=paid_to_all(pool, result, market_maker),
        left_to=[public_user(people[user_id], unhidden=True) for user_id in others] if is_left else None,
        made=reader.user_id == pool.creator_id,
        objections=[
            _open_view(tx, pool, row, view, held=held, decided_kopecks=decided.get(row.user_id, 0), past=past[row.id])
            for row, view in zip(rows, shown, strict=True)
        ],
    )


def _open_view(
    tx: ReadTx, pool: PoolRow, row: ObjectionRow, view: Objection, *, held: Held, decided_kopecks: int, past: Past
) -> OpenObjection:
    own = {user_id: found for user_id, found in held.items() if user_id == row.user_id}
    proposed = _proposed(pool, row)
    market_maker = pool.lmsr()
    return OpenObjection(
        objection=view,
        cost_kopecks=sum(position.cost_kopecks for _, position in own.get(row.user_id, ())),
        decided_kopecks=decided_kopecks,
        proposed_kopecks=None if proposed is None else sum(paid_to(tx, pool, own, proposed, market_maker).values()),
        pays_kopecks=None if proposed is None else paid_to_all(pool, proposed, market_maker),
        upheld=past.upheld,
        rejected=past.rejected,
    )


def _proposed(pool: PoolRow, row: ObjectionRow) -> Resolution | None:
    """Return the result that an objection proposes; None for none, and for one that pays the prices of a moment."""
    if row.proposal is None or "at" in row.proposal:
        return None
    return read_resolution(row.proposal, outcomes=len(pool.weights))
