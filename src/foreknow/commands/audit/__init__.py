"""The audit: proves the books from the rows alone.

It is plain SQL and shares no code with the services that write the rows, so it does not repeat their mistakes, and an
operator can run each query by hand (docs/commands.md). All checks see one snapshot and may run beside servers. Every
query streams: memory stays constant for any number of rows.

    checks      the checks that are a query, a file each; SQL that both databases take
    costs       computes: what positions cost
    liquidity   computes: loss bounds, additions, what the house paid
    settlement  computes: payouts
    keys        computes: idempotency records
    rules       what a check is, how it is read and runs
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from foreknow.commands.audit import costs, keys, liquidity, settlement
from foreknow.commands.audit.rules import Check, Finding, plain_checks
from foreknow.platform.db.transactions import ReadTx

__all__ = ["CHECKS", "Check", "Finding", "audit"]

CHECKS: tuple[Check, ...] = tuple(
    sorted(
        (*plain_checks(), *costs.CHECKS, *liquidity.CHECKS, *settlement.CHECKS, *keys.CHECKS), key=attrgetter("number")
    )
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
