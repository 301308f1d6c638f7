"""The audit: proves the books from the rows alone.

It is plain SQL and shares no code with the services that write the rows, so it does not repeat their mistakes, and an
operator can run each query by hand. All checks see one snapshot and may run beside servers. Every query streams: memory
stays constant for any number of rows.

    money       transfers, balances, owners
    trading     trades, positions, q
    liquidity   loss bounds, additions, what the house paid
    settlement  escrows, resolutions, payouts
    derived     statements, PnL, statistics, idempotency records
    rules       what a check is, and how it runs
"""

from __future__ import annotations

from collections.abc import Callable

from foreknow.audit import derived, liquidity, money, settlement, trading
from foreknow.audit.rules import Check, Finding
from foreknow.db.transactions import ReadTx

__all__ = ["CHECKS", "Check", "Finding", "audit"]

CHECKS: tuple[Check, ...] = (
    *money.CHECKS,
    *trading.CHECKS,
    *liquidity.CHECKS,
    *settlement.CHECKS,
    *derived.CHECKS,
)


def audit(
    tx: ReadTx, *, after_each: Callable[[Check, list[Finding]], None] = lambda _check, _findings: None
) -> list[Finding]:
    """Return every error in the books; an empty list if they are right.

    `tx` must be one snapshot (`Database.read`). `after_each` is called with the findings of each check.
    """
    found: list[Finding] = []
    for check in CHECKS:
        findings = check.run(tx)
        after_each(check, findings)
        found += findings
    return found
