"""Traders whose positions of a list's Other are to be turned before their next order there."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.market.pools.store import load_pools, lock_pools
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.state import LockedState
from foreknow.trading.splits.turning import turn_of, unturned_among


def find_unturned(tx: WriteTx, state: LockedState) -> None:
    """Note which traders of a batch hold such positions in its locked pools."""
    turning = [pool_id for pool_id, pool in state.pools.items() if pool.row.turning]
    if not turning:
        return
    traders = {
        *(account.user_id for account in state.ids.accounts.values()),
        *(account.user_id for account in state.ids.sub_accounts.values()),
    }
    for pool in load_pools(tx, turning).values():
        state.unturned.update((user_id, pool.id) for user_id in unturned_among(tx, pool, traders))


def turn_held(tx: WriteTx, pool_id: int, user_ids: Collection[int]) -> None:
    """Turn what some users hold of a list's Other."""
    turn_of(tx, lock_pools(tx, [pool_id])[pool_id], user_ids)
