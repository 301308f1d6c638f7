"""Transfers that a transaction makes but does not post."""

from __future__ import annotations

import pytest

from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, UnpostedTransfers, post
from foreknow.money.ledger.returns import Return, last_returns
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


def test_money_moves_in_the_block_alone(bank: Bank) -> None:
    """So that its end finds what was not posted."""
    (user,) = bank.open(AccountKind.USER, balance_kopecks=100)

    def work(tx: WriteTx) -> None:
        ledger_tx = LedgerTransaction(tx)
        ledger_tx.lock([bank.house, user])
        with pytest.raises(AssertionError):
            ledger_tx.transfer(transfer(user, bank.house, 40))
        with ledger_tx:
            pass
        with pytest.raises(AssertionError):
            ledger_tx.transfer(transfer(user, bank.house, 40))

    bank.write(work)


@pytest.mark.parametrize("kopecks", [0, -1])
def test_no_transfer_moves_nothing_or_less(bank: Bank, kopecks: int) -> None:
    (user,) = bank.open(AccountKind.USER, balance_kopecks=100)

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([bank.house, user])
            with pytest.raises(AssertionError):
                ledger_tx.transfer(transfer(user, bank.house, kopecks))

    bank.write(work)


def test_the_newest_trade_is_written_where_the_balance_comes_back_to_what_it_was(bank: Bank) -> None:
    user, other = bank.open(AccountKind.USER, AccountKind.USER, balance_kopecks=100)

    def there_and_back(trade_id: int) -> int | None:
        def work(tx: WriteTx) -> int | None:
            with LedgerTransaction(tx) as ledger_tx:
                ledger_tx.lock([bank.house, user, other])
                ledger_tx.transfer(transfer(user, bank.house, 40))
                ledger_tx.transfer(transfer(bank.house, user, 40))
                before = ledger_tx.note_trade(user, trade_id)
                ledger_tx.post(at_ms=0)
                return before

        before: int | None = bank.write(work)
        return before

    assert [there_and_back(7), there_and_back(8), there_and_back(9)] == [None, 7, 8]


def test_of_several_returns_of_an_account_the_last_is_found(bank: Bank) -> None:
    one, other, never = bank.open(*[AccountKind.FLOAT] * 3, balance_kopecks=100)

    def give_back(account: int, kopecks: int, at_ms: int) -> None:
        made = Transfer(kind=TransferKind.RETURN, source=account, target=bank.house, amount_kopecks=kopecks)
        bank.write(lambda tx: post(tx, [made], at_ms=at_ms))

    give_back(one, 10, 1)
    give_back(other, 20, 2)
    give_back(one, 30, 3)
    found = bank.read(lambda tx: last_returns(tx, [one, other, never]))
    assert found == {one: Return(30, 3), other: Return(20, 2)}
    assert bank.read(lambda tx: last_returns(tx, [never])) == {}
