"""Traders whose positions of a list's Other are to be turned before their next order there."""

from __future__ import annotations

from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.state import LockedState
from foreknow.trading.splits.turning import unturned_among


def find_unturned(tx: WriteTx, state: LockedState) -> None:
    """Note which traders of a batch hold such positions in its locked pools."""
    turning = [pool.row for pool in state.pools.values() if pool.row.turning]
    if not turning:
        return
    traders = {
        *(account.user_id for account in state.ids.accounts.values()),
        *(account.user_id for account in state.ids.sub_accounts.values()),
    }
    state.unturned.update(unturned_among(tx, turning, traders))
