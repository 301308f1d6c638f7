"""All that is kept of a person, read in pages and written as JSON while it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS, SECOND_MS, iso, iso_or_none
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.units import INT64_MAX
from foreknow.money.ledger import AccountKind, CreditRow, balances_kopecks, credits_of, debits_of
from foreknow.people.users.store import account
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.metadata import metadata
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.chat.tables import chat_messages, chat_sessions
from foreknow.site.own_data.personal_tables import EXPORTED, SECRET_COLUMNS, ExportedTable
from foreknow.site.own_data.tables import exports
from foreknow.trading.desk.tables import trade_legs, trades
from foreknow.trading.history.trader_trades import TradesPlace, trades_from

#: Least time between two exports of a person.
PAUSE_MS = HOUR_MS
#: Rows of a page.
PAGE_ROWS = 500
_encode = msgspec.json.Encoder().encode
_TIME = "_at_ms"

Row = Mapping[str, Any]


class _ReadCredits(Protocol):
    def __call__(self, tx: ReadTx, account_id: int, *, before_id: int, limit: int) -> list[CreditRow]: ...


def take_turn(tx: WriteTx, user_id: int, *, is_kept: bool) -> int:
    """Note that a person exports now; return the time, Unix milliseconds. `RateLimited` within the hour.

    `is_kept` False: only look whether they might, since nothing will be sent.
    """
    at_ms = now_ms(tx)
    mine = exports.c.user_id == user_id
    last_ms = tx.execute(sa.select(exports.c.exported_at_ms).where(mine).with_for_update()).scalar()
    if last_ms is not None:
        # Not where the clock was set back meanwhile.
        wait_ms = min(last_ms + PAUSE_MS - at_ms, PAUSE_MS)
        if wait_ms > 0:
            raise RateLimited(retry_after_s=-(-wait_ms // SECOND_MS))
    if not is_kept:
        return at_ms
    if last_ms is None:
        # Of two first ones at the same time, the later transaction runs again.
        tx.execute(exports.insert().values(user_id=user_id, exported_at_ms=at_ms))
    else:
        tx.execute(exports.update().where(mine).values(exported_at_ms=at_ms))
    return at_ms


@dataclass(frozen=True, slots=True)
class _Page:
    """Some rows, and the place after them; None at the end."""

    rows: Sequence[Row]
    next: tuple[Any, ...] | None


#: Reads the rows after a place, those from the first on where it is None.
_Read = Callable[[ReadTx, "tuple[Any, ...] | None"], _Page]


async def pieces(db: Database, user_id: int, *, at_ms: int) -> AsyncIterator[bytes]:
    """Yield the export of a person, JSON as `schemas.OwnData` describes it; each page is a snapshot of its own."""
    yield b'{"exported_at":%b,"tables":{' % _encode(iso(at_ms))
    separator = b""
    for name, reads in await db.read(partial(_tables, user_id)):
        yield b"%b%b:[" % (separator, _encode(name))
        separator, comma = b",", b""
        for read in reads:
            place: tuple[Any, ...] | None = None
            while True:
                page = await db.read(partial(_read, read, place))
                if page.rows:
                    yield comma + b",".join(map(_encode, page.rows))
                    comma = b","
                place = page.next
                if place is None:
                    break
        yield b"]"
    yield b"}}"


def _read(read: _Read, place: tuple[Any, ...] | None, tx: ReadTx) -> _Page:
    return read(tx, place)


def _tables(user_id: int, tx: ReadTx) -> list[tuple[str, list[_Read]]]:
    """Return the names of what is exported, and what reads each."""
    account_id = account(tx, user_id).account_id
    sessions = tx.execute(sa.select(chat_sessions.c.id).where(chat_sessions.c.user_id == user_id)).scalars().all()
    rows: list[tuple[str, list[_Read]]] = [
        (exported.title, [partial(_rows, exported, user_id)]) for exported in EXPORTED
    ]
    return [
        ("balance", [partial(_balance, user_id)]),
        *rows,
        ("chat_messages", [partial(_messages, session_id) for session_id in sessions]),
        ("trades", [partial(_trades, user_id)]),
        ("credits", [partial(_credits, credits_of, account_id)]),
        ("debits", [partial(_credits, debits_of, account_id)]),
    ]


def _rows(exported: ExportedTable, user_id: int, tx: ReadTx, place: tuple[Any, ...] | None) -> _Page:
    table = metadata.tables[exported.table]
    person = table.c[exported.column.partition(".")[2]]
    query = sa.select(table).where(person == (f"{exported.prefix}{user_id}" if exported.prefix else user_id))
    if exported.where is not None:
        query = query.where(exported.where(table))
    order = [table.c[name] for name in exported.order]
    if not order:
        rows = tx.execute(query).mappings().all()
        return _Page([_shown(row, exported.without) for row in rows], None)
    if place is not None:
        after = [sa.literal(value, type_=column.type) for value, column in zip(place, order, strict=True)]
        query = query.where(sa.tuple_(*order) > sa.tuple_(*after))
    rows = tx.execute(query.order_by(*order).limit(PAGE_ROWS)).mappings().all()
    last = tuple(rows[-1][column.name] for column in order) if len(rows) == PAGE_ROWS else None
    return _Page([_shown(row, exported.without) for row in rows], last)


def _balance(user_id: int, tx: ReadTx, _place: object) -> _Page:
    found = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[user_id])
    return _Page([{"balance_kopecks": balance} for balance in found.values()], None)


def _messages(session_id: int, tx: ReadTx, place: tuple[Any, ...] | None) -> _Page:
    table = chat_messages.c
    after_id = 0 if place is None else place[0]
    query = sa.select(table.id, table.session_id, table.sender, table.text, table.created_at_ms)
    query = query.where(table.session_id == session_id, table.id > after_id).order_by(table.id).limit(PAGE_ROWS)
    rows = tx.execute(query).mappings().all()
    return _Page([_shown(row) for row in rows], (rows[-1]["id"],) if len(rows) == PAGE_ROWS else None)


def _trades(user_id: int, tx: ReadTx, place: tuple[Any, ...] | None) -> _Page:
    """Newest first."""
    placed = trades_from(tx, user_id, place=None if place is None else TradesPlace._make(place), limit=PAGE_ROWS)
    ids = [trade.id for trade in placed]
    found = {row["id"]: row for row in tx.execute(sa.select(trades).where(trades.c.id.in_(ids))).mappings()}
    legs: dict[int, list[Row]] = defaultdict(list)
    query = sa.select(trade_legs).where(trade_legs.c.trade_id.in_(ids)).order_by(*trade_legs.primary_key)
    for leg in tx.execute(query).mappings():
        legs[leg["trade_id"]].append(_shown(leg, {"trade_id"}))
    # A basket's trade with what it did in each market.
    rows = [{**_shown(found[one]), "legs": legs[one]} if one in legs else _shown(found[one]) for one in ids]
    return _Page(rows, placed[-1].place if len(ids) == PAGE_ROWS else None)


def _credits(read: _ReadCredits, account_id: int, tx: ReadTx, place: tuple[Any, ...] | None) -> _Page:
    """Newest first."""
    before_id = INT64_MAX if place is None else place[0]
    rows = read(tx, account_id, before_id=before_id, limit=PAGE_ROWS)
    return _Page([_shown(row._asdict()) for row in rows], (rows[-1].id,) if len(rows) == PAGE_ROWS else None)


def _shown(row: Mapping[Any, Any], without: Collection[str] = ()) -> Row:
    """Return a row with times as the interface writes them, and without secrets."""
    shown: dict[str, Any] = {}
    for name, value in row.items():
        if name in SECRET_COLUMNS or name in without:
            continue
        is_time = name.endswith(_TIME)
        shown[name.removesuffix("_ms") if is_time else name] = iso_or_none(value) if is_time else value
    return shown
