"""Constraints of the database on what the ledger never writes."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.money.ledger import AccountKind
from tests.money.ledger.conftest import Bank

SET = "UPDATE accounts SET balance_kopecks = :amount WHERE id = :account"
MOVE = (
    "INSERT INTO transfers (kind, source_account_id, target_account_id, amount_kopecks, created_at_ms)"
    " VALUES ('credit', :source, :target, :amount, 0)"
)


@pytest.mark.parametrize("kind", [kind for kind in AccountKind if kind is not AccountKind.HOUSE])
def test_no_balance_but_the_houses_is_below_0(bank: Bank, kind: AccountKind) -> None:
    (account,) = bank.open(kind)
    with pytest.raises(IntegrityError, match="never_below_zero"):
        bank.write(lambda tx: tx.execute(sa.text(SET), {"account": account, "amount": -1}))
    assert bank.balances()[account] == 0


def test_the_house_may_owe(bank: Bank) -> None:
    bank.write(lambda tx: tx.execute(sa.text(SET), {"account": bank.house, "amount": -1}))
    assert bank.balances()[bank.house] == -1
    bank.write(lambda tx: tx.execute(sa.text(SET), {"account": bank.house, "amount": 0}))


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transfer_is_of_more_than_nothing(bank: Bank, amount: int) -> None:
    (account,) = bank.open(AccountKind.USER)
    row = {"source": bank.house, "target": account, "amount": amount}
    with pytest.raises(IntegrityError, match="positive"):
        bank.write(lambda tx: tx.execute(sa.text(MOVE), row))


def test_a_transfer_has_two_sides(bank: Bank) -> None:
    row = {"source": bank.house, "target": bank.house, "amount": 1}
    with pytest.raises(IntegrityError, match="two_sides"):
        bank.write(lambda tx: tx.execute(sa.text(MOVE), row))


def test_money_goes_to_no_account_that_is_not_there(bank: Bank) -> None:
    row = {"source": bank.house, "target": 2**40, "amount": 1}
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        bank.write(lambda tx: tx.execute(sa.text(MOVE), row))


def test_an_owner_has_one_account_of_a_kind(bank: Bank) -> None:
    row = "INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('user', 77, 0)"
    bank.write(lambda tx: tx.execute(sa.text(row)))
    with pytest.raises(IntegrityError, match=r"(?i)unique"):
        bank.write(lambda tx: tx.execute(sa.text(row)))
