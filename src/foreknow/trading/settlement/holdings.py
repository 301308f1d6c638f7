"""What people hold in a pool, and what a result pays for it: by the arithmetic of the payment."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.resolutions import Resolution
from foreknow.market.pools.store import PoolRow
from foreknow.money.pricing import Lmsr, Side
from foreknow.platform.db.bulk import fetch_together
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.effects.turning import unturned_shares
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition

#: Of each person all positions that they hold in a pool, each with its market.
Held = dict[int, list[tuple[MarketRow, OpenPosition]]]


def held_by(tx: ReadTx, pool: PoolRow, user_ids: Collection[int]) -> Held:
    """Return what some people hold in a pool."""
    in_pool = {(user_id, pool.id) for user_id in user_ids}
    of_sides = [positions.open_in_pools_fetch(in_pool, side=side.value) for side in Side]
    fetch_together(tx, of_sides)
    markets = {market.id: market for market in pool.markets}
    held: Held = {}
    for positions_of_side in of_sides:
        for position in positions_of_side.result.values():
            held.setdefault(position.user_id, []).append((markets[position.market_id], position))
    return held


def paid_to(tx: ReadTx, pool: PoolRow, held: Held, resolution: Resolution, market_maker: Lmsr) -> dict[int, int]:
    """Return what a result pays each of these people, kopecks."""
    paid = {
        user_id: sum(
            resolution.payout_kopecks(market_maker, market.outcome_index, Side(position.side), position.shares)
            for market, position in own
        )
        for user_id, own in held.items()
    }
    # They are positions of the newest outcome, too, once they are turned.
    for user_id, shares in unturned_shares(tx, pool, held).items():
        paid[user_id] += resolution.payout_kopecks(market_maker, pool.splits[-1].outcome_index, Side.YES, shares)
    return paid


def paid_to_all(pool: PoolRow, resolution: Resolution, market_maker: Lmsr) -> int:
    """Return what a result pays all together, kopecks: each position may be paid less by part of a kopeck."""
    return sum(
        resolution.payout_kopecks(market_maker, market.outcome_index, side, shares)
        for market in pool.markets
        for side, shares in ((Side.YES, market.q_yes), (Side.NO, market.q_no))
    )
