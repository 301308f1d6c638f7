"""The ledger: the only place where money moves.

Integer kopecks, double entry: a transfer takes from one account what it gives to another, so that all balances always
sum to 0. Balances are never below 0 except the house's own (a CHECK in the database says so too).
"""

from foreknow.ledger.book import (
    AccountKind,
    Sheet,
    Transfer,
    TransferKind,
    account_ids,
    balances_kopecks,
    house_account,
    open_account,
)
from foreknow.ledger.idempotency import ScopedKey, SpentKey, confirm_spent, spend_keys, spent_keys
from foreknow.ledger.totals import KindTotal, totals

__all__ = [
    "AccountKind",
    "KindTotal",
    "ScopedKey",
    "Sheet",
    "SpentKey",
    "Transfer",
    "TransferKind",
    "account_ids",
    "balances_kopecks",
    "confirm_spent",
    "house_account",
    "open_account",
    "spend_keys",
    "spent_keys",
    "totals",
]
