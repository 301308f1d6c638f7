"""Adding liquidity to a pool that trades (docs/pricing.md)."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.terms import Terms
from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.events.publication import check_house_limit
from foreknow.market.events.schemas import B_MAX, B_MIN, LiquidityBody
from foreknow.market.pools.errors import PoolNotFound, PricesMoved
from foreknow.market.pools.liquidity import LiquidityStep, are_prices_near
from foreknow.market.pools.store import PoolRow, PoolState, PricedPool, lock_pools, raise_liquidity
from foreknow.money import ledger
from foreknow.money.ledger import Transfer, TransferKind, house_account
from foreknow.money.pricing import ADDITIONS_MAX
from foreknow.people import admin_log
from foreknow.people.users import require_live_session, require_run_by
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx


def check(body: LiquidityBody) -> None:
    """Raise `BadRequest` for what no pool can have."""
    if not B_MIN <= body.lmsr_b_kopecks <= B_MAX:
        raise wrong_field("lmsr_b_kopecks", f"must be between {B_MIN} and {B_MAX}")
    for index, probability in enumerate(body.probabilities):
        if not 0 <= probability <= 1:
            raise wrong_field(f"probabilities[{index}]", "must be between 0 and 1")


def add_liquidity(tx: WriteTx, pool_id: int, body: LiquidityBody, caller: UserCaller, *, terms: Terms) -> bool:
    """Raise a pool's b to that of a checked body; the house pays the subsidy. False for the present b, which changes
    nothing.

    Prices stay. Raises `PoolNotFound`, `Forbidden`, `InvalidState` for a pool that cannot be traded any more or has a
    larger b, `PricesMoved` and `HouseLimit`.
    """
    require_live_session(tx, caller)
    # Orders lock the pool too: an earlier one is done, a later one meets the new b.
    row = lock_pools(tx, [pool_id]).get(pool_id)
    if row is None or not is_visible_to(caller, row):
        raise PoolNotFound
    require_run_by(tx, caller, row, "Only the event's creator and admins may add liquidity to its pools.")
    if len(body.probabilities) != len(row.markets):
        raise wrong_field("probabilities", "must be as many as the pool's markets")
    at_ms = now_ms(tx)
    _check_state(row, body.lmsr_b_kopecks, at_ms)
    if body.lmsr_b_kopecks == row.b:
        # Without looking at prices: this may be the same request again, after trades.
        return False
    _raise(tx, row, body.lmsr_b_kopecks, body.probabilities, terms=terms, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=row.creator_id,
        action="pool.liquidity",
        target=f"pool:{pool_id}",
        details={"lmsr_b_kopecks": body.lmsr_b_kopecks},
        at_ms=at_ms,
    )
    return True


def _check_state(row: PricedPool, b: int, at_ms: int) -> None:
    if row.state is not PoolState.OPEN or row.is_decided:
        raise InvalidState("Only a published pool without a result can be given liquidity.")
    if row.finish_at_ms is not None and at_ms >= row.finish_at_ms:
        raise InvalidState("The pool is past its finish_at.")
    if b < row.b:
        raise InvalidState(f"Liquidity only grows: lmsr_b_kopecks is {row.b}.")
    if b > row.b and len(row.liquidity) > ADDITIONS_MAX:
        raise InvalidState(f"Liquidity can be added to a pool {ADDITIONS_MAX} times.")


def _raise(
    tx: WriteTx,
    row: PoolRow,
    b: int,
    expected_probabilities: Sequence[float],
    *,
    terms: Terms,
    at_ms: int,
) -> None:
    lmsr = row.lmsr()
    if not are_prices_near(lmsr, expected_probabilities):
        raise PricesMoved
    subsidy_kopecks = lmsr.subsidy_kopecks(b)
    subsidy = Transfer(
        kind=TransferKind.SUBSIDY,
        source=house_account(tx),
        target=row.escrow_account_id,
        amount_kopecks=subsidy_kopecks,
    )
    ledger.post(tx, [subsidy], at_ms=at_ms)
    # After locking the house's account, where publications and additions wait for each other.
    check_house_limit(tx, row.creator_id, subsidy_kopecks, terms)
    step = LiquidityStep(
        at_ms=at_ms,
        b=b,
        subsidy_kopecks=subsidy_kopecks,
        probabilities=lmsr.probabilities(),
        q_yes=lmsr.q_yes,
        q_no=lmsr.q_no,
        trades=row.trade_count,
    )
    raise_liquidity(tx, row, step)
