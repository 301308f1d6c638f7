"""No sequence of transfers creates or loses money, and only the house has a negative balance."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from foreknow.kernel.errors import BalanceLimit, DomainError, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.money.ledger import AccountKind, LedgerTransaction, TransferKind, totals
from foreknow.platform.db.transactions import WriteTx
from tests.money.ledger.conftest import KINDS, Bank, transfer

#: Source, target and amount: small amounts that collide, and amounts near the limit.
MOVES = st.lists(
    st.tuples(
        st.integers(0, len(KINDS)),
        st.integers(0, len(KINDS)),
        st.integers(1, 100) | st.integers(AMOUNT_MAX - 100, AMOUNT_MAX),
    ).filter(lambda move: move[0] != move[1]),
    max_size=8,
)


class Aborted(Exception):
    pass


def outcome(ledger_tx: LedgerTransaction, move: tuple[int, int, int]) -> type[DomainError] | None:
    """Try a transfer; return its error."""
    try:
        ledger_tx.transfer(transfer(*move))
    except DomainError as error:
        return type(error)
    return None


class Movements(RuleBasedStateMachine):
    """Transactions of several transfers each, compared with a dict of balances."""

    def __init__(self, bank: Bank) -> None:
        super().__init__()
        self.bank = bank
        self.accounts = [bank.house, *bank.open(*KINDS)]
        self.model = bank.balances()

    def expected(self, balances: dict[int, int], move: tuple[int, int, int]) -> type[DomainError] | None:
        """Apply a transfer to the model's balances, or return the expected error."""
        source, target, amount = move
        if source != self.bank.house and balances[source] < amount:
            return InsufficientFunds
        if target != self.bank.house and balances[target] + amount > AMOUNT_MAX:
            return BalanceLimit
        balances[source] -= amount
        balances[target] += amount
        return None

    @rule(moves=MOVES, aborted=st.booleans())
    def move(self, moves: list[tuple[int, int, int]], *, aborted: bool) -> None:
        """Each transfer succeeds or fails by itself; an aborted transaction changes nothing."""
        tried = [(self.accounts[source], self.accounts[target], amount) for source, target, amount in moves]

        def work(tx: WriteTx) -> list[type[DomainError] | None]:
            with LedgerTransaction(tx) as ledger_tx:
                ledger_tx.lock(self.accounts)
                outcomes = [outcome(ledger_tx, move) for move in tried]
                ledger_tx.post(at_ms=0)
            if aborted:
                raise Aborted
            return outcomes

        if aborted:
            with pytest.raises(Aborted):
                self.bank.write(work)
        else:
            assert self.bank.write(work) == [self.expected(self.model, move) for move in tried]

    @invariant()
    def balances_are_those_of_the_model(self) -> None:
        balances = self.bank.balances()
        assert balances == self.model
        assert sum(balances.values()) == 0
        assert all(balance >= 0 for account, balance in balances.items() if account != self.bank.house)


def test_no_sequence_of_transfers_makes_or_loses_money(bank: Bank) -> None:
    class Here(Movements):
        def __init__(self) -> None:
            super().__init__(bank)

    run_state_machine_as_test(Here, settings=settings(max_examples=15, stateful_step_count=8))


def test_a_refused_transfer_changes_nothing(bank: Bank) -> None:
    poor, rich = bank.open(AccountKind.USER, AccountKind.USER, balance_kopecks=100)
    before = bank.balances()

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([poor, rich])
            with pytest.raises(InsufficientFunds) as error:
                ledger_tx.transfer(transfer(poor, rich, 101))
            assert error.value.details == {"required": 101, "available": 100}
            assert (ledger_tx.balance_kopecks(poor), ledger_tx.balance_kopecks(rich)) == (100, 100)
            ledger_tx.post(at_ms=0)

    bank.write(work)
    assert bank.balances() == before


def test_only_a_settlement_goes_over_the_limit(bank: Bank) -> None:
    (winner,) = bank.open(AccountKind.USER, balance_kopecks=AMOUNT_MAX)

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([bank.house, winner])
            with pytest.raises(BalanceLimit):
                ledger_tx.transfer(transfer(bank.house, winner, 1))
            ledger_tx.transfer(transfer(bank.house, winner, 1), over_limit=True)
            ledger_tx.post(at_ms=0)

    bank.write(work)
    assert bank.balances()[winner] == AMOUNT_MAX + 1


def test_of_transfers_at_once_as_many_are_made_as_the_balance_covers(bank: Bank) -> None:
    spender, taker = bank.open(AccountKind.USER, AccountKind.ESCROW, balance_kopecks=1_000)

    def spend(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([spender, taker])
            ledger_tx.transfer(transfer(spender, taker, 150))
            ledger_tx.post(at_ms=0)

    made = Counter(type(result) for result in bank.write_at_once([spend] * 15))
    assert made == {type(None): 6, InsufficientFunds: 9}
    assert (bank.balances()[spender], bank.balances()[taker]) == (100, 1_900)


def test_transfers_both_ways_at_once_do_not_wait_for_each_other(bank: Bank) -> None:
    one, other = bank.open(AccountKind.USER, AccountKind.USER, balance_kopecks=1_000)

    def work(source: int, target: int) -> Any:
        def give(tx: WriteTx) -> None:
            with LedgerTransaction(tx) as ledger_tx:
                ledger_tx.lock([source, target])
                ledger_tx.transfer(transfer(source, target, 7))
                ledger_tx.post(at_ms=0)

        return give

    results = bank.write_at_once([work(one, other), work(other, one), work(one, other)] * 6)
    assert results == [None] * 18
    assert (bank.balances()[one], bank.balances()[other]) == (1_000 - 6 * 7, 1_000 + 6 * 7)


def test_repeated_posts_write_each_transfer_once(bank: Bank) -> None:
    (user,) = bank.open(AccountKind.USER)

    def work(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([bank.house, user])
            for amount in (5, 6):
                ledger_tx.transfer(transfer(bank.house, user, amount))
                ledger_tx.post(at_ms=0)
                ledger_tx.post(at_ms=0)

    bank.write(work)
    assert bank.balances()[user] == 11


def test_the_totals_of_all_kinds_sum_to_0(bank: Bank) -> None:
    bank.open(*KINDS, balance_kopecks=30)
    found = bank.read(totals)
    assert {kind: tuple(total) for kind, total in found.items()} == {
        AccountKind.HOUSE: (-150, 1),
        AccountKind.USER: (60, 2),
        AccountKind.FLOAT: (30, 1),
        AccountKind.ESCROW: (30, 1),
        AccountKind.FEES: (30, 1),
        AccountKind.ORDERS: (0, 0),
    }


def test_every_kind_of_transfer_has_a_name_of_its_own() -> None:
    assert len({kind.value for kind in TransferKind}) == len(TransferKind)
