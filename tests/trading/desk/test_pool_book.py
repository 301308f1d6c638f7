"""What a pool and its book hand on from one batch to the next, and which ids are remembered: in memory."""

from __future__ import annotations

import msgspec
import pytest

from foreknow.kernel.units import AMOUNT_MAX
from foreknow.money.pricing import Q_LIMIT
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.trading.book import MakerFill
from foreknow.trading.desk import id_cache, resting
from foreknow.trading.desk.id_cache import IdCache, MarketPlace, PartnerFloat
from foreknow.trading.desk.kinds import Cancel
from foreknow.trading.desk.resting import BookSource, PoolBook
from foreknow.trading.limit_orders.order import LimitOrderRow, PoolEnds
from foreknow.trading.limit_orders.store import FoundOrder
from tests.trading.desk.floors import (
    ANN,
    BEN,
    ESCROW,
    NO_TX,
    NOW_MS,
    ORDERS,
    POOL,
    account,
    buy,
    floor_of,
    hold,
    limit,
    market,
    pool_row,
    sell,
    user,
)


def order(order_id: int, *, percent: int = 40, expires_at_ms: int | None = None, outcome: int = 0) -> LimitOrderRow:
    return LimitOrderRow(
        id=order_id,
        pool_id=POOL,
        market_id=market(outcome),
        user_id=BEN,
        action="buy",
        side="YES",
        price_bps=100 * percent,
        shares=100,
        expires_at_ms=expires_at_ms,
        created_at_ms=0,
        updated_at_ms=0,
    )


def at(at_ms: int) -> BookSource:
    return BookSource(NO_TX, {}, at_ms=at_ms)


def book_of(*rows: LimitOrderRow, at_ms: int = NOW_MS) -> PoolBook:
    return PoolBook(pool_row(), [FoundOrder(row, None) for row in rows], at(at_ms), each=9)


def best(book: PoolBook) -> int | None:
    found = book.book.best(0, is_up=True)
    return None if found is None else found.id


@pytest.mark.parametrize(("markets", "each"), [(0, 9), (1, 9), (2, 9), (4, 9), (5, 7), (10, 3), (18, 2), (100, 2)])
def test_of_many_queues_fewer_orders_each_are_read_at_first(markets: int, each: int) -> None:
    assert resting.read_first(markets) == each


def test_an_order_leaves_the_book_in_the_millisecond_of_its_expiry() -> None:
    rows = [order(1, percent=41, expires_at_ms=NOW_MS + 5), order(2, percent=40, expires_at_ms=NOW_MS + 9)]
    book = book_of(*rows)
    for later_ms, left in ((4, 1), (5, 2), (8, 2), (9, None)):
        book.go_on(at(NOW_MS + later_ms))
        assert best(book) == left
    assert best(book_of(*rows, at_ms=NOW_MS + 4)) == 1
    assert best(book_of(*rows, at_ms=NOW_MS + 5)) == 2


def test_an_order_that_came_since_leaves_the_book_in_the_millisecond_of_its_expiry() -> None:
    book = book_of(order(1, percent=40))
    for row in (order(2, percent=42, expires_at_ms=NOW_MS + 5), order(3, percent=41, expires_at_ms=NOW_MS + 7)):
        book.book = book.book.added(book.resting_of(row))
        book.add(row)
    for later_ms, left in ((4, 2), (5, 3), (6, 3), (7, 1)):
        book.go_on(at(NOW_MS + later_ms))
        assert best(book) == left


def test_rows_of_orders_that_have_left_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resting, "ROWS_KEPT", 2)
    rows = [order(1), order(2), order(3)]
    for row in rows[:2]:
        row.end("cancelled", "user", at_ms=NOW_MS)
    book = book_of(*rows[:2])
    book.go_on(at(NOW_MS))
    assert list(book.rows) == [1, 2]
    book.add(rows[2])
    book.go_on(at(NOW_MS))
    assert list(book.rows) == [3]


def test_a_pool_goes_on_as_it_was_left_and_never_back_in_time() -> None:
    floor = floor_of(pool_row(markets=2), {ANN: 1_000}, orders_kopecks=0)
    pool = floor.state.pools[POOL]
    assert pool.row_after() is pool.row
    fill = buy(300).execute(floor)
    sale = sell(fill.trade.shares // 2).execute(floor).trade
    row = pool.row_after()
    volume = 300 + sale.money_kopecks
    assert (row.volume_kopecks, row.trade_count, row.last_trade_at_ms, row.open_orders) == (volume, 2, NOW_MS, 0)
    assert [one.volume_kopecks for one in row.markets] == [volume, 0]
    assert [one.q_yes for one in row.markets] == [fill.trade.shares - fill.trade.shares // 2, 0]
    later = pool.for_next(NOW_MS - 5)
    assert (later.at_ms, later.row, later.resting) == (NOW_MS, row, None)
    assert pool.for_next(NOW_MS + 5).at_ms == NOW_MS + 5
    assert later.row_after() is later.row


def test_a_book_is_kept_while_orders_rest_and_until_it_is_worn(monkeypatch: pytest.MonkeyPatch) -> None:
    floor = floor_of(pool_row(), {ANN: 1_000}, orders_kopecks=0)
    pool = floor.state.pools[POOL]
    assert limit(1, 40).execute(floor).row.is_open
    later = pool.for_next(NOW_MS)
    assert later.resting is pool.resting
    assert (later.row.open_orders, later.orders_account_id) == (1, pool.orders_account_id)
    assert (later.row.trade_count, later.row.last_trade_at_ms) == (0, None)
    monkeypatch.setattr(resting, "REMOVED_MAX", 0)
    assert pool.resting is not None
    assert not pool.resting.is_worn
    monkeypatch.setattr(resting, "REMOVED_MAX", -1)
    assert pool.for_next(NOW_MS).resting is None


def test_a_position_that_was_there_is_bought_on_and_a_new_one_begins_at_the_time_of_the_pool() -> None:
    floor = floor_of(pool_row(), {ANN: 1_000})
    position = hold(floor, ANN, 0, 500)
    fill = buy(300).execute(floor)
    assert fill.trade.position is position
    assert (position.shares, position.cost_kopecks) == (500 + fill.trade.shares, 250 + 300)
    floor.state.close(position)
    again = buy(100).execute(floor).trade.position
    assert (again.id, again.opened_at_ms, again.shares > 0) == (0, NOW_MS, True)


def test_orders_that_buy_pay_first_so_that_a_pool_pays_those_that_sell() -> None:
    floor = floor_of(pool_row(markets=2), {}, escrow_kopecks=0, orders_kopecks=500)
    pool = floor.state.pools[POOL]
    assert pool.resting is not None
    position = hold(floor, BEN, 0, 1_000, reserved=100)
    bid, offer = order(1, percent=60, outcome=1), order(2, percent=50)
    bid.held_kopecks, offer.action = 60, "sell"
    for row in (bid, offer):
        pool.resting.book = pool.resting.book.added(pool.resting.resting_of(row))
        pool.resting.add(row)
    fills = [
        MakerFill(order=pool.resting.resting_of(offer), shares=100, money_kopecks=50),
        MakerFill(order=pool.resting.resting_of(bid), shares=100, money_kopecks=60),
    ]
    sold, bought = floor.resting.fill(pool, fills)
    assert (sold.order_id, sold.is_buy, sold.pnl_kopecks, sold.closes) == (2, False, 0, False)
    assert (bought.order_id, bought.is_buy, bought.shares) == (1, True, 100)
    assert (floor.ledger_tx.balance_kopecks(ESCROW), floor.ledger_tx.balance_kopecks(ORDERS)) == (10, 490)
    assert (position.shares, position.reserved_shares) == (900, 0)
    assert (offer.status, offer.owed_kopecks, bid.status, bid.held_kopecks) == ("filled", 50, "filled", 0)
    assert pool.opened_orders == -2
    assert [(due.order_id, due.completes, due.pnl_kopecks) for due in floor.resting.dues()] == [
        (2, True, 0),
        (1, True, None),
    ]


def test_what_is_held_is_paid_whatever_a_balance_may_hold() -> None:
    floor = floor_of(pool_row(), {}, escrow_kopecks=AMOUNT_MAX, orders_kopecks=80)
    pool = floor.state.pools[POOL]
    assert pool.resting is not None
    floor.state.open_orders[BEN, POOL] = 2
    bid = order(1, percent=40)
    bid.held_kopecks, bid.partner_id = 40, 7
    pool.resting.add(bid)
    floor.resting.fill(pool, [MakerFill(order=pool.resting.resting_of(bid), shares=100, money_kopecks=40)])
    assert floor.ledger_tx.balance_kopecks(ESCROW) == AMOUNT_MAX + 40
    # One that has left makes space for one.
    assert floor.state.open_orders[BEN, POOL] == 1
    assert [(line.type, line.order_id) for line in floor.resting.lines] == [("bet", 1)]
    assert dict(floor.resting.held_kopecks) == {7: -40}


def test_what_a_partners_resting_sale_brings_is_held_for_its_user() -> None:
    floor = floor_of(pool_row(), {}, orders_kopecks=0)
    pool = floor.state.pools[POOL]
    assert pool.resting is not None
    hold(floor, BEN, 0, 100, reserved=100)
    offer = order(1, percent=50)
    offer.action, offer.partner_id = "sell", 7
    pool.resting.add(offer)
    (fill,) = floor.resting.fill(pool, [MakerFill(order=pool.resting.resting_of(offer), shares=100, money_kopecks=50)])
    assert dict(floor.resting.held_kopecks) == {7: 50}
    assert (fill.closes, fill.pnl_kopecks, fill.partner_id) == (True, 0, 7)
    assert (floor.resting.begun_partner_ids(), not floor.state.positions) == (set(), True)


def test_a_sweep_beside_an_order_ends_what_is_beyond_the_limit_of_its_token() -> None:
    (one,) = pool_row().markets
    full = msgspec.structs.replace(one, q_yes=Q_LIMIT - 100, q_no=Q_LIMIT)
    floor = floor_of(msgspec.structs.replace(pool_row(), b=10**12, markets=(full,)), {}, orders_kopecks=180)
    pool = floor.state.pools[POOL]
    assert pool.resting is not None
    bid = msgspec.structs.replace(order(1, percent=90), shares=200, held_kopecks=180)
    pool.resting.book = pool.resting.book.added(pool.resting.resting_of(bid))
    pool.resting.add(bid)
    assert floor.resting.sweep(pool) == []
    assert (bid.status, bid.reason, floor.resting.ended) == ("cancelled", "market_limit", [bid])


def cancel_of(*order_ids: int, owner: int = ANN) -> Cancel:
    owners = (SubAccount(owner, account(owner)),)
    return Cancel(caller=user(owner), market_id=market(0), order_ids=order_ids, owners=owners)


def test_no_one_cancels_orders_of_others_or_those_of_another_pool() -> None:
    floor = floor_of(pool_row(), {ANN: 0, BEN: 0}, orders_kopecks=120)
    own, other, elsewhere = order(1), order(2), order(3)
    own.user_id = elsewhere.user_id = ANN
    elsewhere.pool_id = POOL + 1
    for row in (own, other, elsewhere):
        row.held_kopecks = 40
        floor.state.found_orders[row.id] = (FoundOrder(row, None), PoolEnds(None, None))
    done = cancel_of(1, 2, 3, 4).execute(floor)
    assert [(row.id, row.status, row.reason) for row in done.cancelled] == [(1, "cancelled", "user")]
    assert done.rows == done.cancelled
    assert (other.status, elsewhere.status, other.held_kopecks, elsewhere.held_kopecks) == ("open", "open", 40, 40)
    assert (floor.ledger_tx.balance_kopecks(account(ANN)), floor.ledger_tx.balance_kopecks(ORDERS)) == (40, 80)
    # Again, nothing is left to cancel or to pay.
    again = cancel_of(1).execute(floor)
    assert ([row.id for row in again.rows], again.cancelled) == ([1], [])
    assert floor.ledger_tx.balance_kopecks(account(ANN)) == 40


def test_the_shares_of_a_cancelled_sale_are_free_where_no_book_was_read() -> None:
    floor = floor_of(pool_row(), {ANN: 0}, orders_kopecks=0)
    pool = floor.state.pools[POOL]
    pool.resting = None
    position = hold(floor, ANN, 0, 500, reserved=100)
    floor.state.positions.clear()
    offer = order(1)
    offer.user_id, offer.action = ANN, "sell"
    floor.state.found_orders[1] = (FoundOrder(offer, position), PoolEnds(None, None))
    assert [row.id for row in cancel_of(1).execute(floor).cancelled] == [1]
    assert position.reserved_shares == 0
    assert floor.state.positions[position.key] is position


def test_ids_are_remembered_up_to_a_number_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id_cache, "ENTRIES_MAX", 3)
    known = IdCache()
    known.merge(IdCache(accounts={1: SubAccount(1, 11), 2: SubAccount(2, 12)}, counted={1: 20, 2: 19}))
    assert known.newest_day == 20
    known.merge(IdCache(accounts={3: SubAccount(3, 13)}, counted={3: 18}))
    assert (list(known.accounts), known.newest_day) == ([1, 2, 3], 20)
    known.merge(IdCache(accounts={4: SubAccount(4, 14)}))
    assert (list(known.accounts), list(known.counted), known.newest_day) == ([4], [1, 2, 3], 20)


@pytest.mark.parametrize(
    "more",
    [
        IdCache(markets={2: MarketPlace(1, 0, 1, 2)}),
        IdCache(accounts={2: SubAccount(2, 12)}),
        IdCache(partners={2: PartnerFloat("b", 2)}),
        IdCache(sub_accounts={(1, "b"): SubAccount(2, 12)}),
    ],
)
def test_ids_are_known_where_all_of_each_kind_are(more: IdCache) -> None:
    known = IdCache(
        markets={1: MarketPlace(1, 0, 1, 2)},
        accounts={1: SubAccount(1, 11)},
        partners={1: PartnerFloat("a", 1)},
        sub_accounts={(1, "a"): SubAccount(1, 11)},
    )
    assert known.is_within(known)
    assert IdCache().is_within(known)
    assert not more.is_within(known)
    known.merge(more)
    assert more.is_within(known)
