"""Before its first trade, a pool's priors become the prices of its source; orders that rest there follow."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from foreknow.kernel.terms import Terms
from foreknow.market import charts
from foreknow.market.events.publication import check_house_limit
from foreknow.market.pools.store import PoolState, PricedPool, lock_pools, move_prior
from foreknow.money import ledger
from foreknow.money.ledger import Transfer, TransferKind, house_account
from foreknow.money.pricing import Lmsr, loss_bound_kopecks, prior_weights
from foreknow.people.follows import news
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.sweeps import sweep_pool
from foreknow.trading.odds.source_prices import SourcePrices

#: Parts of a prior that is 1.
_WHOLE = 10**12


def weights_of(prices: Sequence[Decimal]) -> tuple[int, ...]:
    """Return prior weights in the ratios of cut prices, one per outcome, divided by their sum.

    Rounded to 12 decimals that sum to 1: so the probabilities that are shown of them say them exactly, and a client
    that knows only those computes the same prices.
    """
    if len(prices) == 1:
        return prior_weights([float(prices[0])])
    total = sum(map(Fraction, prices), start=Fraction(0))
    parts = [round(_WHOLE * Fraction(price) / total) for price in prices]
    parts[parts.index(max(parts))] += _WHOLE - sum(parts)
    return prior_weights([part / _WHOLE for part in parts])


def may_move(pool: PricedPool, at_ms: int) -> bool:
    """Return whether a pool's priors may follow its source at `at_ms`: it is open and nothing has been traded in it.

    Liquidity that was added refers to the prices at that moment: from then on the priors stay.
    """
    is_before_live = pool.live_at_ms is not None and at_ms < pool.live_at_ms
    return (
        pool.state is PoolState.OPEN
        and not pool.trade_count
        and not pool.liquidity
        and not pool.paused
        and not pool.is_decided
        and (is_before_live or pool.trading_error(at_ms) is None)
    )


def follow(tx: WriteTx, pool_id: int, source_prices: SourcePrices, *, terms: Terms) -> bool:
    """Move the priors of a pool to its source's prices; return whether they moved.

    The house pays the difference of the loss bounds into escrow, or gets it back. Raises `HouseLimit` where the sum of
    the creator's open loss bounds would pass the limit of `terms`.
    """
    pool = lock_pools(tx, [pool_id])[pool_id]
    at_ms = now_ms(tx)
    weights = weights_of(source_prices.prices)
    if not source_prices.is_fresh(at_ms) or not may_move(pool, at_ms) or weights == pool.weights:
        return False
    bound_kopecks = loss_bound_kopecks(b=pool.b, weights=weights)
    _transfer(tx, pool, bound_kopecks - pool.loss_bound_kopecks, at_ms=at_ms)
    if bound_kopecks > pool.loss_bound_kopecks:
        # After locking the house's account, as publications do: two that pay cannot both fit under the limit.
        check_house_limit(tx, pool.creator_id, bound_kopecks - pool.loss_bound_kopecks, terms)
    move_prior(tx, pool_id, weights=weights, loss_bound_kopecks=bound_kopecks)
    markets = (0,) * len(pool.markets)
    moved = Lmsr.of(b=pool.b, weights=weights, q_yes=markets, q_no=markets)
    charts.move_prior(tx, pool_id=pool_id, probabilities=moved.probabilities())
    news.note_prior(tx, pool, moved.probabilities(), before=pool.lmsr().probabilities(), at_ms=at_ms)
    sweep_pool(tx, pool_id)
    return True


def _transfer(tx: WriteTx, pool: PricedPool, change_kopecks: int, *, at_ms: int) -> None:
    house, escrow = house_account(tx), pool.escrow_account_id
    if change_kopecks > 0:
        change = Transfer(kind=TransferKind.SUBSIDY, source=house, target=escrow, amount_kopecks=change_kopecks)
    elif change_kopecks < 0:
        change = Transfer(kind=TransferKind.RETURN, source=escrow, target=house, amount_kopecks=-change_kopecks)
    else:
        return
    ledger.post(tx, [change], at_ms=at_ms)
