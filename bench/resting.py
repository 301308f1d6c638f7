"""Limit orders that rest, made without the interface, for benchmarks that need many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.money.holds.tables import limit_orders
from foreknow.money.ledger import (
    AccountKind,
    LedgerTransaction,
    Transfer,
    TransferKind,
    account_ids,
    house_account,
    open_account,
)
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.limit_orders.levels import LevelChanges
from foreknow.trading.limit_orders.order import LimitOrderRow
from foreknow.trading.limit_orders.store import write_orders
from foreknow.trading.positions.tables import positions
from tests.trading.settlement.world import crowd

ORDER_SHARES = 1_000
ROWS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class RestingOrders:
    """Orders of ten lots in one pool, spread over its markets in turn."""

    pool_id: int
    count: int
    #: Purchases of YES, else of NO; percent of the side.
    is_yes: bool = True
    price_percent: int = 10
    #: Of the further orders of a market: prices go down from `price_percent` by one each, and begin again.
    prices: int = 1
    #: Whose they are; None: each has an owner of its own.
    user_id: int | None = None


async def rest_many(url: str, orders: RestingOrders) -> None:
    """Let purchases rest, and the pool's order account hold their money."""
    await _write(url, orders.count, partial(_rest, orders))


async def offer_many(url: str, orders: RestingOrders) -> None:
    """Let sales of YES of the first market rest, whose owners hold the shares; as many of NO are sold to no one, so
    that the price stays.
    """
    await _write(url, orders.count, partial(_offer, orders))


async def _write(url: str, count: int, give: Callable[..., None]) -> None:
    database = open_database(url)
    try:
        for some in chunks(range(count), ROWS_AT_ONCE):
            await database.write(partial(give, numbers=some))
    finally:
        await database.close()


def _rest(orders: RestingOrders, tx: WriteTx, *, numbers: Sequence[int]) -> None:
    pool = load_pools(tx, [orders.pool_id])[orders.pool_id]
    owners = crowd(tx, len(numbers)) if orders.user_id is None else [orders.user_id] * len(numbers)
    rows = []
    for number, order_id, user_id in zip(numbers, draw_ids(tx, limit_orders, len(numbers)), owners, strict=True):
        price = orders.price_percent - number // len(pool.markets) % orders.prices
        row = _row(orders, order_id, user_id, price)
        row.market_id = pool.markets[number % len(pool.markets)].id
        row.held_kopecks = row.hold_kopecks
        rows.append(row)
    _write_rows(tx, orders.pool_id, rows)
    accounts = account_ids(tx, kind=AccountKind.ORDERS, owner_ids=[pool.id])
    account = accounts.get(pool.id) or open_account(tx, kind=AccountKind.ORDERS, owner_id=pool.id)
    give_money(tx, account, sum(row.held_kopecks for row in rows))


def _offer(orders: RestingOrders, tx: WriteTx, *, numbers: Sequence[int]) -> None:
    pool = load_pools(tx, [orders.pool_id])[orders.pool_id]
    market = pool.markets[0]
    owners = crowd(tx, len(numbers)) if orders.user_id is None else [orders.user_id] * len(numbers)
    rows = []
    for order_id, user_id in zip(draw_ids(tx, limit_orders, len(numbers)), owners, strict=True):
        row = _row(orders, order_id, user_id, orders.price_percent)
        row.market_id, row.action = market.id, "sell"
        rows.append(row)
    _write_rows(tx, orders.pool_id, rows)
    shares = ORDER_SHARES * len(numbers)
    _hold(tx, (pool.id, pool.event_id, market.id), rows, is_of_one=orders.user_id is not None)
    tx.execute(
        sa.text("UPDATE markets SET q_yes = q_yes + :shares, q_no = q_no + :shares WHERE id = :id"),
        {"shares": shares, "id": market.id},
    )
    if pool.id not in account_ids(tx, kind=AccountKind.ORDERS, owner_ids=[pool.id]):
        open_account(tx, kind=AccountKind.ORDERS, owner_id=pool.id)
    give_money(tx, pool.escrow_account_id, shares)


def _row(orders: RestingOrders, order_id: int, user_id: int, price_percent: int) -> LimitOrderRow:
    return LimitOrderRow(
        id=order_id,
        pool_id=orders.pool_id,
        market_id=0,
        user_id=user_id,
        action="buy",
        side="YES" if orders.is_yes else "NO",
        price_bps=100 * price_percent,
        shares=ORDER_SHARES,
        created_at_ms=0,
        updated_at_ms=0,
    )


def _write_rows(tx: WriteTx, pool_id: int, rows: Sequence[LimitOrderRow]) -> None:
    levels = LevelChanges()
    for row in rows:
        levels.add(row, row.rest_shares)
    write_orders(tx, new=rows, changed=[])
    levels.write(tx)
    tx.execute(pools.update().where(pools.c.id == pool_id).values(open_orders=pools.c.open_orders + len(rows)))


def _hold(tx: WriteTx, place: tuple[int, int, int], rows: Sequence[LimitOrderRow], *, is_of_one: bool) -> None:
    """Give owners the shares that they offer; `place`: pool, event and market."""
    pool_id, event_id, market_id = place
    shares = sum(row.shares for row in rows) if is_of_one else ORDER_SHARES
    held = positions.c
    if is_of_one:
        of_owner = (held.user_id == rows[0].user_id, held.market_id == market_id, held.closed_at_ms.is_(None))
        more = {"shares": held.shares + shares, "reserved_shares": held.reserved_shares + shares}
        if tx.execute(positions.update().where(*of_owner).values(more)).rowcount:
            return
    of_all = {
        "market_id": market_id,
        "pool_id": pool_id,
        "event_id": event_id,
        "side": "YES",
        "shares": shares,
        "reserved_shares": shares,
        "cost_kopecks": shares // 2,
        "left_shares": 0,
        "left_cost_kopecks": 0,
        "pnl_kopecks": 0,
        "opened_at_ms": 0,
    }
    owners = rows[:1] if is_of_one else rows
    tx.execute(positions.insert(), [{"user_id": row.user_id, **of_all} for row in owners])


def give_money(tx: WriteTx, account_id: int, amount_kopecks: int) -> None:
    """Let the house pay an account."""
    house = house_account(tx)
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock([house, account_id])
        ledger_tx.transfer(
            Transfer(kind=TransferKind.BET, source=house, target=account_id, amount_kopecks=amount_kopecks)
        )
        ledger_tx.post(at_ms=0)
