"""The ledger: the only place where money moves.

Double entry in integer kopecks: each transfer debits one account and credits another, so all balances sum to 0. No
balance is below 0 except the house's own; a CHECK in the database enforces it too.
"""

from foreknow.money.ledger.credits import (
    Credited,
    CreditRow,
    OrderMovement,
    clear_notes,
    credited_since,
    credits_of,
    debits_of,
    holds_of,
    returns_of,
)
from foreknow.money.ledger.idempotency import (
    IdempotencyRecord,
    ScopedKey,
    delete_idempotency_records,
    find_idempotency_records,
    lock_idempotency_record,
    records_fetch,
    store_idempotency_records,
)
from foreknow.money.ledger.returns import Return, forfeit, last_returns
from foreknow.money.ledger.totals import KindTotal, totals, transfer_ids
from foreknow.money.ledger.transactions import (
    AccountKind,
    AccountRow,
    LedgerTransaction,
    Transfer,
    TransferKind,
    UnpostedTransfers,
    account_ids,
    account_ids_fetch,
    accounts_fetch,
    accounts_of_fetch,
    balances_fetch,
    balances_kopecks,
    house_account,
    last_trade_ids,
    lock_statement,
    open_account,
    post,
)

__all__ = [
    "AccountKind",
    "AccountRow",
    "CreditRow",
    "Credited",
    "IdempotencyRecord",
    "KindTotal",
    "LedgerTransaction",
    "OrderMovement",
    "Return",
    "ScopedKey",
    "Transfer",
    "TransferKind",
    "UnpostedTransfers",
    "account_ids",
    "account_ids_fetch",
    "accounts_fetch",
    "accounts_of_fetch",
    "balances_fetch",
    "balances_kopecks",
    "clear_notes",
    "credited_since",
    "credits_of",
    "debits_of",
    "delete_idempotency_records",
    "find_idempotency_records",
    "forfeit",
    "holds_of",
    "house_account",
    "last_returns",
    "last_trade_ids",
    "lock_idempotency_record",
    "lock_statement",
    "open_account",
    "post",
    "records_fetch",
    "returns_of",
    "store_idempotency_records",
    "totals",
    "transfer_ids",
]
