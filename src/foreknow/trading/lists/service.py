"""Who may split a list and when, and what follows at once; turning positions comes after (`worker`).

A split locks all pools of its event, whose markets are counted together, then the house's account, and no holder's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sqlalchemy as sa

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.ownership import is_visible_to
from foreknow.kernel.errors import InvalidState
from foreknow.kernel.terms import Terms
from foreknow.kernel.text import fold
from foreknow.market.events.publication import check_house_limit
from foreknow.market.events.schemas import EVENT_MARKETS_MAX
from foreknow.market.markets.store import insert_market
from foreknow.market.pools.errors import OutcomeNameTaken, PoolNotFound, PriceMoved
from foreknow.market.pools.liquidity import TOLERANCE
from foreknow.market.pools.shapes.base import MARKETS_MAX
from foreknow.market.pools.splits import SplitStep
from foreknow.market.pools.store import PoolRow, PoolState, load_pools, lock_pools_of_event, write_split
from foreknow.money import ledger
from foreknow.money.ledger import Transfer, TransferKind, house_account
from foreknow.money.pricing import other_bound_kopecks, split, split_subsidy_kopecks
from foreknow.people import admin_log
from foreknow.people.follows import news
from foreknow.people.users import require_live_session, require_run_by
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.effects.settling import end_orders_on
from foreknow.trading.lists.schemas import CheckedOutcome
from foreknow.trading.lists.tables import split_turns
from foreknow.trading.positions.store import last_open_id


def add_outcome(
    tx: WriteTx,
    pool_id: int,
    wanted: CheckedOutcome,
    caller: UserCaller,
    *,
    terms: Terms,
) -> bool:
    """Take an outcome out of a list's Other; return whether it is new: the name and share of a split again are not.

    Prices, values and payoffs stay. Raises `PoolNotFound`, `Forbidden`, `InvalidState` for what is no list or cannot be
    split (any more, or yet), `OutcomeNameTaken`, `PriceMoved` and `HouseLimit`.
    """
    require_live_session(tx, caller)
    found = load_pools(tx, [pool_id]).get(pool_id)
    if found is None or not is_visible_to(caller, found):
        raise PoolNotFound
    require_run_by(tx, caller, found, "Only the event's creator and admins may add outcomes to its lists.")
    pools = lock_pools_of_event(tx, found.event_id)
    pool = pools[pool_id]
    if any((one.name, one.share_percent) == (wanted.name, wanted.share_percent) for one in pool.splits):
        return False
    # Not before its last trade, should the clock have been set back.
    at_ms = max(now_ms(tx), pool.last_trade_at_ms or 0)
    _check_state(pool, pools, at_ms)
    if fold(wanted.name) in {fold(market.name) for market in pool.markets}:
        raise OutcomeNameTaken
    _split(tx, pool, wanted, terms=terms, at_ms=at_ms)
    admin_log.record_intervention(
        tx,
        caller,
        owner_id=pool.creator_id,
        action="pool.outcome",
        target=f"pool:{pool_id}",
        details={"name": wanted.name, "share": wanted.share_percent / 100},
        at_ms=at_ms,
    )
    return True


def other_bound_of(pool: PoolRow) -> int | None:
    """Return the most the house can lose on a list if Other wins, each part of it rounded up; None of other pools."""
    if pool.other_index is None:
        return None
    steps = pool.liquidity_steps()
    return other_bound_kopecks(
        pool.lmsr(),
        other=pool.other_index,
        counts=[len(step.q_yes) for step in steps] or [len(pool.markets)],
        splits=[one.terms for one in pool.splits],
    )


def is_turning(tx: ReadTx, pool_id: int) -> bool:
    """Return whether positions of a list are still to be turned."""
    pool = load_pools(tx, [pool_id]).get(pool_id)
    return pool is not None and pool.turning


def may_split(pool: PoolRow, pools: Collection[PoolRow], at_ms: int) -> bool:
    """Return whether an outcome may be taken out of a pool of these, an event's, at `at_ms`."""
    return _problem(pool, pools, at_ms) is None


def _check_state(pool: PoolRow, pools: Mapping[int, PoolRow], at_ms: int) -> None:
    problem = _problem(pool, pools.values(), at_ms)
    if problem is not None:
        raise InvalidState(problem)


def _problem(pool: PoolRow, pools: Collection[PoolRow], at_ms: int) -> str | None:
    if pool.other_index is None:
        return "Outcomes are added to lists alone."
    if pool.state is not PoolState.OPEN or pool.is_decided:
        return "Outcomes are added to a published list without a result."
    if pool.is_over(at_ms):
        return "The list is past its finish_at."
    if len(pool.markets) >= MARKETS_MAX:
        return f"The list has {MARKETS_MAX} outcomes."
    if sum(len(one.markets) for one in pools) >= EVENT_MARKETS_MAX:
        return f"The event has {EVENT_MARKETS_MAX} markets."
    if pool.turning:
        return "Positions are still being turned after the last outcome was added. Try again in a moment."
    return None


def _split(tx: WriteTx, pool: PoolRow, wanted: CheckedOutcome, *, terms: Terms, at_ms: int) -> None:
    other = pool.other_index
    assert other is not None
    before = pool.lmsr()
    after = split(before, other=other, percent=wanted.share_percent)
    new = len(pool.markets)
    if not after.is_price_within(new, wanted.probability - TOLERANCE, wanted.probability + TOLERANCE):
        raise PriceMoved
    bound_kopecks = other_bound_of(pool)
    assert bound_kopecks is not None
    subsidy_kopecks = split_subsidy_kopecks(
        other_bound_kopecks=bound_kopecks,
        b=pool.b,
        percent=wanted.share_percent,
        paid_kopecks=pool.loss_bound_kopecks,
    )
    if subsidy_kopecks:
        _pay(tx, pool, subsidy_kopecks, terms=terms, at_ms=at_ms)
    probability = after.probability(new)
    other_id = pool.markets[other].id
    end_orders_on(tx, pool, other_id, at_ms=at_ms)
    market_id = insert_market(
        tx,
        pool_id=pool.id,
        event_id=pool.event_id,
        outcome_index=new,
        name=wanted.name,
        probability=probability,
        q_yes=after.q_yes[new],
    )
    last_position_id = last_open_id(tx, other_id)
    step = SplitStep(
        at_ms=at_ms,
        outcome_index=new,
        market_id=market_id,
        share_percent=wanted.share_percent,
        name=wanted.name,
        name_ru=wanted.name_ru,
        b=pool.b,
        subsidy_kopecks=subsidy_kopecks,
        probability=probability,
        q_yes=after.q_yes[new],
        trades=pool.trade_count,
        last_trade_id=_last_trade_id(tx, pool),
        last_position_id=last_position_id,
    )
    # For alerts: Other's price is another from now on.
    news.note_prior(tx, pool, after.probabilities(), before=before.probabilities(), at_ms=at_ms)
    write_split(tx, pool, step, weights=after.weights, turning=bool(last_position_id))
    if last_position_id:
        insert_rows(
            tx, split_turns, ("pool_id", "due_at_ms", "last_position_id"), [(pool.id, now_ms(tx), last_position_id)]
        )


def _last_trade_id(tx: ReadTx, pool: PoolRow) -> int:
    of_pool = sa.and_(trades.c.event_id == pool.event_id, trades.c.pool_id == pool.id)
    return tx.execute(sa.select(trades.c.id).where(of_pool).order_by(trades.c.id.desc()).limit(1)).scalar() or 0


def _pay(tx: WriteTx, pool: PoolRow, subsidy_kopecks: int, *, terms: Terms, at_ms: int) -> None:
    subsidy = Transfer(
        kind=TransferKind.SUBSIDY,
        source=house_account(tx),
        target=pool.escrow_account_id,
        amount_kopecks=subsidy_kopecks,
    )
    ledger.post(tx, [subsidy], at_ms=at_ms)
    # After locking the house's account, where publications, additions and splits wait for each other.
    check_house_limit(tx, pool.creator_id, subsidy_kopecks, terms)
