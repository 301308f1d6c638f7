"""A bank: a database with accounts of every kind, for tests that move money."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, house_account, open_account
from foreknow.money.ledger.tables import accounts, transfers
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.transactions import ReadTx, WriteTx

KINDS = (AccountKind.USER, AccountKind.USER, AccountKind.FLOAT, AccountKind.ESCROW, AccountKind.FEES)


class Bank:
    """A database with a house account, for synchronous tests: hypothesis runs one many times."""

    def __init__(self, url: str) -> None:
        """Open the migrated database of `url`."""
        self._loop = asyncio.new_event_loop()
        self._db = open_database(url)
        self._owners = itertools.count(1)
        self.house = self.write(house_account)

    def write(self, work: Callable[[WriteTx], Any]) -> Any:
        """Run `work(tx)` in its own transaction."""
        return self._loop.run_until_complete(self._db.write(work))

    def write_at_once(self, works: list[Callable[[WriteTx], Any]]) -> list[Any]:
        """Run each in its own transaction, concurrently; return their results or exceptions."""

        async def gathered() -> list[Any]:
            return await asyncio.gather(*map(self._db.write, works), return_exceptions=True)

        return self._loop.run_until_complete(gathered())

    def read(self, work: Callable[[ReadTx], Any]) -> Any:
        """Run `work(tx)` on a snapshot."""
        return self._loop.run_until_complete(self._db.read(work))

    def open(self, *kinds: AccountKind, balance_kopecks: int = 0) -> list[int]:
        """Open an account of each kind, funded by the house, and return their ids."""

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
        """Return the balance of every account."""
        query = sa.select(accounts.c.id, accounts.c.balance_kopecks)
        return {row.id: row.balance_kopecks for row in self.read(lambda tx: tx.execute(query).all())}

    def entries(self) -> dict[int, int]:
        """Return every account's balance as the sum of its transfers."""
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
    """Return a transfer of kind BET."""
    return Transfer(kind=TransferKind.CREDIT, source=source, target=target, amount_kopecks=amount_kopecks)


@pytest.fixture
def bank(database_url: str) -> Iterator[Bank]:
    """A new bank per test; its balances are checked at the end."""
    opened = Bank(database_url)
    try:
        yield opened
        assert opened.balances() == opened.entries()
        assert sum(opened.balances().values()) == 0
    finally:
        opened.close()
