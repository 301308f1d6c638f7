"""Writing and reading statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.money.statements.tables import partner_transactions, statement_totals
from foreknow.platform.db.bulk import CompiledQuery, Fetch, as_rows, in_array, values_table
from foreknow.platform.db.changes import Sink, Update, apply, insert_rows
from foreknow.platform.db.metadata import Int64, Text
from foreknow.platform.db.transactions import ReadTx, WriteTx

_NOTHING_HELD: Mapping[int, int] = {}
StatementType = Literal[
    "bet", "sale", "settlement", "deposit", "payout", "withdrawal", "order", "order_return", "basket", "split"
]


class StatementLine(msgspec.Struct, kw_only=True, gc=False):
    """One movement: an order, a settled position (0 if it lost), what a limit order holds or returns, or a transfer by
    the partner. Trades and baskets give theirs their ids once these are known.

    The changes are those of the float's and the sub-account's balances: a bet of 500 kopecks with 200 from the float is
    −200 and −300. `trade_id` is set for bets and sales.
    """

    partner_id: int
    type: StatementType
    float_change_kopecks: int
    balance_change_kopecks: int
    created_at_ms: int
    user_id: int | None = None
    external_user_id: str | None = None
    market_id: int | None = None
    trade_id: int | None = None
    #: Of a limit order's lines.
    order_id: int | None = None
    #: Of a basket's one line.
    basket_id: int | None = None


class StatementRow(StatementLine, kw_only=True, gc=False):
    """A recorded line. Ids of one partner's lines increase."""

    id: int


def record(tx: WriteTx, lines: Sequence[StatementLine], held_kopecks: Mapping[int, int] = _NOTHING_HELD) -> None:
    """Append lines to their partners' statements and update the partners' totals.

    `held_kopecks`: by how much each partner's orders hold more than before, of partners with lines.

    Call it once per transaction, after all its other locks: it locks the totals in partner id order.
    """
    if lines:
        write(tx, lines, begun_fetch({line.partner_id for line in lines}).fetch(tx), held_kopecks)


def begun_fetch(partner_ids: Collection[int]) -> Fetch[set[int]]:
    """Return the query of which partners have a total, for `write`."""
    return Fetch(
        _BEGUN, {"ids": partner_ids}, lambda rows: {partner_id for (partner_id,) in rows}, is_empty=not partner_ids
    )


def write(
    into: Sink, lines: Sequence[StatementLine], begun: set[int], held_kopecks: Mapping[int, int] = _NOTHING_HELD
) -> None:
    """Do what `record` does, where only the partners of `begun` have a total so far.

    If another transaction inserts a partner's first total at the same time, one of the two fails and is run again.
    """
    if not lines:
        return
    change_kopecks: dict[int, int] = {}
    for line in lines:
        change_kopecks[line.partner_id] = change_kopecks.get(line.partner_id, 0) + line.balance_change_kopecks
    # Totals first, unchanged ones too: transactions of the same partner wait here, so ids follow the order of commits
    # and a reader who continues from the last known id misses nothing.
    changes = sorted(change_kopecks.items())
    if held_kopecks:
        added = [(kopecks, held_kopecks.get(partner_id, 0), partner_id) for partner_id, kopecks in changes]
        apply(into, _ADD_HELD, [row for row in added if row[-1] in begun])
    else:
        apply(into, _ADD_TO_TOTALS, [(kopecks, partner_id) for partner_id, kopecks in changes if partner_id in begun])
    first = [
        (partner_id, kopecks, held_kopecks.get(partner_id, 0))
        for partner_id, kopecks in changes
        if partner_id not in begun
    ]
    if first:
        insert_rows(into, statement_totals, ("partner_id", "users_balance_kopecks", "held_kopecks"), first)
    insert_rows(into, partner_transactions, _LINE, [_line(line) for line in lines])


def page(tx: ReadTx, *, partner_id: int, before_id: int | None, limit: int) -> list[StatementRow]:
    """Return a partner's newest `limit` rows, with ids under `before_id` if given."""
    before = {"before_id": INT64_MAX if before_id is None else before_id}
    rows = _PAGE.fetch(tx, {"partner_id": partner_id, **before, "limit": limit})
    return list(map(statement_row, rows))


def after(tx: ReadTx, partner_id: int, *, after_id: int, limit: int) -> list[StatementRow]:
    """Return a partner's oldest `limit` rows with ids over `after_id`: the order of the commits, without gaps."""
    rows = _AFTER.fetch(tx, {"partner_id": partner_id, "after_id": after_id, "limit": limit})
    return list(map(statement_row, rows))


def has_line(tx: ReadTx, partner_id: int, line_id: int) -> bool:
    """Return whether a partner's statement has a line with this id."""
    line = partner_transactions.c
    found = sa.select(line.id).where(line.partner_id == partner_id, line.id == line_id)
    return tx.execute(found).first() is not None


def count_after(tx: ReadTx, partner_id: int, after_id: int) -> int:
    """Return the number of a partner's lines with ids over `after_id`; takes as long as there are many."""
    line = partner_transactions.c
    lines = sa.select(sa.func.count()).where(line.partner_id == partner_id, line.id > after_id)
    return int(tx.execute(lines).scalar_one())


def statement_row(row: Sequence[Any]) -> StatementRow:
    """Return a row of the columns `NAMES`."""
    # Each by its name, a third of what a dictionary of them takes.
    (
        partner_id,
        type_,
        float_change_kopecks,
        balance_change_kopecks,
        created_at_ms,
        user_id,
        external_user_id,
        market_id,
        trade_id,
        order_id,
        basket_id,
        line_id,
    ) = row
    return StatementRow(
        partner_id=partner_id,
        type=type_,
        float_change_kopecks=float_change_kopecks,
        balance_change_kopecks=balance_change_kopecks,
        created_at_ms=created_at_ms,
        user_id=user_id,
        external_user_id=external_user_id,
        market_id=market_id,
        trade_id=trade_id,
        order_id=order_id,
        basket_id=basket_id,
        id=line_id,
    )


def newest(lines: sa.Select[Any]) -> sa.Select[Any]:
    """Limit a query of lines to the newest `limit` of `partner_id`, with ids under `before_id`: its parameters."""
    line = partner_transactions.c
    return (
        lines.where(line.partner_id == sa.bindparam("partner_id"), line.id < sa.bindparam("before_id"))
        .order_by(line.id.desc())
        .limit(sa.bindparam("limit"))
    )


NAMES = StatementRow.__struct_fields__
_PAGE = CompiledQuery(newest(sa.select(*(partner_transactions.c[name] for name in NAMES))))
_AFTER = CompiledQuery(
    sa.select(*(partner_transactions.c[name] for name in NAMES))
    .where(
        partner_transactions.c.partner_id == sa.bindparam("partner_id"),
        partner_transactions.c.id > sa.bindparam("after_id"),
    )
    .order_by(partner_transactions.c.id)
    .limit(sa.bindparam("limit"))
)


def settlements_of(tx: ReadTx, payments: Collection[tuple[int, int, int]]) -> Sequence[Sequence[int]]:
    """Return the id, user, market and moment of the settlement lines of some users, markets and moments, by id."""
    return _SETTLEMENTS.fetch(tx, {"payments": as_rows(payments)})


def _settlements(dialect: str) -> sa.Select[Any]:
    wanted = values_table(dialect, "payments", {"user_id": Int64, "market_id": Int64, "at_ms": Int64})
    line = partner_transactions.c
    of_payment = sa.and_(
        line.user_id == wanted.c.user_id,
        line.type == "settlement",
        line.created_at_ms == wanted.c.at_ms,
        line.market_id == wanted.c.market_id,
    )
    found = sa.select(line.id, line.user_id, line.market_id, line.created_at_ms)
    return found.join_from(wanted, partner_transactions, of_payment).order_by(line.id)


_SETTLEMENTS = CompiledQuery(_settlements)


def last_orders_ms(tx: ReadTx, user_ids: Collection[int]) -> dict[int, int]:
    """Return when sub-accounts bet, sold or bought a basket last, of those of `user_ids` that have."""
    of_types = as_rows([(user_id, type_) for user_id in user_ids for type_ in ("bet", "sale", "basket")])
    found: dict[int, int] = {}
    for user_id, at_ms in _LAST_ORDERS.fetch(tx, {"lists": of_types}) if user_ids else ():
        if at_ms is not None:
            found[user_id] = max(at_ms, found.get(user_id, at_ms))
    return found


def _last_orders(dialect: str) -> sa.Select[Any]:
    # The last entry of each list in the index.
    lists = values_table(dialect, "lists", {"user_id": Int64, "type": Text})
    line = partner_transactions.c
    of_list = sa.and_(line.user_id == lists.c.user_id, line.type == lists.c.type)
    last = sa.select(sa.func.max(line.created_at_ms)).where(of_list).correlate(lists)
    return sa.select(lists.c.user_id, last.scalar_subquery())


_LAST_ORDERS = CompiledQuery(_last_orders)


def users_balances_kopecks(tx: ReadTx, partner_ids: Collection[int]) -> dict[int, int]:
    """Return the sum of each partner's sub-account balances, 0 before its first transaction."""
    # Summing the sub-accounts would take a few hundred milliseconds for 200,000 users. The stored total costs one
    # update per transaction and no waiting: orders of one partner already wait for each other on the float's lock. Only
    # settlements join that queue, just before their commit.
    found = dict.fromkeys(partner_ids, 0)
    totals = _TOTALS.fetch(tx, {"ids": partner_ids})
    found.update((partner_id, total_kopecks) for partner_id, total_kopecks in totals)
    return found


def totals_kopecks(tx: ReadTx, partner_id: int) -> tuple[int, int]:
    """Return the sum of a partner's sub-account balances, and what their orders hold together."""
    found = _BOTH_TOTALS.fetch(tx, {"partner_id": partner_id})
    return (found[0][0], found[0][1]) if found else (0, 0)


_BOTH_TOTALS = CompiledQuery(
    sa.select(statement_totals.c.users_balance_kopecks, statement_totals.c.held_kopecks).where(
        statement_totals.c.partner_id == sa.bindparam("partner_id")
    )
)
_TOTALS = CompiledQuery(
    sa.select(statement_totals.c.partner_id, statement_totals.c.users_balance_kopecks).where(
        in_array(statement_totals.c.partner_id)
    )
)


_BEGUN = CompiledQuery(sa.select(statement_totals.c.partner_id).where(in_array(statement_totals.c.partner_id)))
_ADD_TO_TOTALS = Update(
    statement_totals,
    ("users_balance_kopecks",),
    key="partner_id",
    added=("users_balance_kopecks",),
    shared=True,
)
_ADD_HELD = Update(
    statement_totals,
    ("users_balance_kopecks", "held_kopecks"),
    key="partner_id",
    added=("users_balance_kopecks", "held_kopecks"),
    shared=True,
)
_LINE = StatementLine.__struct_fields__
_line = attrgetter(*_LINE)
