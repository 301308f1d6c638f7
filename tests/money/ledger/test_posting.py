"""Transfers that a transaction makes but does not post."""

from __future__ import annotations

import pytest

from foreknow.money.ledger import AccountKind, LedgerTransaction, UnpostedTransfers, post
from foreknow.platform.db.transactions import WriteTx
from tests.money.ledger.conftest import Bank, transfer


def test_a_block_that_ends_without_posting_fails_and_commits_nothing(bank: Bank) -> None:
    (user,) = bank.open(AccountKind.USER, balance_kopecks=100)

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([bank.house, user])
            ledger_tx.transfer(transfer(user, bank.house, 40))

    with pytest.raises(UnpostedTransfers):
        bank.write(work)
    assert bank.balances()[user] == 100


def test_an_error_inside_the_block_is_raised_as_it_is(bank: Bank) -> None:
    (user,) = bank.open(AccountKind.USER, balance_kopecks=100)

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([bank.house, user])
            ledger_tx.transfer(transfer(user, bank.house, 40))
            raise LookupError

    with pytest.raises(LookupError):
        bank.write(work)


def test_a_set_of_transfers_is_posted_in_one_call(bank: Bank) -> None:
    one, other = bank.open(AccountKind.USER, AccountKind.FLOAT, balance_kopecks=100)
    balances = bank.write(lambda tx: post(tx, [transfer(one, other, 30), transfer(other, bank.house, 5)], at_ms=0))
    assert balances[one] == bank.balances()[one] == 70
    assert balances[other] == bank.balances()[other] == 125
