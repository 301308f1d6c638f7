"""People's credits, grants and debits, and what their limit orders hold and return, newest first."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.money.ledger.tables import accounts, transfers
from foreknow.money.ledger.transactions import TransferKind
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx


class CreditRow(NamedTuple):
    """A credit, grant or debit, with its note ("" for none)."""

    id: int
    amount_kopecks: int
    note: str
    created_at_ms: int


class Credited(NamedTuple):
    """A credit or grant of an account, or a debit (below 0)."""

    account_id: int
    change_kopecks: int
    created_at_ms: int


class OrderMovement(NamedTuple):
    """What a limit order holds from its placing on, or a part of it that came back."""

    id: int
    amount_kopecks: int
    order_id: int
    created_at_ms: int


def holds_of(tx: ReadTx, account_id: int, *, before_id: int, limit: int) -> list[OrderMovement]:
    """Return an account's newest holds of limit orders with ids under `before_id`; their amounts have no sign."""
    return _movements(tx, _HOLDS, account_id, before_id, limit)


def returns_of(tx: ReadTx, account_id: int, *, before_id: int, limit: int) -> list[OrderMovement]:
    """Return what limit orders returned to an account last, with ids under `before_id`."""
    return _movements(tx, _RETURNS, account_id, before_id, limit)


def credits_of(tx: ReadTx, account_id: int, *, before_id: int, limit: int) -> list[CreditRow]:
    """Return an account's newest credits and grants with ids under `before_id`."""
    # Each kind has an index of its own.
    pages = [_page(tx, query, account_id, before_id, limit) for query in (_CREDITS, _GRANTS)]
    return list(islice(heapq.merge(*pages, key=attrgetter("id"), reverse=True), limit))


def debits_of(tx: ReadTx, account_id: int, *, before_id: int, limit: int) -> list[CreditRow]:
    """Return an account's newest debits with ids under `before_id`; their amounts have no sign."""
    return _page(tx, _DEBITS, account_id, before_id, limit)


def credited_since(tx: ReadTx, account_ids: Collection[int], *, since_ms: int) -> list[Credited]:
    """Return all credits, grants and debits of these accounts after a moment, looking back from now."""
    given = {"ids": account_ids, "since_ms": since_ms}
    found: list[Credited] = []
    for query, sign in ((_CREDITS_SINCE, 1), (_GRANTS_SINCE, 1), (_DEBITS_SINCE, -1)) if account_ids else ():
        found += (Credited(account_id, sign * kopecks, at_ms) for account_id, kopecks, at_ms in query.fetch(tx, given))
    return found


def clear_notes(tx: WriteTx, account_id: int) -> None:
    """Forget what admins wrote about an account's credits and debits."""
    for kind, account in ((TransferKind.CREDIT, transfers.c.target_account_id), _DEBITED):
        of_kind = transfers.c.kind == sa.literal_column(f"'{kind.value}'")
        noted = (of_kind, account == account_id, transfers.c.note.is_not(None))
        tx.execute(transfers.update().where(*noted).values(note=None))


def _page(tx: ReadTx, query: CompiledQuery, account_id: int, before_id: int, limit: int) -> list[CreditRow]:
    rows = query.fetch(tx, {"account_id": account_id, "before_id": before_id, "limit": limit})
    return list(map(CreditRow._make, rows))


def _movements(tx: ReadTx, query: CompiledQuery, account_id: int, before_id: int, limit: int) -> list[OrderMovement]:
    rows = query.fetch(tx, {"account_id": account_id, "before_id": before_id, "limit": limit})
    return list(map(OrderMovement._make, rows))


def _of(kind: TransferKind, account: sa.Column[int], about: sa.ColumnElement[Any] | None = None) -> CompiledQuery:
    table = transfers.c
    about = sa.func.coalesce(table.note, "") if about is None else about
    return CompiledQuery(
        sa.select(table.id, table.amount_kopecks, about, table.created_at_ms)
        .where(
            # The literal, so that the partial index matches.
            table.kind == sa.literal_column(f"'{kind.value}'"),
            account == sa.bindparam("account_id"),
            table.id < sa.bindparam("before_id"),
        )
        .order_by(table.id.desc())
        .limit(sa.bindparam("limit"))
    )


def _since(kind: TransferKind, account: sa.Column[int]) -> CompiledQuery:
    """Go back, account by account, to the first that is not too new."""

    def build(_dialect: str) -> sa.Select[Any]:
        one = transfers.alias("one")
        is_of_kind = one.c.kind == sa.literal_column(f"'{kind.value}'")
        newest = sa.select(sa.func.max(one.c.id)).where(is_of_kind)
        owner = one.c[account.name]
        first = newest.where(owner == accounts.c.id).correlate(accounts).scalar_subquery()
        back = sa.select(accounts.c.id.label("account_id"), first.label("id")).where(in_array(accounts.c.id))
        walk = back.cte("walk", recursive=True)
        before = newest.where(owner == walk.c.account_id, one.c.id < walk.c.id).correlate(walk).scalar_subquery()
        since = transfers.c.created_at_ms > sa.bindparam("since_ms", type_=Int64)
        further = sa.select(walk.c.account_id, before).join_from(walk, transfers, transfers.c.id == walk.c.id)
        walk = walk.union_all(further.where(since))
        found = sa.select(walk.c.account_id, transfers.c.amount_kopecks, transfers.c.created_at_ms)
        return found.join_from(walk, transfers, transfers.c.id == walk.c.id).where(since)

    return CompiledQuery(build)


_DEBITED = (TransferKind.DEBIT, transfers.c.source_account_id)
_CREDITS = _of(TransferKind.CREDIT, transfers.c.target_account_id)
_GRANTS = _of(TransferKind.GRANT, transfers.c.target_account_id)
_DEBITS = _of(*_DEBITED)
_CREDITS_SINCE = _since(TransferKind.CREDIT, transfers.c.target_account_id)
_GRANTS_SINCE = _since(TransferKind.GRANT, transfers.c.target_account_id)
_DEBITS_SINCE = _since(*_DEBITED)
_HOLDS = _of(TransferKind.ORDER, transfers.c.source_account_id, transfers.c.order_id)
_RETURNS = _of(TransferKind.ORDER_RETURN, transfers.c.target_account_id, transfers.c.order_id)
