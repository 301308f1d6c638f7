"""Writing and reading statements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery, in_array
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.units import INT64_MAX
from foreknow.statements.tables import partner_transactions, statement_totals

StatementType = Literal["bet", "sale", "settlement", "deposit", "payout", "withdrawal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLine:
    """One movement: one an order, one a settled position (of 0 where it lost), one a transfer of the partner's own.

    The changes say how the float's and the sub-account's balances moved, in kopecks: a bet of 500 of which the float
    paid 200 is −200 and −300. `trade_id` names the bet or sale.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRow(StatementLine):
    """A recorded line. Of one partner's lines, a later one has the higher id."""

    id: int


def record(tx: WriteTx, lines: Sequence[StatementLine]) -> None:
    """Append lines to their partners' statements and bring the partners' totals up to date.

    Call it once a transaction and after all its other locks (the events' rows too): it locks the totals of the
    partners concerned, in the order of their ids.
    """
    if not lines:
        return
    change_kopecks: dict[int, int] = {}
    for line in lines:
        change_kopecks[line.partner_id] = change_kopecks.get(line.partner_id, 0) + line.balance_change_kopecks
    # The totals first, those that do not change too: whoever records for the same partner waits here, so that a
    # partner's ids are in the order of the commits and one who reads up to the last known id misses nothing.
    for partner_id in sorted(change_kopecks):
        _add_to_total(tx, partner_id=partner_id, change_kopecks=change_kopecks[partner_id])
    tx.execute(partner_transactions.insert(), [_row(line) for line in lines])


def page(tx: ReadTx, *, partner_id: int, before_id: int | None, limit: int) -> list[StatementRow]:
    """Return a partner's newest `limit` rows, of those with ids under `before_id` where it is given."""
    before = {"before_id": INT64_MAX if before_id is None else before_id}
    rows = _PAGE.fetch(tx, {"partner_id": partner_id, **before, "limit": limit})
    return [StatementRow(**dict(zip(_NAMES, row, strict=True))) for row in rows]


_NAMES = tuple(field.name for field in fields(StatementRow))
_PAGE = CompiledQuery(
    lambda _dialect: (
        sa.select(*(partner_transactions.c[name] for name in _NAMES))
        .where(
            partner_transactions.c.partner_id == sa.bindparam("partner_id"),
            partner_transactions.c.id < sa.bindparam("before_id"),
        )
        .order_by(partner_transactions.c.id.desc())
        .limit(sa.bindparam("limit"))
    )
)


def users_balances_kopecks(tx: ReadTx, partner_ids: Collection[int]) -> dict[int, int]:
    """Return what the sub-accounts of each partner hold together, 0 before its first transaction."""
    # Adding up the sub-accounts themselves would take longer with every new user: 200,000 are a few hundred
    # milliseconds. The total kept here costs one update a transaction of the partner's, and no waiting: orders of one
    # partner already take turns, since each may draw on the float and so holds the float's lock. Only a settlement
    # joins that queue, and only for the last moment before its commit.
    found = dict.fromkeys(partner_ids, 0)
    totals = _TOTALS.fetch(tx, {"ids": partner_ids})
    found.update((partner_id, total_kopecks) for partner_id, total_kopecks in totals)
    return found


_TOTALS = CompiledQuery(
    lambda _dialect: sa.select(statement_totals.c.partner_id, statement_totals.c.users_balance_kopecks).where(
        in_array(statement_totals.c.partner_id)
    )
)


def _add_to_total(tx: WriteTx, *, partner_id: int, change_kopecks: int) -> None:
    totals = statement_totals
    update = (
        totals.update()
        .where(totals.c.partner_id == partner_id)
        .values(users_balance_kopecks=totals.c.users_balance_kopecks + change_kopecks)
    )
    if tx.execute(update).rowcount == 0:
        # A partner's first transaction. Should another process be making this row too, one of the two inserts fails
        # and its transaction runs again.
        tx.execute(totals.insert().values(partner_id=partner_id, users_balance_kopecks=change_kopecks))


def _row(line: StatementLine) -> dict[str, Any]:
    return {
        "partner_id": line.partner_id,
        "type": line.type,
        "user_id": line.user_id,
        "external_user_id": line.external_user_id,
        "market_id": line.market_id,
        "trade_id": line.trade_id,
        "float_change_kopecks": line.float_change_kopecks,
        "balance_change_kopecks": line.balance_change_kopecks,
        "created_at_ms": line.created_at_ms,
    }
