"""Who may give a pool a result, replace or confirm it, and cancel an event."""

from __future__ import annotations

from collections.abc import Iterable

from foreknow.kernel.access.callers import UserCaller
from foreknow.market.events.store import EventRow, EventStatus
from foreknow.market.pools.resolutions import DecidedBy
from foreknow.market.pools.store import PoolRow, PoolState
from foreknow.people.users.store import admin_ids
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.errors import OwnEvent
from foreknow.trading.positions.store import traded_pools

ENDED = frozenset({EventStatus.RESOLVED, EventStatus.CANCELLED})


def may_decide(pool: PoolRow, caller: UserCaller, *, now_ms: int) -> bool:
    """Return whether a caller who runs the pool's event may give it a result by hand now, or another one."""
    if pool.state is PoolState.NEW or pool.is_resolved(now_ms):
        return False
    return caller.is_admin or (not pool.is_decided and may_its_creator(pool))


def may_cancel(event: EventRow, pools: Iterable[PoolRow], caller: UserCaller, *, now_ms: int) -> bool:
    """Return whether a caller who runs an event may cancel it now; `pools` are all of its pools.

    A creator may not where a cancellation could spare them a result: once a rule is to give it, and once they have
    paused a pool that has a rule, so that its last price stayed as it was; and once a pool with a dispute window was
    traded, which a cancellation has not. A draft moves no money.
    """
    if event.status_at(now_ms) in ENDED:
        return False
    if caller.is_admin or event.published_at_ms is None:
        return True
    return not any(_is_left_to_rule(pool, now_ms) or _is_traded_with_window(pool) for pool in pools)


def check_impartial(tx: ReadTx, pool: PoolRow, caller: UserCaller) -> None:
    """Raise `OwnEvent` for who leaves a decided pool to another admin."""
    if leaves_to_another(tx, pool, caller):
        raise OwnEvent("You made this event, or traded in it: another admin must look at it.")


def leaves_to_another(tx: ReadTx, pool: PoolRow, caller: UserCaller) -> bool:
    """Return whether a caller is an admin who made a decided pool or ever traded in it, while another did neither."""
    if not caller.is_admin or not pool.is_decided:
        return False
    return is_involved(tx, pool, caller.user_id) and bool(impartial_admins(tx, pool))


def is_involved(tx: ReadTx, pool: PoolRow, user_id: int) -> bool:
    """Return whether a person made a pool, or ever traded in it."""
    return user_id == pool.creator_id or pool.id in traded_pools(tx, user_id=user_id, event_id=pool.event_id)


def impartial_admins(tx: ReadTx, pool: PoolRow) -> list[int]:
    """Return the active admins who neither made a pool nor ever traded in it."""
    return [user_id for user_id in admin_ids(tx) if not is_involved(tx, pool, user_id)]


def decided_by(pool: PoolRow, caller: UserCaller) -> DecidedBy:
    """Return as what a caller who may decide a pool by hand does."""
    return "creator" if caller.user_id == pool.creator_id and may_its_creator(pool) else "admin"


def may_its_creator(pool: PoolRow) -> bool:
    """Return whether a pool's creator gives its result: a rule does not, or gave none."""
    return not pool.rule_type.gives_result or pool.attention_reason is not None


def _is_left_to_rule(pool: PoolRow, now_ms: int) -> bool:
    if not pool.rule_type.gives_result:
        return False
    return pool.creator_has_paused or (pool.is_over(now_ms) and not pool.is_decided)


def _is_traded_with_window(pool: PoolRow) -> bool:
    return pool.dispute_minutes > 0 and pool.trade_count > 0
