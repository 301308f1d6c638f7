"""A bank: some accounts of every kind in a database, for tests that move money between them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.db.engine import open_database
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, house_account, open_account
from foreknow.ledger.tables import accounts, transfers

KINDS = (AccountKind.USER, AccountKind.USER, AccountKind.FLOAT, AccountKind.ESCROW, AccountKind.FEES)


class Bank:
    """A database with a house, for tests that are not coroutines: hypothesis runs one many times over."""

    def __init__(self, url: str) -> None:
        """Open the database of `url`, which has the schema."""
        self._loop = asyncio.new_event_loop()
        self._db = open_database(url)
        self._owners = itertools.count(1)
        self.house = self.write(house_account)

    def write(self, work: Callable[[WriteTx], Any]) -> Any:
        """Run `work(tx)` in a transaction of its own."""
        return self._loop.run_until_complete(self._db.write(work))

    def write_at_once(self, works: list[Callable[[WriteTx], Any]]) -> list[Any]:
        """Run each in a transaction of its own, all at the same time; return what they return or raise."""

        async def gathered() -> list[Any]:
            return await asyncio.gather(*map(self._db.write, works), return_exceptions=True)

        return self._loop.run_until_complete(gathered())

    def read(self, work: Callable[[ReadTx], Any]) -> Any:
        """Run `work(tx)` on a snapshot."""
        return self._loop.run_until_complete(self._db.read(work))

    def open(self, *kinds: AccountKind, balance_kopecks: int = 0) -> list[int]:
        """Open an account of each kind, with money from the house, and return their ids."""

        def work(tx: WriteTx) -> list[int]:
            opened = [open_account(tx, kind=kind, owner_id=next(self._owners)) for kind in kinds]
            with LedgerTransaction(tx) as ledger_tx:
                ledger_tx.lock([self.house, *opened])
                for account in opened if balance_kopecks else []:
                    ledger_tx.transfer(transfer(self.house, account, balance_kopecks))
                ledger_tx.post(at_ms=0)
            return opened

        return list(self.write(work))

    def balances(self) -> dict[int, int]:
        """Return the balance of every account there is."""
        query = sa.select(accounts.c.id, accounts.c.balance_kopecks)
        return {row.id: row.balance_kopecks for row in self.read(lambda tx: tx.execute(query).all())}

    def entries(self) -> dict[int, int]:
        """Return what the transfers alone make of every account."""
        query = sa.select(transfers.c.source_account_id, transfers.c.target_account_id, transfers.c.amount_kopecks)
        made = dict.fromkeys(self.balances(), 0)
        for source, target, amount in self.read(lambda tx: tx.execute(query).all()):
            made[source] -= amount
            made[target] += amount
        return made

    def close(self) -> None:
        """Close the database."""
        self._loop.run_until_complete(self._db.close())
        self._loop.close()


def transfer(source: int, target: int, amount_kopecks: int) -> Transfer:
    """Describe a movement."""
    return Transfer(kind=TransferKind.CREDIT, source=source, target=target, amount_kopecks=amount_kopecks)


@pytest.fixture
def bank(database_url: str) -> Iterator[Bank]:
    """A bank of this test's own; however the test ends, its books are right."""
    opened = Bank(database_url)
    try:
        yield opened
        assert opened.balances() == opened.entries()
        assert sum(opened.balances().values()) == 0
    finally:
        opened.close()
