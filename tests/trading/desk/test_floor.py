"""What refuses an order and what it moves, to the kopeck, the share and the millisecond: in memory."""

from __future__ import annotations

import msgspec
import pytest

from foreknow.kernel.errors import BadRequest, BalanceLimit, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.market.pools.errors import MarketNotFound, MarketPaused
from foreknow.money.ledger import TransferKind
from foreknow.money.pricing import Q_LIMIT, Lmsr
from foreknow.trading.book import Book
from foreknow.trading.desk.checks import check_limit, check_tradable
from foreknow.trading.desk.errors import (
    AmountTooSmall,
    InsufficientFloat,
    InsufficientShares,
    MarketLimit,
    OutcomesChanged,
    OwnEvent,
    Slippage,
)
from foreknow.trading.desk.kinds import Sell
from foreknow.trading.desk.kinds.bet import price_bet
from foreknow.trading.desk.kinds.sale import price_sale
from tests.trading.book.orders import EVEN
from tests.trading.desk.floors import (
    ANN,
    BEN,
    CREATOR,
    ESCROW,
    FEES,
    FLOAT,
    NO,
    NOW_MS,
    ORDERS,
    PARTNER,
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

# What a pool refuses


def test_no_of_a_lists_other_is_refused_and_no_of_others_is_not() -> None:
    floor = floor_of(pool_row(markets=3, other_index=0), {ANN: 100})
    with pytest.raises(BadRequest):
        buy(100, side=NO).execute(floor)
    with pytest.raises(BadRequest):
        buy(100, side=NO).execute(floor_of(pool_row(markets=3, other_index=0), {ANN: 0}))
    assert buy(100, side=NO).execute(floor_of(pool_row(markets=3, other_index=1), {ANN: 100})).trade.shares
    assert buy(100).execute(floor).trade.shares


def test_a_creator_is_refused_where_creators_may_not_trade_and_others_are_not() -> None:
    row = pool_row()
    with pytest.raises(OwnEvent):
        check_tradable(row, NOW_MS, refused_to=user(CREATOR), outcomes=None)
    check_tradable(row, NOW_MS, refused_to=user(ANN), outcomes=1)
    check_tradable(row, NOW_MS, refused_to=None, outcomes=None)
    for outcomes in (0, 2):
        with pytest.raises(OutcomesChanged):
            check_tradable(row, NOW_MS, refused_to=None, outcomes=outcomes)
    floor = floor_of(row, {CREATOR: 200})
    assert buy(100, user_id=CREATOR).execute(floor).trade.shares
    floor.state.creators_trade = False
    with pytest.raises(OwnEvent):
        buy(100, user_id=CREATOR).execute(floor)


def test_a_pool_that_the_caller_may_not_see_is_not_found() -> None:
    draft = msgspec.structs.replace(pool_row(), published_at_ms=None)
    with pytest.raises(MarketNotFound):
        buy(100).execute(floor_of(draft, {ANN: 100}))
    with pytest.raises(MarketNotFound):
        msgspec.structs.replace(buy(100), market_id=999).execute(floor_of(pool_row(), {ANN: 100}))


def test_every_order_is_refused_where_its_pool_is_paused() -> None:
    floor = floor_of(msgspec.structs.replace(pool_row(), paused=True), {ANN: 1_000}, orders_kopecks=0)
    hold(floor, ANN, 0, 500)
    for order in (buy(100), sell(500), limit(1, 40), limit(1, 60, is_buy=False)):
        with pytest.raises(MarketPaused):
            order.execute(floor)


# The bounds of bets and sales


def test_the_bounds_of_a_bet_hold_to_the_share() -> None:
    bounded = buy(1_000, min_shares=2_000, max_price_bps=5_000)
    bounded._check_slippage(2_000)
    for order in (buy(1_000, min_shares=2_000), buy(1_000, max_price_bps=5_000)):
        order._check_slippage(2_000)
        with pytest.raises(Slippage):
            order._check_slippage(1_999)
    buy(1_000)._check_slippage(1)


@pytest.mark.parametrize("book", [None, Book(1)])
def test_a_kopeck_beside_the_fee_is_enough_for_a_bet_and_nothing_is_not(book: Book | None) -> None:
    priced = price_bet(EVEN, outcome=0, side=YES, margin=0.0, stake_kopecks=1, book=book)
    assert (priced.money_kopecks, priced.fee_kopecks, priced.shares) == (1, 0, 1)
    with pytest.raises(AmountTooSmall):
        price_bet(EVEN, outcome=0, side=YES, margin=0.5, stake_kopecks=1, book=book)


@pytest.mark.parametrize("book", [None, Book(1)])
def test_a_sale_of_a_kopeck_is_enough_and_one_of_less_is_not(book: Book | None) -> None:
    shares = next(n for n in range(1, 10) if EVEN.sale_payout_kopecks(0, YES, n))
    priced = price_sale(EVEN, outcome=0, side=YES, shares=shares, book=book)
    assert (priced.money_kopecks, priced.fee_kopecks, priced.shares) == (1, 0, shares)
    with pytest.raises(AmountTooSmall):
        price_sale(EVEN, outcome=0, side=YES, shares=shares - 1, book=book)


@pytest.mark.parametrize("book", [None, Book(1)])
def test_a_market_takes_shares_up_to_its_limit(book: Book | None) -> None:
    deep = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(Q_LIMIT,), q_no=(Q_LIMIT,))
    with pytest.raises(MarketLimit):
        price_bet(deep, outcome=0, side=YES, margin=0.0, stake_kopecks=1, book=book)
    check_limit(deep, None)
    low = Lmsr.of(b=10**12, weights=(1, 1), q_yes=(-Q_LIMIT,), q_no=(-Q_LIMIT,))
    with pytest.raises(MarketLimit):
        price_sale(low, outcome=0, side=YES, shares=10, book=book)


def test_the_least_payout_of_a_sale_holds_to_the_kopeck() -> None:
    payout = EVEN.sale_payout_kopecks(0, YES, 500)
    floor = floor_of(pool_row(), {ANN: 0})
    hold(floor, ANN, 0, 500)
    with pytest.raises(Slippage):
        sell(500, least_kopecks=payout + 1).execute(floor)
    assert sell(500, least_kopecks=payout).execute(floor).trade.money_kopecks == payout


# Who can pay, and for what


@pytest.mark.parametrize(("wanted", "sold"), [(None, 300), (300, 300), (1, 1)])
def test_what_no_resting_order_offers_can_be_sold(wanted: int | None, sold: int) -> None:
    floor = floor_of(pool_row(), {ANN: 0})
    hold(floor, ANN, 0, 500, reserved=200)
    assert floor.seller(sell(wanted), wanted)[1] == sold


@pytest.mark.parametrize(("reserved", "wanted", "required"), [(200, 301, 301), (500, None, 1), (500, 1, 1)])
def test_what_resting_orders_offer_cannot_be_sold(reserved: int, wanted: int | None, required: int) -> None:
    floor = floor_of(pool_row(), {ANN: 0})
    hold(floor, ANN, 0, 500, reserved=reserved)
    with pytest.raises(InsufficientShares) as error:
        floor.seller(sell(wanted), wanted)
    assert error.value.details == {"required": required, "available": 500 - reserved}


def test_who_holds_nothing_sells_nothing() -> None:
    for floor, order in (
        (floor_of(pool_row(), {ANN: 0}), sell(1)),
        (floor_of(pool_row(), {}), Sell(caller=PARTNER, external_user_id="u", market_id=market(0), shares=1)),
    ):
        with pytest.raises(InsufficientShares) as error:
            floor.seller(order, 1)
        assert error.value.details == {"required": 1, "available": 0}


def test_a_stake_may_be_all_that_there_is_and_no_kopeck_more() -> None:
    floor = floor_of(pool_row(margin=0.1), {ANN: 1_000})
    fill = buy(1_000).execute(floor)
    assert (fill.balance_kopecks, fill.float_balance_kopecks, fill.trade.fee_kopecks) == (0, 0, 100)
    assert money(floor) == {account(ANN): 0, ESCROW: 10_000_900, FEES: 100, FLOAT: 0, ORDERS: 0}
    assert [one.kind for one in fill.trade.transfers] == [TransferKind.BET, TransferKind.FEE]
    with pytest.raises(InsufficientFunds) as error:
        buy(1_001).execute(floor_of(pool_row(margin=0.1), {ANN: 1_000}))
    assert error.value.details == {"required": 1_001, "available": 1_000}
    # Without a fee none is written.
    fill = buy(1_000).execute(floor_of(pool_row(), {ANN: 1_000}))
    assert [one.kind for one in fill.trade.transfers] == [TransferKind.BET]


def test_a_float_pays_what_a_sub_account_lacks_and_no_kopeck_more() -> None:
    floor = floor_of(pool_row(), {BEN: 300}, float_kopecks=700)
    fill = of_partner(1_000).execute(floor)
    assert (fill.balance_kopecks, fill.float_balance_kopecks) == (0, 0)
    assert [(one.kind, one.amount_kopecks) for one in fill.trade.transfers] == [
        (TransferKind.FUNDING, 700),
        (TransferKind.BET, 1_000),
    ]
    line = fill.trade.line
    assert line is not None
    assert (line.float_change_kopecks, line.balance_change_kopecks) == (-700, -300)
    assert floor.resting.lines == [line]
    with pytest.raises(InsufficientFloat) as error:
        of_partner(1_001).execute(floor_of(pool_row(), {BEN: 300}, float_kopecks=700))
    assert error.value.details == {"required": 701, "available": 700}


def test_a_float_pays_a_single_kopeck_too() -> None:
    fill = of_partner(1_000).execute(floor_of(pool_row(), {BEN: 999}, float_kopecks=1))
    assert (fill.balance_kopecks, fill.float_balance_kopecks) == (0, 0)
    with pytest.raises(InsufficientFloat) as error:
        of_partner(1_000).execute(floor_of(pool_row(), {}, float_kopecks=999))
    assert error.value.details == {"required": 1_000, "available": 999}


def test_what_a_sub_account_has_is_spent_before_the_float() -> None:
    floor = floor_of(pool_row(), {BEN: 1_000}, float_kopecks=700)
    fill = of_partner(1_000).execute(floor)
    assert [one.kind for one in fill.trade.transfers] == [TransferKind.BET]
    assert (fill.balance_kopecks, fill.float_balance_kopecks) == (0, 700)


def test_the_first_bet_of_a_partners_user_makes_their_account() -> None:
    floor = floor_of(pool_row(), {}, float_kopecks=1_000)
    fill = of_partner(1_000).execute(floor)
    (made,) = floor.new_sub_accounts
    assert (made.id, made.account_id, made.name, made.external_user_id) == (42, account(42), "acme", "u")
    assert (fill.user_id, fill.balance_kopecks, made.created_at_ms) == (42, 0, NOW_MS)
    assert fill.trade.closes == 0


@pytest.mark.parametrize("full", ["escrow_kopecks", "fees_kopecks"])
def test_an_account_of_the_pool_takes_money_up_to_its_limit(full: str) -> None:
    # Of 1,000 kopecks, 100 are the fee.
    part = 900 if full == "escrow_kopecks" else 100
    assert buy(1_000).execute(floor_of(pool_row(margin=0.1), {ANN: 1_000}, **{full: AMOUNT_MAX - part})).trade.shares
    with pytest.raises(BalanceLimit):
        buy(1_000).execute(floor_of(pool_row(margin=0.1), {ANN: 1_000}, **{full: AMOUNT_MAX - part + 1}))


@pytest.mark.parametrize("full", ["escrow_kopecks", "fees_kopecks"])
def test_a_bet_that_an_account_cannot_take_moves_nothing(full: str) -> None:
    floor = floor_of(pool_row(margin=0.1), {BEN: 300}, float_kopecks=700, **{full: AMOUNT_MAX})
    before = money(floor)
    with pytest.raises(BalanceLimit):
        of_partner(1_000).execute(floor)
    assert money(floor) == before


def test_a_seller_is_paid_up_to_the_limit_of_a_balance() -> None:
    payout = EVEN.sale_payout_kopecks(0, YES, 500)
    floor = floor_of(pool_row(), {ANN: AMOUNT_MAX - payout + 1})
    hold(floor, ANN, 0, 500)
    with pytest.raises(BalanceLimit):
        sell(500).execute(floor)
    floor = floor_of(pool_row(), {ANN: AMOUNT_MAX - payout})
    hold(floor, ANN, 0, 500)
    assert sell(500).execute(floor).balance_kopecks == AMOUNT_MAX


def test_a_sale_of_all_closes_the_position_and_one_of_a_part_does_not() -> None:
    floor = floor_of(pool_row(), {ANN: 0})
    position = hold(floor, ANN, 0, 500)
    part = sell(200).execute(floor).trade
    assert (part.closes, part.pnl_kopecks) == (0, part.money_kopecks - 100)
    assert floor.state.positions[position.key] is position
    rest = sell(None).execute(floor)
    assert (rest.trade.closes, rest.trade.shares, rest.trade.pnl_kopecks) == (1, 300, rest.trade.money_kopecks - 150)
    assert not floor.state.positions
    assert floor.state.closed_ids == {1}
    assert rest.balance_kopecks == part.money_kopecks + rest.trade.money_kopecks
    assert position.closed_at_ms == NOW_MS
