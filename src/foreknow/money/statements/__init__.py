"""Partners' statements: every movement of a partner's money, recorded in its transaction.

The changes of a statement add up to the float's balance and to the balance of all sub-accounts together.
"""

from foreknow.money.statements.filters import StatementFilter, StatementPlace, filtered_page, place_of
from foreknow.money.statements.store import (
    StatementLine,
    StatementRow,
    StatementType,
    after,
    begun_fetch,
    count_after,
    has_line,
    last_orders_ms,
    page,
    record,
    settlements_of,
    totals_kopecks,
    users_balances_kopecks,
    write,
)

__all__ = [
    "StatementFilter",
    "StatementLine",
    "StatementPlace",
    "StatementRow",
    "StatementType",
    "after",
    "begun_fetch",
    "count_after",
    "filtered_page",
    "has_line",
    "last_orders_ms",
    "page",
    "place_of",
    "record",
    "settlements_of",
    "totals_kopecks",
    "users_balances_kopecks",
    "write",
]
