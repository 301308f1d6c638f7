"""Partners' statements: every movement of a partner's money, recorded in its transaction.

The changes of a statement add up to the float's balance and to the balance of all sub-accounts together.
"""

from foreknow.statements.store import (
    StatementLine,
    StatementRow,
    begun_fetch,
    page,
    record,
    users_balances_kopecks,
    write,
)

__all__ = ["StatementLine", "StatementRow", "begun_fetch", "page", "record", "users_balances_kopecks", "write"]
