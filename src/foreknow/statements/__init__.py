"""Partners' statements: every movement of a partner's money, recorded in its transaction.

The changes of a statement add up to the float's balance and to the balance of all sub-accounts together.
"""

from foreknow.statements.store import StatementLine, StatementRow, page, record, users_balances_kopecks

__all__ = ["StatementLine", "StatementRow", "page", "record", "users_balances_kopecks"]
