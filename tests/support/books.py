"""The audit, run after every file of tests that moved money, and on every database of a test's own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from foreknow.commands.audit import Finding, audit
from foreknow.market.pools.tables import pools
from foreknow.money.ledger.tables import accounts, transfers
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades
from tests.support.service import Service

#: By how much books grow until they are audited again.
GROWTH = 1.25


class BooksAreWrong(AssertionError):
    pass


class Auditor:
    """Audits a service that many tests share, each time the books have grown by a quarter, and at the end.

    Each time that anything had moved, audits of what was right before would take longer than most tests.
    """

    def __init__(self, service: Service) -> None:
        """Begin with the books as they are."""
        self._service = service
        self._audited: tuple[int, ...] = ()

    def audit(self, *, is_last: bool = False) -> None:
        """Fail where the books are wrong; done at once where little was moved since the last time."""
        now = self._service.look(_extent)
        if now != self._audited and (is_last or sum(now) >= sum(self._audited) * GROWTH):
            # Before it fails: what the end of the session raises again, pytest cannot report.
            self._audited = now
            _check(self._service.look(audit))


def audit_database(url: str) -> None:
    """Fail where the books of a database are wrong; no service need run on it."""
    # In a thread of its own: pytest-asyncio minds whose event loop comes and goes in its thread.
    with ThreadPoolExecutor(1) as thread:
        _check(thread.submit(asyncio.run, _audit(url)).result())


async def _audit(url: str) -> list[Finding]:
    database = open_database(url)
    try:
        return await database.read(audit) if await database.read(_has_money) else []
    finally:
        await database.close()


def _extent(tx: ReadTx) -> tuple[int, ...]:
    resolved = sa.select(sa.func.count()).where(pools.c.resolved_at_ms.is_not(None))
    queries = (sa.select(sa.func.max(transfers.c.id)), sa.select(sa.func.max(trades.c.id)), resolved)
    return tuple(tx.scalar(query) or 0 for query in queries)


def _has_money(tx: ReadTx) -> bool:
    """Tell whether there is anything that an audit looks at: half of the tests never move a kopeck."""
    rows = (
        sa.select(transfers.c.id),
        sa.select(trades.c.id),
        sa.select(pools.c.id).where(pools.c.resolved_at_ms.is_not(None)),
        sa.select(accounts.c.id).where(accounts.c.balance_kopecks != 0),
    )
    return bool(tx.scalar(sa.select(sa.or_(*(row.exists() for row in rows)))))


def _check(findings: list[Finding]) -> None:
    if findings:
        raise BooksAreWrong("\n".join(map(str, findings)))
