"""What came back to the house: of accounts that pay what is left, and of deleted users."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.money.ledger.tables import accounts, transfers
from foreknow.money.ledger.transactions import LedgerTransaction, Transfer, TransferKind
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx


class Return(NamedTuple):
    """A return of money to the house."""

    amount_kopecks: int
    created_at_ms: int


def last_returns(tx: ReadTx, account_ids: Collection[int]) -> dict[int, Return]:
    """Return the last return from each of these accounts that has one."""
    return {account_id: Return(*rest) for account_id, *rest in _LAST.fetch(tx, {"ids": account_ids})}


def _last(_dialect: str) -> sa.Select[tuple[int, int, int]]:
    earlier = transfers.alias("earlier")
    last_id = (
        sa.select(earlier.c.id)
        .where(
            # The literal, so that the partial index matches.
            earlier.c.kind == sa.literal_column(f"'{TransferKind.RETURN.value}'"),
            earlier.c.source_account_id == accounts.c.id,
        )
        .order_by(earlier.c.id.desc())
        .limit(1)
        .correlate(accounts)
        .scalar_subquery()
    )
    return (
        sa.select(accounts.c.id, transfers.c.amount_kopecks, transfers.c.created_at_ms)
        .join_from(accounts, transfers, transfers.c.id == last_id)
        .where(in_array(accounts.c.id))
    )


_LAST = CompiledQuery(_last)


def forfeit(ledger_tx: LedgerTransaction, account_id: int, *, house: int) -> int:
    """Transfer the whole balance of a deleted user's locked account to the locked account `house`; return it, kopecks.

    Report it to the statistics (`stats.record_grants`, below 0), too.
    """
    amount_kopecks = ledger_tx.balance_kopecks(account_id)
    if amount_kopecks:
        ledger_tx.transfer(
            Transfer(kind=TransferKind.FORFEIT, source=account_id, target=house, amount_kopecks=amount_kopecks)
        )
    return amount_kopecks
