"""Totals by account kind and the newest ids, for metrics and monitoring."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from foreknow.money.ledger.tables import accounts, transfers
from foreknow.money.ledger.transactions import AccountKind
from foreknow.platform.db.ids import last_id
from foreknow.platform.db.transactions import ReadTx


class KindTotal(NamedTuple):
    """Sum and number of all accounts of one kind."""

    balance_kopecks: int
    accounts: int


def totals(tx: ReadTx) -> dict[AccountKind, KindTotal]:
    """Return each kind's total; all of them sum to 0. Scans every account: never call it in a request."""
    query = sa.select(accounts.c.kind, sa.func.sum(accounts.c.balance_kopecks), sa.func.count()).group_by(
        accounts.c.kind
    )
    found = {kind: KindTotal(int(balance_kopecks), count) for kind, balance_kopecks, count in tx.execute(query)}
    return {kind: found.get(kind.value, KindTotal(0, 0)) for kind in AccountKind}


def transfer_ids(tx: ReadTx) -> tuple[int, int]:
    """Return the id of the newest transfer and the last id that a transfer was given; 0 for none."""
    newest = tx.execute(sa.select(sa.func.max(transfers.c.id))).scalar()
    return newest or 0, last_id(tx, transfers)
