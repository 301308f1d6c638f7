"""The audit: proves the books from the rows alone.

It is written in the database's own language rather than with the service's, so that it trusts nothing that the service
says of its rows and each of its queries can be put to the database by hand. All of it sees one moment: it may run
beside servers at work. Every query streams, so that memory stays flat however long the books are.

    money     transfers, balances, owners
    trading   trades, positions, q
    settling  escrows, resolutions
    showing   statements, profits, statistics, kept answers
"""

from __future__ import annotations

from collections.abc import Callable

from foreknow.audit import derived, money, settlement, trading
from foreknow.audit.rules import Check, Finding
from foreknow.db.transactions import ReadTx

__all__ = ["CHECKS", "Check", "Finding", "audit"]

CHECKS: tuple[Check, ...] = (*money.CHECKS, *trading.CHECKS, *settlement.CHECKS, *derived.CHECKS)


def audit(
    tx: ReadTx, *, after_each: Callable[[Check, list[Finding]], None] = lambda _check, _findings: None
) -> list[Finding]:
    """Return all that is wrong with the books, nothing if they are right.

    `tx` must see one moment throughout (`Database.read`). `after_each` is told what each check found.
    """
    found: list[Finding] = []
    for check in CHECKS:
        findings = check.run(tx)
        after_each(check, findings)
        found += findings
    return found
