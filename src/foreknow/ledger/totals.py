"""Totals by account kind, for metrics and monitoring."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx
from foreknow.ledger.tables import accounts
from foreknow.ledger.transactions import AccountKind


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
