"""Partners' statements: every movement of a partner's money, recorded in its transaction.

The changes of a statement add up to the float's balance and to the balance of all sub-accounts together.
"""

from foreknow.statements.filters import Place, StatementFilter, filtered_page, place_of
from foreknow.statements.store import (
    StatementLine,
    StatementRow,
    StatementType,
    after,
    begun_fetch,
    page,
    record,
    users_balances_kopecks,
    write,
)

__all__ = [
    "Place",
    "StatementFilter",
    "StatementLine",
    "StatementRow",
    "StatementType",
    "after",
    "begun_fetch",
    "filtered_page",
    "page",
    "place_of",
    "record",
    "users_balances_kopecks",
    "write",
]
