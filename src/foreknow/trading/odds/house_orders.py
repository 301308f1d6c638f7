"""The house's own trader moves a pool's prices: all its orders of a round in one transaction, as ordinary trades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, expm1, floor, log, log1p
from typing import NamedTuple

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.errors import DomainError
from foreknow.market.pools.store import PricedPool, lock_priced_pools
from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.money.pricing import Lmsr, Side, fee_on_top_kopecks
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.platform.db.bulk import fetch_together
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading import house
from foreknow.trading.desk import store
from foreknow.trading.desk.ahead import Ahead, AheadFetch
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache, MarketPlace
from foreknow.trading.desk.kinds import Buy, Sell
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.orders import Fill
from foreknow.trading.desk.processor import OrderProcessor
from foreknow.trading.desk.state import LockedState
from foreknow.trading.desk.sweeps import sweep_after
from foreknow.trading.effects.turning import unturned_among
from foreknow.trading.house import HouseTrader, Spending
from foreknow.trading.odds.matching import divided
from foreknow.trading.odds.sources.base import SourcePrices
from foreknow.trading.positions.store import OpenPosition, PositionKey, load_open

#: Prices within this of their targets are left as they are; a little over 0.01, which differences of doubles can pass.
TOLERANCE = 0.01 + 1e-12
#: Limits the plans that are priced for one round; fees make more than one necessary.
PLANS_MAX = 12
#: Multiples of b above which e^(x/b) is not computed.
_STEEP = 30.0


class HouseTrade(NamedTuple):
    """One order: a purchase for `stake_kopecks`, fee included, or a sale of `shares`, whichever is not 0."""

    outcome_index: int
    side: Side
    stake_kopecks: int
    shares: int


class HousePlan(NamedTuple):
    """Orders in the order in which they are executed, sales first, and what all of them cost."""

    trades: tuple[HouseTrade, ...]
    #: Stakes less payouts.
    cost_kopecks: int


NOTHING = HousePlan((), 0)


def plan_trades(
    market_maker: Lmsr, *, targets: Sequence[float], holdings: Sequence[int], limit_kopecks: int, margin: float
) -> HousePlan:
    """Return the orders of one round; they cost at most `limit_kopecks` (0 or more).

    `targets` sum to 1 and are above 0; `holdings` are the account's shares. Both have one entry per outcome, the
    implicit other one of a single-market pool included.
    """
    prices = _prices(market_maker)
    if min(prices) <= 0.0 or all(abs(t - p) <= TOLERANCE for p, t in zip(prices, targets, strict=True)):
        return NOTHING
    moves = [market_maker.b * log(t / p) for p, t in zip(prices, targets, strict=True)]
    # Each order may cost one kopeck and the price of one share more than its part of the plan.
    limit = max(0, limit_kopecks - 2 * len(prices))
    part = min([1.0, *((limit + h) / -move for move, h in zip(moves, holdings, strict=True) if move < 0.0)])
    low, high = 0.0, part
    best = NOTHING
    for _ in range(PLANS_MAX):
        plan = _plan(market_maker, [part * move for move in moves], holdings, margin)
        if plan is not None and plan.cost_kopecks <= limit_kopecks:
            low, best = part, plan
            if part == high:
                break
        else:
            high = part
        part = (low + high) / 2
    return best


def _prices(market_maker: Lmsr) -> tuple[float, ...]:
    prices = market_maker.probabilities()
    return prices if len(prices) > 1 else (prices[0], 1.0 - prices[0])


def _plan(market_maker: Lmsr, moves: Sequence[float], holdings: Sequence[int], margin: float) -> HousePlan | None:
    """Return the orders that move each outcome by `moves` shares and a constant; None beyond the market's limit."""
    constant = max(-h - move for move, h in zip(moves, holdings, strict=True))
    changes = [floor(move + constant) if move + constant > 0 else -floor(-move - constant) for move in moves]
    trades: list[HouseTrade] = []
    cost_kopecks = 0
    for outcome, change in enumerate(changes):
        index, side = _share(market_maker, outcome)
        # In floats, the shares sold of the outcome that decides the constant may be off by one.
        shares = min(-change, holdings[outcome])
        payout = market_maker.sale_payout_kopecks(index, side, shares)
        if payout > 0:
            market_maker = market_maker.traded(index, side, -shares)
            trades.append(HouseTrade(index, side, 0, shares))
            cost_kopecks -= payout
    for outcome, change in enumerate(changes):
        index, side = _share(market_maker, outcome)
        money = _money_for(market_maker, index, side, change)
        shares = market_maker.shares_bought(index, side, money)
        if shares > 0:
            stake = money + fee_on_top_kopecks(cost_kopecks=money, margin=margin)
            market_maker = market_maker.traded(index, side, shares)
            trades.append(HouseTrade(index, side, stake, 0))
            cost_kopecks += stake
    return HousePlan(tuple(trades), cost_kopecks) if market_maker.within_limit() else None


def _share(market_maker: Lmsr, outcome: int) -> tuple[int, Side]:
    """Return market and side of the shares of an outcome: the second one of a single market is its NO."""
    return (0, Side.NO) if outcome == len(market_maker.q_yes) else (outcome, Side.YES)


def _money_for(market_maker: Lmsr, index: int, side: Side, shares: int) -> int:
    """Return the most kopecks that buy at most `shares`; 0 where one kopeck buys more."""
    if shares < 1:
        return 0
    price = market_maker.probability(index)
    if side is Side.NO:
        price = 1.0 - price
    steep = shares / market_maker.b
    if steep < _STEEP:
        estimate = floor(market_maker.b * log1p(price * expm1(steep)))
    else:
        estimate = shares + floor(market_maker.b * log(price + (1.0 - price) * exp(-steep)))
    for money in range(estimate + 1, max(0, estimate - 2), -1):
        if market_maker.shares_bought(index, side, money) <= shares:
            return money
    return 0


#: Stands for the trader's session, which it needs none of.
_NO_SESSION = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most that the trader spends, stakes less payouts: a round, on a pool, and in all pools in a UTC day."""

    step_kopecks: int
    pool_kopecks: int
    day_kopecks: int

    def left_kopecks(self, *, on_pool: int, in_day: int) -> int:
        """Return what a round may spend after what was spent before; 0 over a bound that was lowered since."""
        return max(0, min(self.step_kopecks, self.pool_kopecks - on_pool, self.day_kopecks - in_day))


class HouseOrderFailed(Exception):
    """An order of a plan was not executed as planned; nothing of the round is written."""


def trade(tx: WriteTx, pool_id: int, source_prices: SourcePrices, *, trader: HouseTrader, budget: Budget) -> bool:
    """Move a pool's prices towards its source's; return whether anything was traded."""
    pool = lock_priced_pools(tx, [pool_id])[pool_id]
    with LedgerTransaction(tx) as ledger_tx:
        capital = house_account(tx)
        ledger_tx.lock([capital, trader.account_id, pool.escrow_account_id, pool.fees_account_id])
        at_ms = now_ms(tx)
        if not source_prices.is_fresh(at_ms) or pool.trading_error(at_ms) is not None:
            return False
        if len(source_prices.prices) != len(pool.weights):
            # A list has grown since they were compared.
            return False
        if unturned_among(tx, [pool], [trader.user_id]):
            # A later round trades, once its own position is turned.
            return False
        spending = house.spending_of(tx, [pool_id])[pool_id]
        state = _locked_state(tx, pool, trader, at_ms)
        # The day of its trades' `created_at`. Who holds the lock of its account sees what all others have spent.
        day = state.pools[pool_id].at_ms // DAY_MS
        plan = plan_trades(
            state.pools[pool_id].market_maker,
            targets=divided(source_prices.prices),
            holdings=_holdings(pool, state.positions, trader),
            # Where nothing is left, only what sales bring is spent.
            limit_kopecks=budget.left_kopecks(on_pool=spending.spent_kopecks, in_day=house.spent_in_day(tx, day)),
            margin=pool.margin,
        )
        if not plan.trades:
            return False
        if plan.cost_kopecks > 0:
            ledger_tx.transfer(
                _transfer(TransferKind.ODDS_FUNDING, capital, trader.account_id, kopecks=plan.cost_kopecks)
            )
        ahead = AheadFetch(len(plan.trades), seller_ids=[trader.user_id], partner_ids=[])
        fetch_together(tx, ahead.fetches)
        processor = OrderProcessor(state, ledger_tx)
        executions = _execute(processor, plan, pool, trader)
        swept = sweep_after(tx, state.pools[pool_id], processor)
        if plan.cost_kopecks < 0:
            ledger_tx.transfer(
                _transfer(TransferKind.ODDS_RETURN, trader.account_id, capital, kopecks=-plan.cost_kopecks)
            )
        drawn = ahead.result
        trades = store.number_trades(tx, executions, drawn, ledger_tx, swept)
        store.number_positions(tx, trades, drawn)
        store.write_batch(tx, trades, ledger_tx, drawn, processor.floor.resting, at_ms=at_ms)
        house.spend_in_day(tx, day, plan.cost_kopecks)
        house.write_spending(tx, pool_id, _spending_after(spending, plan, executions))
        # Last: transactions of other pools lock these rows too.
        stats.record_trades(tx, store.trade_stats(trades), counts_traders=False)
    return True


def _locked_state(tx: WriteTx, pool: PricedPool, trader: HouseTrader, at_ms: int) -> LockedState:
    accounts = (pool.escrow_account_id, pool.fees_account_id)
    markets = {market.id: MarketPlace(pool.id, market.outcome_index, *accounts) for market in pool.markets}
    keys = {(trader.user_id, market_id, side.value) for market_id in markets for side in Side}
    return LockedState(
        now_ms=at_ms,
        ids=IdCache(markets=markets, accounts={trader.user_id: SubAccount(trader.user_id, trader.account_id)}),
        pools={pool.id: TradedPool.of(pool, at_ms)},
        positions=load_open(tx, keys),
        records={},
        live_session_ids={_NO_SESSION},
        live_key_ids=set(),
        ahead=Ahead([], [], {}, set()),
    )


def _holdings(pool: PricedPool, positions: Mapping[PositionKey, OpenPosition], trader: HouseTrader) -> list[int]:
    """Return the trader's shares of each outcome: NO of a single market counts as its other outcome."""

    def shares(market_id: int, side: Side) -> int:
        position = positions.get((trader.user_id, market_id, side.value))
        return position.shares if position else 0

    yes = [shares(market.id, Side.YES) for market in pool.markets]
    return yes if len(yes) > 1 else [*yes, shares(pool.markets[0].id, Side.NO)]


def _execute(processor: OrderProcessor, plan: HousePlan, pool: PricedPool, trader: HouseTrader) -> list[Fill]:
    """Execute a plan; `HouseOrderFailed` where that costs anything else than planned."""
    executions: list[Fill] = []
    cost_kopecks = 0
    for planned in plan.trades:
        result = processor.process(_order(planned, pool, trader))
        if not isinstance(result, Fill):
            raise HouseOrderFailed(result.code if isinstance(result, DomainError) else repr(result))
        executions.append(result)
        money_kopecks = result.trade.money_kopecks
        cost_kopecks += money_kopecks if planned.stake_kopecks else -money_kopecks
    if cost_kopecks != plan.cost_kopecks:
        raise HouseOrderFailed(f"it would have cost {cost_kopecks} kopecks instead of {plan.cost_kopecks}")
    processor.check_escrows(executions)
    return executions


def _order(planned: HouseTrade, pool: PricedPool, trader: HouseTrader) -> OrderKind:
    caller = UserCaller(trader.user_id, _NO_SESSION, False, False, False, False)
    market_id = pool.markets[planned.outcome_index].id
    if planned.stake_kopecks:
        return Buy(caller=caller, market_id=market_id, side=planned.side, stake_kopecks=planned.stake_kopecks)
    return Sell(caller=caller, market_id=market_id, side=planned.side, shares=planned.shares)


def _spending_after(before: Spending, plan: HousePlan, executions: Sequence[Fill]) -> Spending:
    """Return what is spent afterwards; a position that was sold as a whole is open no more."""
    positions = [execution.trade.position for execution in executions]
    traded = {position.id: position for position in positions}
    is_open = {position_id: position.closed_at_ms is None for position_id, position in traded.items()}
    position_ids = [position_id for position_id in dict.fromkeys([*before.position_ids, *traded]) if position_id]
    return Spending(
        before.spent_kopecks + plan.cost_kopecks,
        tuple(position_id for position_id in position_ids if is_open.get(position_id, True)),
    )


def _transfer(kind: TransferKind, source: int, target: int, *, kopecks: int) -> Transfer:
    return Transfer(kind=kind, source=source, target=target, amount_kopecks=kopecks)
