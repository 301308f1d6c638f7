"""A pool and its traders in memory, as a batch has them once they are locked and read. Nothing is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.rows import PoolState, PricedPool
from foreknow.money.ledger import AccountKind, LedgerTransaction
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.ahead import Ahead
from foreknow.trading.desk.floor import Floor
from foreknow.trading.desk.id_cache import IdCache, MarketPlace, PartnerFloat
from foreknow.trading.desk.kinds import Buy, PlaceLimit, Sell
from foreknow.trading.desk.made import TradedPool
from foreknow.trading.desk.resting import BookSource, PoolBook
from foreknow.trading.desk.state import LockedState
from foreknow.trading.positions.store import OpenPosition

NOW_MS = 1_000_000
POOL, EVENT, CREATOR = 1, 5, 90
ESCROW, FEES, ORDERS, FLOAT = 1, 2, 3, 4
ANN, BEN = 11, 12
PARTNER = PartnerCaller(partner_id=7, name="acme", key_id=70)
YES, NO = Side.YES, Side.NO
NO_TX = cast("WriteTx", None)


def user(user_id: int) -> UserCaller:
    return UserCaller(user_id, user_id, False, False, is_stats_viewer=False, is_operator=False)


def market(outcome: int) -> int:
    """The id of a market of the pool."""
    return 100 + outcome


def account(user_id: int) -> int:
    """The account of a trader."""
    return 1_000 + user_id


def pool_row(*, markets: int = 1, margin: float = 0.0, other_index: int | None = None) -> PricedPool:
    """An open pool of even prices, one kopeck of which moves little."""
    return PricedPool(
        id=POOL,
        event_id=EVENT,
        creator_id=CREATOR,
        margin=margin,
        live_at_ms=None,
        finish_at_ms=None,
        b=10_000,
        weights=(1,) * max(markets, 2),
        state=PoolState.OPEN,
        paused=False,
        published_at_ms=0,
        is_decided=False,
        disputable_until_ms=None,
        escrow_account_id=ESCROW,
        fees_account_id=FEES,
        volume_kopecks=0,
        trade_count=0,
        last_trade_at_ms=None,
        liquidity=(),
        markets=tuple(
            MarketRow(market(outcome), POOL, EVENT, outcome, f"{outcome}", 1 / max(markets, 2), 0, 0, 0)
            for outcome in range(markets)
        ),
        other_index=other_index,
    )


def floor_of(
    row: PricedPool,
    balances: Mapping[int, int],
    *,
    float_kopecks: int = 0,
    escrow_kopecks: int = 10_000_000,
    fees_kopecks: int = 0,
    orders_kopecks: int | None = None,
) -> Floor:
    """A floor with one pool and these traders' money; with `orders_kopecks`, limit orders can rest."""
    ledger_tx = LedgerTransaction(NO_TX).__enter__()
    ledger_tx.hold((account(user_id), AccountKind.USER.value, kopecks, None) for user_id, kopecks in balances.items())
    of_pool = [
        (ESCROW, AccountKind.ESCROW.value, escrow_kopecks, None),
        (FEES, AccountKind.FEES.value, fees_kopecks, None),
        (FLOAT, AccountKind.FLOAT.value, float_kopecks, None),
        (ORDERS, AccountKind.ORDERS.value, orders_kopecks or 0, None),
    ]
    ledger_tx.hold(of_pool)
    pool = TradedPool.of(row, NOW_MS)
    state = LockedState(
        now_ms=NOW_MS,
        ids=IdCache(
            markets={one.id: MarketPlace(POOL, one.outcome_index, ESCROW, FEES) for one in row.markets},
            accounts={user_id: SubAccount(user_id, account(user_id)) for user_id in balances},
            partners={PARTNER.partner_id: PartnerFloat(PARTNER.name, FLOAT)},
            sub_accounts={(PARTNER.partner_id, "u"): SubAccount(BEN, account(BEN))} if BEN in balances else {},
        ),
        pools={POOL: pool},
        positions={},
        records={},
        live_session_ids=set(balances),
        live_key_ids={PARTNER.key_id},
        ahead=Ahead([], [], {}, set()),
        new_user_ids=[41, 42],
        new_account_ids=[account(41), account(42)],
        new_order_ids=[501, 502, 503],
    )
    if orders_kopecks is not None:
        pool.orders_account_id = ORDERS
        pool.resting = PoolBook(row, [], BookSource(NO_TX, state.positions, at_ms=NOW_MS), each=9)
    return Floor(state, ledger_tx)


def hold(floor: Floor, user_id: int, outcome: int, shares: int, *, reserved: int = 0) -> OpenPosition:
    """Give a trader shares of YES that were bought for half a kopeck each."""
    position = OpenPosition(
        id=1,
        user_id=user_id,
        market_id=market(outcome),
        pool_id=POOL,
        event_id=EVENT,
        side=Side.YES.value,
        shares=shares,
        cost_kopecks=shares // 2,
        reserved_shares=reserved,
        opened_at_ms=0,
    )
    floor.state.positions[position.key] = position
    return position


def money(floor: Floor) -> dict[int, int]:
    """The balances of the pool, the float and the traders, by account."""
    return dict(floor.ledger_tx._balances)


def buy(
    stake_kopecks: int,
    *,
    user_id: int = ANN,
    side: Side = YES,
    min_shares: int | None = None,
    max_price_bps: int | None = None,
) -> Buy:
    return Buy(
        caller=user(user_id),
        market_id=market(0),
        side=side,
        stake_kopecks=stake_kopecks,
        min_shares=min_shares,
        max_price_bps=max_price_bps,
    )


def of_partner(stake_kopecks: int) -> Buy:
    return Buy(caller=PARTNER, external_user_id="u", market_id=market(0), side=YES, stake_kopecks=stake_kopecks)


def sell(shares: int | None, *, least_kopecks: int | None = None) -> Sell:
    return Sell(caller=user(ANN), market_id=market(0), side=YES, shares=shares, min_payout_kopecks=least_kopecks)


def limit(lots: int, percent: int, *, is_buy: bool = True, user_id: int = ANN, **terms: object) -> PlaceLimit:
    order = PlaceLimit(
        caller=user(user_id), market_id=market(0), side=YES, is_buy=is_buy, shares=100 * lots, price_bps=100 * percent
    )
    return msgspec.structs.replace(order, **terms)
