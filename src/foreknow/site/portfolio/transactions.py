"""Every movement of a person's money, newest first: orders, what limit orders hold and return, settled positions,
positions that a split has turned, and credits.

They are read from where they are written anyway, seven lists each in its own order, and merged by time. A cursor holds
the place in each list.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, cast

import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.pagination import Cursors, Slice
from foreknow.kernel.units import INT64_MAX
from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.money.holds.tables import limit_orders
from foreknow.money.ledger import (
    AccountKind,
    CreditRow,
    OrderMovement,
    account_ids,
    credits_of,
    debits_of,
    holds_of,
    last_trade_ids,
    returns_of,
)
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.portfolio.schemas import Transaction
from foreknow.trading.desk.tables import baskets, trades
from foreknow.trading.history.trader_trades import PlacedTrade, TradesPlace, trades_from
from foreknow.trading.positions.tables import IS_SETTLED, position_splits, positions

#: What has an id of its own: trades, positions, transfers. The id of a transaction says which of them it is, too.
_TRADE, _POSITION, _TRANSFER, _KINDS = range(4)
#: The ids of turned positions begin here, beyond all others, and within what JSON readers take for whole numbers.
_SPLITS = 2**51


class _Place(NamedTuple):
    """What comes next of each list: what is older than this."""

    #: Of the trades: see `TradesPlace`; below 0: from the newest.
    chain_id: int = -1
    trade_id: int = INT64_MAX
    settled_at_ms: int = INT64_MAX
    position_id: int = INT64_MAX
    credit_id: int = INT64_MAX
    debit_id: int = INT64_MAX
    hold_id: int = INT64_MAX
    return_id: int = INT64_MAX
    split_id: int = INT64_MAX


class TransactionRow(NamedTuple):
    """A movement of money; no event and market where it is a credit."""

    id: int
    type: str
    change_kopecks: int
    created_at_ms: int
    event_id: int | None = None
    event_name: str = ""
    event_name_ru: str = ""
    market_id: int | None = None
    market_name: str = ""
    side: str | None = None
    note: str = ""
    order_id: int | None = None
    basket_id: int | None = None


class _Placed(NamedTuple):
    """A row, and the fields of the place that it changes."""

    row: TransactionRow
    place: dict[str, int]


def transactions_page(
    tx: ReadTx, user_id: int, cursors: Cursors, *, limit: int, cursor: str | None
) -> Slice[TransactionRow]:
    """Return a page of the movements of a person's money, newest first. They add up to the balance."""
    binding = f"transactions {user_id}"
    place = _Place() if cursor is None else _Place(*cast("Any", cursors.decode(cursor, binding=binding)))
    account_id = account_ids(tx, kind=AccountKind.USER, owner_ids=[user_id])[user_id]
    most = limit + 1
    lists: tuple[list[_Placed], ...] = (
        _settlements(_SETTLED.fetch(tx, {"user_id": user_id, **_before_settled(place), "limit": most})),
        # Of one order's: its hold, then what it took, then what others of its trader gave back for it.
        _holds(tx, holds_of(tx, account_id, before_id=place.hold_id, limit=most), "hold_id", sign=-1),
        _trades(tx, user_id, _trades_place(place), limit=most),
        _holds(tx, returns_of(tx, account_id, before_id=place.return_id, limit=most), "return_id", sign=1),
        _splits(_TURNED.fetch(tx, {"user_id": user_id, "before_id": place.split_id, "limit": most})),
        _credits(credits_of(tx, account_id, before_id=place.credit_id, limit=most), "credit_id", sign=1),
        _credits(debits_of(tx, account_id, before_id=place.debit_id, limit=most), "debit_id", sign=-1),
    )
    if cursor is None:
        place = _from_newest(tx, user_id, lists)
    rows: list[tuple[TransactionRow, _Place]] = []
    for row, changed in islice(heapq.merge(*lists, key=lambda placed: -placed.row.created_at_ms), most):
        place = place._replace(**changed)
        rows.append((row, place))
    page = cursors.slice(rows, limit=limit, binding=binding, position=lambda placed: placed[1])
    return Slice([row for row, _ in page.rows], page.next_cursor)


def _from_newest(tx: ReadTx, user_id: int, lists: Iterable[list[_Placed]]) -> _Place:
    """Return the place from which each list begins now: what is written during a traversal is not part of it."""
    place = _Place(last_trade_ids(tx, [user_id]).get(user_id, 0), INT64_MAX, 0, 0, 0, 0, 0, 0, 0)
    for placed in lists:
        if placed and "chain_id" not in placed[0].place:
            # Older than this: the newest one itself, and no later one. The time of a settlement goes with its id.
            newest = placed[0].place
            place = place._replace(**{name: at if name == "settled_at_ms" else at + 1 for name, at in newest.items()})
        elif placed:
            place = place._replace(trade_id=placed[0].place["trade_id"] + 1)
    return place


def _trades_place(place: _Place) -> TradesPlace | None:
    return None if place.chain_id < 0 else TradesPlace(place.chain_id, place.trade_id)


def transaction_view(row: TransactionRow) -> Transaction:
    """Show a movement to whose money it is, and to admins."""
    return Transaction(
        id=row.id,
        type=cast(
            "Literal['bet', 'sale', 'settlement', 'credit', 'order', 'order_return', 'basket', 'split']", row.type
        ),
        change_kopecks=row.change_kopecks,
        event_id=row.event_id,
        event_name=row.event_name,
        event_name_ru=row.event_name_ru,
        market_id=row.market_id,
        market_name=row.market_name,
        token_type=cast("Literal['YES', 'NO'] | None", row.side),
        note=row.note,
        order_id=row.order_id,
        basket_id=row.basket_id,
        created_at=iso(row.created_at_ms),
    )


def _before_settled(place: _Place) -> dict[str, int]:
    return {"before_ms": place.settled_at_ms, "before_id": place.position_id}


def _trades(tx: ReadTx, user_id: int, place: TradesPlace | None, *, limit: int) -> list[_Placed]:
    """Return the lines of a trader's trades from a place on; a basket of two trades has one, at its first."""
    found: list[_Placed] = []
    while True:
        placed = trades_from(tx, user_id, place=place, limit=limit)
        found += _lines(tx, placed)
        if len(found) >= limit or len(placed) < limit:
            return found[:limit]
        place = placed[-1].place


def _lines(tx: ReadTx, placed: Sequence[PlacedTrade]) -> list[_Placed]:
    places = {trade.id: trade.place for trade in placed}
    found: list[_Placed] = []
    for trade_id, at_ms, action, amount_kopecks, role, order_id, basket_id, net_kopecks, is_second, *rest in (
        _TRADES.fetch(tx, {"ids": places.keys()}) if places else ()
    ):
        if is_second:
            continue
        kind, change_kopecks = ("bet", -amount_kopecks) if action == "buy" else ("sale", amount_kopecks)
        # While an order rests, its fills move what it holds.
        change_kopecks = 0 if role == "maker" else change_kopecks
        row = TransactionRow(_KINDS * trade_id + _TRADE, kind, change_kopecks, at_ms, *rest)._replace(order_id=order_id)
        if basket_id is not None:
            row = row._replace(
                type="basket",
                change_kopecks=net_kopecks,
                market_id=None,
                market_name="",
                side=None,
                basket_id=basket_id,
            )
        place = places[trade_id]
        found.append(_Placed(row, {"chain_id": place.chain_id, "trade_id": place.before_id}))
    return found


def _holds(tx: ReadTx, moved: Sequence[OrderMovement], name: str, *, sign: int) -> list[_Placed]:
    about = {row[0]: row[1:] for row in _ORDERS.fetch(tx, {"ids": {one.order_id for one in moved}})} if moved else {}
    kind = "order" if sign < 0 else "order_return"
    found: list[_Placed] = []
    for one in moved:
        row = TransactionRow(
            _KINDS * one.id + _TRANSFER,
            kind,
            sign * one.amount_kopecks,
            one.created_at_ms,
            *about[one.order_id],
        )
        found.append(_Placed(row._replace(order_id=one.order_id), {name: one.id}))
    return found


def _settlements(rows: Sequence[Sequence[Any]]) -> list[_Placed]:
    found: list[_Placed] = []
    for position_id, at_ms, paid_kopecks, *rest in rows:
        row = TransactionRow(_KINDS * position_id + _POSITION, "settlement", paid_kopecks, at_ms, *rest)
        found.append(_Placed(row, {"settled_at_ms": at_ms, "position_id": position_id}))
    return found


def _splits(rows: Sequence[Sequence[Any]]) -> list[_Placed]:
    found: list[_Placed] = []
    for split_id, at_ms, *rest in rows:
        row = TransactionRow(_SPLITS + split_id, "split", 0, at_ms, *rest)
        found.append(_Placed(row._replace(side="YES"), {"split_id": split_id}))
    return found


def _credits(credits_: Sequence[CreditRow], name: str, *, sign: int) -> list[_Placed]:
    found: list[_Placed] = []
    for credit in credits_:
        row = TransactionRow(
            _KINDS * credit.id + _TRANSFER,
            "credit",
            sign * credit.amount_kopecks,
            credit.created_at_ms,
            note=credit.note,
        )
        found.append(_Placed(row, {name: credit.id}))
    return found


def _about(table: sa.Table, *columns: sa.ColumnElement[Any], event_id: sa.ColumnElement[int]) -> sa.Select[Any]:
    """Select `columns` with the event, market and side of each row."""
    about = (events.c.id, events.c.name, events.c.name_ru, markets.c.id, markets.c.name, table.c.side)
    return (
        sa.select(table.c.id, *columns, *about)
        .join_from(table, markets, markets.c.id == table.c.market_id)
        .join(events, events.c.id == event_id)
    )


_BEFORE = trades.alias("before")
_TRADES = CompiledQuery(
    _about(
        trades,
        trades.c.created_at_ms,
        trades.c.action,
        trades.c.amount_kopecks,
        trades.c.role,
        trades.c.order_id,
        trades.c.basket_id,
        baskets.c.net_kopecks,
        # Whether the trade before it is its basket's, too.
        sa.case((_BEFORE.c.basket_id == trades.c.basket_id, 1), else_=0),
        event_id=trades.c.event_id,
    )
    .join(baskets, baskets.c.id == trades.c.basket_id, isouter=True)
    .join(
        _BEFORE,
        sa.and_(trades.c.basket_id.is_not(None), _BEFORE.c.id == trades.c.previous_trade_id),
        isouter=True,
    )
    .where(in_array(trades.c.id))
    .order_by(trades.c.id.desc())
)
_ORDERS = CompiledQuery(_about(limit_orders, event_id=markets.c.event_id).where(in_array(limit_orders.c.id)))
_TURNED = CompiledQuery(
    sa.select(
        position_splits.c.id,
        position_splits.c.created_at_ms,
        events.c.id,
        events.c.name,
        events.c.name_ru,
        markets.c.id,
        markets.c.name,
    )
    .join_from(position_splits, markets, markets.c.id == position_splits.c.market_id)
    .join(events, events.c.id == position_splits.c.event_id)
    .where(
        position_splits.c.user_id == sa.bindparam("user_id"),
        position_splits.c.id < sa.bindparam("before_id", type_=Int64),
    )
    .order_by(position_splits.c.id.desc())
    .limit(sa.bindparam("limit"))
)
_OLDER = sa.tuple_(positions.c.closed_at_ms, positions.c.id) < sa.tuple_(
    sa.bindparam("before_ms", type_=Int64), sa.bindparam("before_id", type_=Int64)
)
_SETTLED = CompiledQuery(
    _about(positions, positions.c.closed_at_ms, positions.c.settled_kopecks, event_id=positions.c.event_id)
    .where(positions.c.user_id == sa.bindparam("user_id"), IS_SETTLED, _OLDER)
    .order_by(positions.c.closed_at_ms.desc(), positions.c.id.desc())
    .limit(sa.bindparam("limit"))
)
