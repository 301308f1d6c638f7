"""What a limit order holds, takes and meets, and which order is executed at all: in memory."""

from __future__ import annotations

import msgspec
import pytest

from foreknow.kernel.errors import BadRequest, BalanceLimit, DomainError, IdempotencyKeyReused, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.market.pools.errors import MarketNotFound
from foreknow.money.ledger import IdempotencyRecord
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Q_LIMIT
from foreknow.platform.db.transactions import Locked
from foreknow.trading.desk.errors import Unturned
from foreknow.trading.desk.kinds import Cancel, PlaceLimit
from foreknow.trading.desk.locks import needs_of
from foreknow.trading.desk.orders import Executed, OrderCancellation
from foreknow.trading.desk.processor import Duplicate, InsolventPool, OrderProcessor, Receipt, response_of
from foreknow.trading.limit_orders.order import LimitOrderRow, TooManyOrders, Unfilled, WouldTrade
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
    sell,
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
        with pytest.raises(InsufficientFunds) as error:
            limit(10, 40).execute(floor)
        assert error.value.details == {"required": 400, "available": 399}


def test_an_order_whose_rest_cannot_be_paid_takes_nothing_either() -> None:
    cost = EVEN.cost_kopecks(0, YES, 4_000)
    floor = floor_of(pool_row(), {ANN: cost + 599}, orders_kopecks=0)
    before = money(floor)
    with pytest.raises(InsufficientFunds) as error:
        limit(50, 60).execute(floor)
    assert error.value.details == {"required": cost + 600, "available": cost + 599}
    assert money(floor) == before
    assert limit(50, 60).execute(floor_of(pool_row(), {ANN: cost + 600}, orders_kopecks=0)).balance_kopecks == 0


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
    for order, error in (
        (limit(1, 60, post_only=True), WouldTrade),
        (limit(1_000, 60, time_in_force="fok"), Unfilled),
        (limit(1, 40, time_in_force="ioc"), Unfilled),
        (limit(1, 40, time_in_force="fok"), Unfilled),
    ):
        with pytest.raises(error):
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


def test_what_own_orders_give_back_does_not_count_against_the_pay_of_a_sale() -> None:
    payout = EVEN.sale_payout_kopecks(0, YES, 1_000)
    floor = floor_of(pool_row(), {ANN: AMOUNT_MAX - payout + 500}, orders_kopecks=0)
    hold(floor, ANN, 0, 1_000)
    assert limit(10, 50).execute(floor).row.is_open
    assert sell(1_000).execute(floor).balance_kopecks == AMOUNT_MAX + 500


def test_the_sweep_after_a_trade_ends_an_order_beyond_the_limit_of_its_token() -> None:
    (one,) = pool_row().markets
    full = msgspec.structs.replace(one, q_yes=Q_LIMIT - 100, q_no=Q_LIMIT)
    row = msgspec.structs.replace(pool_row(), b=10**12, markets=(full,))
    floor = floor_of(row, {ANN: 0, BEN: 0}, orders_kopecks=180, escrow_kopecks=10**15)
    waiting = LimitOrderRow(
        id=7,
        pool_id=POOL,
        market_id=market(0),
        user_id=BEN,
        action="buy",
        side="YES",
        price_bps=9_000,
        shares=200,
        held_kopecks=180,
        created_at_ms=0,
        updated_at_ms=0,
    )
    pool = floor.state.pools[POOL]
    assert pool.resting is not None
    pool.resting.book = pool.resting.book.added(pool.resting.resting_of(waiting))
    pool.resting.add(waiting)
    hold(floor, ANN, 0, 100)
    assert sell(10).execute(floor).fills == []
    assert (waiting.status, waiting.reason, waiting.owed_kopecks) == ("cancelled", "market_limit", 180)
    assert floor.resting.ended == [waiting]
    assert floor.resting.changed == {7: waiting}
    (due,) = floor.resting.dues()
    assert (due.order_id, due.user_id, due.created_at_ms) == (7, BEN, NOW_MS)
    assert floor.resting.owes
    assert pool.opened_orders == -1


@pytest.mark.parametrize("is_buy", [True, False])
def test_what_a_limit_order_needs_is_read_before_it_is_executed(is_buy: bool) -> None:
    floor = floor_of(pool_row(), {ANN: 0}, orders_kopecks=0)
    needs = needs_of([limit(1, 40, is_buy=is_buy), buy(100)], floor.state.ids)
    assert (needs.limit_orders, needs.placing_ids, needs.trading_ids) == (1, {POOL}, {POOL})
    assert needs.resting_traders == {(ANN, POOL)}
    assert needs.seller_ids == (set() if is_buy else {ANN})
    assert needs.accounts == {(POOL, one) for one in (ESCROW, FEES, account(ANN))}
    assert needs.positions == {(ANN, market(0), "YES")}
    assert (needs.pool_ids, needs.session_ids, needs.key_ids, needs.record_keys) == ({POOL}, {ANN}, set(), set())
    needs = needs_of([of_partner(100), msgspec.structs.replace(buy(100), market_id=999)], floor.state.ids)
    assert needs.accounts == {(POOL, one) for one in (ESCROW, FEES, FLOAT)}
    assert (needs.names, needs.key_ids, needs.seller_ids) == ({(7, "u")}, {70}, set())
    assert needs_of([sell(1)], floor.state.ids).seller_ids == {ANN}


# One order after the other


def test_only_who_is_still_signed_in_and_turned_is_executed() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000, BEN: 1_000})
    processor = OrderProcessor(floor.state, floor.ledger_tx)
    floor.state.live_session_ids.remove(BEN)
    floor.state.unturned.add((BEN, POOL))
    error = processor.process(buy(100, user_id=BEN))
    assert isinstance(error, DomainError)
    assert error.code == "unauthorized"
    assert isinstance(processor.process(buy(100)), Executed)
    floor.state.live_session_ids.add(BEN)
    assert isinstance(processor.process(buy(100, user_id=BEN)), Unturned)
    floor.state.live_key_ids.clear()
    error = processor.process(of_partner(100))
    assert isinstance(error, DomainError)
    assert error.code == "invalid_partner_key"
    assert processor.trades == 1


def test_who_only_cancels_waits_for_no_position_to_be_turned() -> None:
    floor = floor_of(pool_row(), {BEN: 0}, orders_kopecks=0)
    floor.state.unturned.add((BEN, POOL))
    order = Cancel(caller=user(BEN), market_id=market(0), order_ids=(7,), owners=())
    cancelled = OrderProcessor(floor.state, floor.ledger_tx).process(order)
    assert isinstance(cancelled, OrderCancellation)
    assert (cancelled.rows, cancelled.float_balance_kopecks) == ([], 0)


def test_a_key_that_comes_twice_in_a_batch_is_executed_once_and_refused_for_another_order() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000})
    processor = OrderProcessor(floor.state, floor.ledger_tx)
    first, again, other = (
        msgspec.structs.replace(buy(100), idempotency_key=IdempotencyKey("ann", "key", fingerprint))
        for fingerprint in ("one", "one", "two")
    )
    executed = processor.process(first)
    assert isinstance(executed, Executed)
    assert processor.process(again) == Duplicate(executed)
    assert isinstance(processor.process(other), IdempotencyKeyReused)
    executed.body = b"{}"
    assert list(processor.new_records().values()) == [IdempotencyRecord("one", 201, b"{}")]
    assert (floor.ledger_tx.balance_kopecks(account(ANN)), processor.trades) == (900, 1)
    assert response_of(Duplicate(executed)) == Receipt(b"{}", replayed=True)
    assert response_of(executed) == Receipt(b"{}")
    assert response_of(IdempotencyRecord("one", 200, b"{}")) == Receipt(b"{}", 200, replayed=True)


def test_an_order_of_a_locked_pool_waits_and_one_of_no_market_does_not() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000})
    processor = OrderProcessor(floor.state, floor.ledger_tx)
    floor.state.skipped_pool_ids = {POOL}
    assert isinstance(processor.process(buy(100)), Locked)
    assert isinstance(processor.process(msgspec.structs.replace(buy(100), market_id=999)), MarketNotFound)
    floor.state.skipped_pool_ids = {2}
    assert isinstance(processor.process(buy(100)), Executed)


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
