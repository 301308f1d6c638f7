"""An account's credits, grants and debits: whose they are, their signs and order, and their notes."""

from __future__ import annotations

import pytest

from foreknow.money.ledger import AccountKind, Transfer, TransferKind, clear_notes, credited_since, post
from foreknow.money.ledger.credits import credits_of, debits_of
from foreknow.platform.db.transactions import WriteTx
from tests.money.ledger.conftest import Bank


@pytest.fixture
def users(bank: Bank) -> list[int]:
    """Two users, each with a credit of 10, a grant of 20, a debit of 3 and a credit of 40, a second apart."""
    users = bank.open(AccountKind.USER, AccountKind.USER)

    def work(tx: WriteTx) -> None:
        moves = [("credit", 10, "thanks"), ("grant", 20, None), ("debit", 3, "sorry"), ("credit", 40, None)]
        for second, (kind, amount, note) in enumerate(moves, start=1):
            for user in users:
                source, target = (user, bank.house) if kind == "debit" else (bank.house, user)
                made = Transfer(kind=TransferKind(kind), source=source, target=target, amount_kopecks=amount, note=note)
                post(tx, [made], at_ms=1000 * second)

    bank.write(work)
    return users


def test_what_was_credited_after_a_moment_has_its_sign(bank: Bank, users: list[int]) -> None:
    def changes(since_ms: int) -> list[int]:
        found = bank.read(lambda tx: credited_since(tx, [users[0]], since_ms=since_ms))
        assert {one.account_id for one in found} <= {users[0]}
        return sorted(one.change_kopecks for one in found)

    assert changes(999) == [-3, 10, 20, 40]
    assert changes(1000) == [-3, 20, 40]
    assert changes(3000) == [40]
    assert changes(4000) == []


def test_credits_come_newest_first_before_an_id_and_with_their_notes(bank: Bank, users: list[int]) -> None:
    newest = bank.read(lambda tx: credits_of(tx, users[0], before_id=10**9, limit=2))
    assert [(one.amount_kopecks, one.note, one.created_at_ms) for one in newest] == [(40, "", 4000), (20, "", 2000)]
    older = bank.read(lambda tx: credits_of(tx, users[0], before_id=newest[-1].id, limit=2))
    assert [(one.amount_kopecks, one.note) for one in older] == [(10, "thanks")]
    assert bank.read(lambda tx: credits_of(tx, users[0], before_id=older[0].id, limit=2)) == []


def test_only_the_notes_of_one_account_are_cleared(bank: Bank, users: list[int]) -> None:
    bank.write(lambda tx: clear_notes(tx, users[0]))

    def notes(user: int) -> list[str]:
        credited = bank.read(lambda tx: credits_of(tx, user, before_id=10**9, limit=9))
        return [one.note for one in [*credited, *bank.read(lambda tx: debits_of(tx, user, before_id=10**9, limit=9))]]

    assert notes(users[0]) == ["", "", "", ""]
    assert notes(users[1]) == ["", "", "thanks", "sorry"]
