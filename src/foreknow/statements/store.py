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
    """One movement: an order, a settled position (0 if it lost), or a transfer by the partner.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRow(StatementLine):
    """A recorded line. Ids of one partner's lines increase."""

    id: int


def record(tx: WriteTx, lines: Sequence[StatementLine]) -> None:
    """Append lines to their partners' statements and update the partners' totals.

    Call it once per transaction, after all its other locks: it locks the totals in partner id order.
    """
    if not lines:
        return
    change_kopecks: dict[int, int] = {}
    for line in lines:
        change_kopecks[line.partner_id] = change_kopecks.get(line.partner_id, 0) + line.balance_change_kopecks
    # Totals first, unchanged ones too: transactions of the same partner wait here, so ids follow the order of commits
    # and a reader who continues from the last known id misses nothing.
    for partner_id in sorted(change_kopecks):
        _add_to_total(tx, partner_id=partner_id, change_kopecks=change_kopecks[partner_id])
    tx.execute(partner_transactions.insert(), [_row(line) for line in lines])


def page(tx: ReadTx, *, partner_id: int, before_id: int | None, limit: int) -> list[StatementRow]:
    """Return a partner's newest `limit` rows, with ids under `before_id` if given."""
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
    """Return the sum of each partner's sub-account balances, 0 before its first transaction."""
    # Summing the sub-accounts would take a few hundred milliseconds for 200,000 users. The stored total costs one
    # update per transaction and no waiting: orders of one partner already wait for each other on the float's lock. Only
    # settlements join that queue, just before their commit.
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
        # A partner's first transaction. If another process inserts the row at the same time, one of the two inserts
        # fails and its transaction is retried.
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
