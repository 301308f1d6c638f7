"""From whom others' forecasts of a pool, and the crowd, are hidden. Everything that shows one asks here."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.market.pools.hiding import OWN, hiding_of
from foreknow.market.pools.rows import PoolRow, PoolState
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecasts.store import pools_said


def hidden_pools(tx: ReadTx, pools: Collection[PoolRow], user_id: int | None, *, now_ms: int) -> set[int]:
    """Return of which pools forecasts are hidden from a caller, whatever their role; None for who is not signed in."""
    hiding = {pool.id: hiding_of(pool.metadata) for pool in pools if not _shows_all(pool)}
    found = {pool_id for pool_id, by in hiding.items() if isinstance(by, int) and now_ms < by}
    by_own = {pool_id for pool_id, by in hiding.items() if by == OWN}
    return found | (by_own if user_id is None else by_own - pools_said(tx, user_id, by_own))


def is_hidden(tx: ReadTx, pool: PoolRow, user_id: int | None, *, now_ms: int) -> bool:
    """Return whether those of one pool are."""
    return bool(hidden_pools(tx, [pool], user_id, now_ms=now_ms))


def _shows_all(pool: PoolRow) -> bool:
    """Return whether it has or had a result, final or not, or was cancelled."""
    return pool.is_decided or pool.first_verdict_at_ms is not None or pool.state is PoolState.RESOLVED
