"""What a limit order holds, takes and meets, and which order is executed at all: in memory."""

from __future__ import annotations

import pytest

from foreknow.kernel.errors import BadRequest, BalanceLimit, DomainError, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.trading.desk.errors import (
    Unturned,
)
from foreknow.trading.desk.kinds import PlaceLimit
from foreknow.trading.desk.orders import Executed
from foreknow.trading.desk.processor import InsolventPool, OrderProcessor
from foreknow.trading.limit_orders.order import TooManyOrders, Unfilled, WouldTrade
from foreknow.trading.limit_orders.store import OPEN_MAX
from tests.trading.book.orders import EVEN
from tests.trading.desk.floors import (
    ANN,
    BEN,
    ESCROW,
    FEES,
    FLOAT,
    NO,
    NOW_MS,
    ORDERS,
    POOL,
    YES,
    account,
    buy,
    floor_of,
    hold,
    limit,
    market,
    money,
    of_partner,
    pool_row,
    user,
)


def test_an_order_that_expires_now_is_refused_and_one_that_does_a_millisecond_later_rests() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000}, orders_kopecks=0)
    with pytest.raises(BadRequest):
        limit(10, 40, expires_at_ms=NOW_MS).execute(floor)
    placed = limit(10, 40, expires_at_ms=NOW_MS + 1).execute(floor)
    assert (placed.row.id, placed.row.status, placed.trade, placed.balance_kopecks) == (501, "open", None, 600)
    assert floor.state.new_order_ids == [502, 503]
    assert floor.ledger_tx.balance_kopecks(ORDERS) == 400
    assert floor.state.pools[POOL].opened_orders == 1


@pytest.mark.parametrize(("kopecks", "passes"), [(400, True), (399, False)])
def test_what_rests_is_paid_when_it_is_placed(kopecks: int, passes: bool) -> None:
    floor = floor_of(pool_row(), {ANN: kopecks}, orders_kopecks=0)
    if passes:
        assert limit(10, 40).execute(floor).balance_kopecks == 0
    else:
        with pytest.raises(InsufficientFunds) as refusal:
            limit(10, 40).execute(floor)
        assert refusal.value.details == {"required": 400, "available": 399}


@pytest.mark.parametrize("over", [0, 1])
def test_a_pools_orders_hold_money_up_to_the_limit_of_a_balance(over: int) -> None:
    floor = floor_of(pool_row(), {ANN: 400}, orders_kopecks=AMOUNT_MAX - 400 + over)
    if over:
        with pytest.raises(BalanceLimit):
            limit(10, 40).execute(floor)
    else:
        assert limit(10, 40).execute(floor).row.is_open


def test_two_hundred_orders_may_be_open_and_what_does_not_rest_is_not_counted() -> None:
    floor = floor_of(pool_row(), {ANN: 10_000}, orders_kopecks=0)
    floor.state.open_orders[ANN, POOL] = OPEN_MAX - 1
    assert limit(1, 40).execute(floor).row.is_open
    assert floor.state.open_orders == {(ANN, POOL): OPEN_MAX}
    with pytest.raises(TooManyOrders):
        limit(1, 40).execute(floor)
    assert limit(1, 60, time_in_force="ioc").execute(floor).row.status == "filled"


def test_an_order_that_may_only_rest_or_only_fill_whole_is_refused_where_it_would_do_else() -> None:
    floor = floor_of(pool_row(), {ANN: 100_000}, orders_kopecks=0)
    for order, refusal in (
        (limit(1, 60, post_only=True), WouldTrade),
        (limit(1_000, 60, time_in_force="fok"), Unfilled),
        (limit(1, 40, time_in_force="ioc"), Unfilled),
        (limit(1, 40, time_in_force="fok"), Unfilled),
    ):
        with pytest.raises(refusal):
            order.execute(floor)
    assert money(floor)[account(ANN)] == 100_000
    assert limit(1, 40, post_only=True).execute(floor).row.status == "open"
    assert limit(10, 60, time_in_force="fok").execute(floor).row.status == "filled"
    part = limit(1_000, 60, time_in_force="ioc").execute(floor).row
    assert (part.status, part.reason) == ("cancelled", "ioc")


def test_a_limit_order_pays_cost_fee_and_hold_and_its_fee_is_of_what_it_took() -> None:
    floor = floor_of(pool_row(margin=0.1), {ANN: 1_000_000}, orders_kopecks=0)
    cost = EVEN.cost_kopecks(0, YES, 4_000)
    placed = limit(50, 60).execute(floor)
    assert placed.trade is not None
    fee = placed.trade.fee_kopecks
    assert (placed.row.filled_shares, placed.trade.money_kopecks) == (4_000, cost + fee)
    assert (placed.row.fee_kopecks, placed.row.amount_kopecks) == (fee, cost + fee)
    assert fee == -(-cost // 9)
    assert money(floor) == {
        account(ANN): 1_000_000 - cost - fee - 10 * 60,
        ESCROW: 10_000_000 + cost,
        FEES: fee,
        FLOAT: 0,
        ORDERS: 600,
    }


def test_who_meets_a_resting_order_pays_its_price_and_it_is_filled() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000, BEN: 10_000}, orders_kopecks=0)
    hold(floor, BEN, 0, 1_000)
    resting = limit(10, 50, user_id=BEN, is_buy=False).execute(floor).row
    assert (resting.status, floor.state.positions[BEN, market(0), "YES"].reserved_shares) == ("open", 1_000)
    placed = limit(10, 50).execute(floor)
    assert placed.trade is not None
    assert (placed.trade.money_kopecks, placed.balance_kopecks, placed.row.status) == (500, 500, "filled")
    (fill,) = placed.fills
    assert (fill.user_id, fill.is_maker, fill.shares, fill.money_kopecks, fill.closes) == (BEN, True, 1_000, 500, True)
    assert floor.ledger_tx.balance_kopecks(ORDERS) == 500
    (due,) = floor.resting.dues()
    assert (due.order_id, due.pnl_kopecks, due.closes, due.completes) == (501, 0, True, True)
    assert floor.state.pools[POOL].opened_orders == 0
    assert floor.resting.owes


def test_own_orders_give_back_what_they_hold_before_a_purchase_is_paid() -> None:
    floor = floor_of(pool_row(), {ANN: 600}, orders_kopecks=0)
    held = PlaceLimit(caller=user(ANN), market_id=market(0), side=NO, is_buy=True, shares=1_000, price_bps=5_000)
    assert held.execute(floor).balance_kopecks == 100
    fill = buy(600).execute(floor)
    assert (fill.balance_kopecks, floor.ledger_tx.balance_kopecks(ORDERS)) == (0, 0)
    row = floor.resting.new[501]
    assert (row.status, row.reason, row.owed_kopecks) == ("cancelled", "self_trade", 0)
    assert not floor.resting.owes


# An order's own orders


@pytest.mark.parametrize("lots", [10, 11])
def test_what_own_orders_give_back_leaves_the_pools_account_first(lots: int) -> None:
    floor = floor_of(pool_row(), {ANN: 2_000}, orders_kopecks=AMOUNT_MAX - 500)
    held = PlaceLimit(caller=user(ANN), market_id=market(0), side=NO, is_buy=True, shares=1_000, price_bps=5_000)
    assert held.execute(floor).row.is_open
    assert floor.ledger_tx.balance_kopecks(ORDERS) == AMOUNT_MAX
    if lots == 10:
        assert limit(lots, 50).execute(floor).row.held_kopecks == 500
        assert floor.ledger_tx.balance_kopecks(ORDERS) == AMOUNT_MAX
    else:
        with pytest.raises(BalanceLimit):
            limit(lots, 50).execute(floor)


# One order after the other


def test_only_who_is_still_signed_in_and_turned_is_executed() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000, BEN: 1_000})
    processor = OrderProcessor(floor.state, floor.ledger_tx)
    floor.state.live_session_ids.remove(BEN)
    floor.state.unturned.add((BEN, POOL))
    refusal = processor.process(buy(100, user_id=BEN))
    assert isinstance(refusal, DomainError)
    assert refusal.code == "unauthorized"
    assert isinstance(processor.process(buy(100)), Executed)
    floor.state.live_session_ids.add(BEN)
    assert isinstance(processor.process(buy(100, user_id=BEN)), Unturned)
    floor.state.live_key_ids.clear()
    refusal = processor.process(of_partner(100))
    assert isinstance(refusal, DomainError)
    assert refusal.code == "invalid_partner_key"
    assert processor.trades == 1


def test_an_escrow_that_pays_the_worst_outcome_to_the_kopeck_is_enough() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000}, escrow_kopecks=0)
    processor = OrderProcessor(floor.state, floor.ledger_tx)
    executed = processor.process(buy(1_000))
    assert isinstance(executed, Executed)
    liabilities = executed.pool.market_maker.liabilities_kopecks()
    for lacking in (0, 1):
        floor.ledger_tx.hold([(ESCROW, "escrow", liabilities - lacking, None)])
        if lacking:
            with pytest.raises(InsolventPool):
                processor.check_escrows([executed])
        else:
            processor.check_escrows([executed])
