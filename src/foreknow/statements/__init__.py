"""Partners' statements: every movement of a partner's money is recorded here, in the transaction that moves it.

From the first line on, a statement's changes add up to the float's balance and to the balance of all sub-accounts
together, whoever moved the money: the desk, a settlement, a deposit, a withdrawal.
"""

from foreknow.statements.store import StatementLine, StatementRow, page, record, users_balances_kopecks

__all__ = ["StatementLine", "StatementRow", "page", "record", "users_balances_kopecks"]
