"""Checks after a copy: both databases hold the same, and the audit finds nothing."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.commands.audit import audit
from foreknow.commands.copying.databases import CopyDatabase
from foreknow.commands.copying.errors import CannotCopy
from foreknow.platform.db.transactions import WriteTx


async def prove_books(side: CopyDatabase, which: str) -> None:
    """Raise `CannotCopy` where the audit finds an error."""
    findings = await side.run(audit)
    if findings:
        raise CannotCopy(f"the books of the {which} are wrong, nothing is copied; the first finding: {findings[0]}")


async def prove_balances(source: CopyDatabase, target: CopyDatabase) -> None:
    """Raise `CannotCopy` where the sides do not have the same accounts with the same money."""
    here, there = await source.run(_totals), await target.run(_totals)
    if here != there:
        raise CannotCopy(f"the balances differ, nothing is copied: {here} here, {there} there")


def _totals(tx: WriteTx) -> dict[str, tuple[int, int]]:
    """Return for each kind of account how many there are, and their kopecks together."""
    return {kind: (count, (high << 32) + low) for kind, count, high, low in tx.execute(_TOTALS)}


# Sums in two parts, as in the audit: the whole may exceed 64 bits.
_TOTALS = sa.text(
    "SELECT kind, COUNT(*), CAST(SUM(balance_kopecks >> 32) AS BIGINT),"
    " CAST(SUM(balance_kopecks & 4294967295) AS BIGINT) FROM accounts GROUP BY kind"
)
