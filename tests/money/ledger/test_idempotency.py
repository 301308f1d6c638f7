"""A key is stored with the money it moves, or not at all."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from foreknow.kernel.errors import IdempotencyKeyReused
from foreknow.money.ledger import (
    AccountKind,
    IdempotencyRecord,
    LedgerTransaction,
    ScopedKey,
    delete_idempotency_records,
    find_idempotency_records,
    lock_idempotency_record,
    store_idempotency_records,
)
from foreknow.platform.db.transactions import WriteTx
from tests.money.ledger.conftest import Bank, transfer

STAKE_KOPECKS = 10


class Aborted(Exception):
    pass


class Till:
    """Takes a stake under a key, as the trade desk does: one response per key."""

    def __init__(self, bank: Bank) -> None:
        """Fund a user."""
        self.bank = bank
        (self.user,) = bank.open(AccountKind.USER, balance_kopecks=1_000_000)

    def pay(self, tx: WriteTx, scoped: ScopedKey, request: str = "a request", *, abort: bool = False) -> str:
        """Take the stake or replay the first response; return the response."""
        spent = find_idempotency_records(tx, [scoped]).get(scoped)
        if spent is not None:
            return spent.replay_for(request).body.decode()
        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([self.bank.house, self.user])
            ledger_tx.transfer(transfer(self.user, self.bank.house, STAKE_KOPECKS))
            ledger_tx.post(at_ms=0)
        answer = str(ledger_tx.balance_kopecks(self.user))
        store_idempotency_records(tx, {scoped: IdempotencyRecord(request, 201, answer.encode())}, at_ms=0)
        if abort:
            raise Aborted
        return answer

    def stakes_taken(self) -> int:
        """Count the stakes."""
        return (1_000_000 - self.bank.balances()[self.user]) // STAKE_KOPECKS


@pytest.fixture
def till(bank: Bank) -> Till:
    return Till(bank)


def test_keys_come_in_any_order_and_move_money_once_each(till: Till) -> None:
    """Aborted transactions store no key and move no money."""
    calls = st.tuples(st.sampled_from(["user:1", "user:2", "partner:1"]), st.sampled_from("abc"), st.booleans())
    rounds = iter(range(1_000))

    @settings(max_examples=12)
    @given(st.lists(calls, max_size=10))
    def check(sequence: list[tuple[str, str, bool]]) -> None:
        number, before = next(rounds), till.stakes_taken()
        answers: dict[ScopedKey, str] = {}
        for scope, key, abort in sequence:
            scoped = (scope, f"{key}-{number}")

            def work(tx: WriteTx, scoped: ScopedKey = scoped, *, abort: bool = abort) -> str:
                return till.pay(tx, scoped, abort=abort)

            if abort and scoped not in answers:
                with pytest.raises(Aborted):
                    till.bank.write(work)
            else:
                answer = till.bank.write(work)
                assert answer == answers.setdefault(scoped, answer)
        assert till.stakes_taken() - before == len(answers) == len(set(answers.values()))

    check()


def test_a_key_that_comes_many_times_at_once_moves_money_once(till: Till) -> None:
    answers = till.bank.write_at_once([lambda tx: till.pay(tx, ("user:1", "k"))] * 12)
    assert answers == [str(1_000_000 - STAKE_KOPECKS)] * 12
    assert till.stakes_taken() == 1


def test_a_key_stands_for_one_request(till: Till) -> None:
    till.bank.write(lambda tx: till.pay(tx, ("user:1", "k")))
    with pytest.raises(IdempotencyKeyReused):
        till.bank.write(lambda tx: till.pay(tx, ("user:1", "k"), "another request"))
    # The same key in another scope is another key.
    till.bank.write(lambda tx: till.pay(tx, ("user:2", "k"), "another request"))
    assert till.stakes_taken() == 2


def test_a_replayed_response_is_byte_for_byte_the_first(bank: Bank) -> None:
    kept = IdempotencyRecord("f", 201, bytes(range(256)))
    bank.write(lambda tx: store_idempotency_records(tx, {("user:1", "k"): kept, ("user:1", "l"): kept}, at_ms=0))
    wanted = [("user:1", "k"), ("user:2", "k"), ("user:1", "K")]
    assert bank.read(lambda tx: find_idempotency_records(tx, wanted)) == {("user:1", "k"): kept}
    assert bank.read(lambda tx: find_idempotency_records(tx, [])) == {}


RECORD = IdempotencyRecord("f", 201, b"{}")


def test_the_keys_of_one_caller_are_deleted_and_no_others(bank: Bank) -> None:
    mine, other = [("user:1", key) for key in "abc"], ("user:2", "a")
    bank.write(lambda tx: store_idempotency_records(tx, dict.fromkeys([*mine, other], RECORD), at_ms=0))
    assert bank.write(lambda tx: delete_idempotency_records(tx, "user:1", most=2)) == 2
    assert bank.read(lambda tx: find_idempotency_records(tx, [*mine, other])) == {mine[2]: RECORD, other: RECORD}
    assert bank.write(lambda tx: delete_idempotency_records(tx, "user:1", most=2)) == 1
    assert bank.write(lambda tx: delete_idempotency_records(tx, "user:1", most=2)) == 0
    assert bank.read(lambda tx: find_idempotency_records(tx, [*mine, other])) == {other: RECORD}


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_replay_locks_its_record_alone_and_shares_it_with_other_replays(bank: Bank, database_url: str) -> None:
    keys = [("user:1", "a"), ("user:1", "b"), ("user:2", "a")]
    bank.write(lambda tx: store_idempotency_records(tx, dict.fromkeys(keys, RECORD), at_ms=0))

    def unlocked(how: str) -> list[tuple[str, str]]:
        """Return what another connection can lock."""
        query = sa.text(f"SELECT scope, key FROM idempotency_keys ORDER BY key, scope {how} SKIP LOCKED")
        with contextlib.closing(Bank(database_url)) as other:
            return [(scope, key) for scope, key in other.write(lambda tx: tx.execute(query).all())]

    def work(tx: WriteTx) -> tuple[set[ScopedKey], set[ScopedKey]]:
        lock_idempotency_record(tx, keys[0])
        # An event loop of its own needs a thread of its own.
        with ThreadPoolExecutor(1) as thread:
            exclusive, shared = thread.map(unlocked, ("FOR UPDATE", "FOR SHARE"))
        return set(exclusive), set(shared)

    assert bank.write(work) == (set(keys[1:]), set(keys))
