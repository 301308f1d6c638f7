"""What deleted users leave to the house."""

from __future__ import annotations

from foreknow.money.ledger.transactions import LedgerTransaction, Transfer, TransferKind


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
