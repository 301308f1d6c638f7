"""Where money moves: `post` for a set of transfers, `LedgerTransaction` for decisions that depend on locked balances.

The rows are written in the caller's transaction, beside what the money was for and the key that made it idempotent.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Self

import msgspec
import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery, in_array, insert_rows, update_rows
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.ledger.tables import accounts, transfers


class AccountKind(enum.StrEnum):
    """Whose money an account holds."""

    #: The house's own capital and the outside world's deposits; the only kind that may be below 0.
    HOUSE = "house"
    #: A user's or a partner's sub-account's balance.
    USER = "user"
    #: A partner's float.
    FLOAT = "float"
    #: What a pool holds to pay its outcomes.
    ESCROW = "escrow"
    #: What a pool earned for the house.
    FEES = "fees"


class TransferKind(enum.StrEnum):
    """What a transfer is for."""

    BET = "bet"
    FEE = "fee"
    SALE = "sale"
    SETTLEMENT = "settlement"
    #: The house's loss bound into a pool's escrow on publication, and what is left back after settlement.
    SUBSIDY = "subsidy"
    RETURN = "return"
    #: An admin's credit to a user, and its taking back.
    CREDIT = "credit"
    DEBIT = "debit"
    #: A partner's money in and out of its float.
    DEPOSIT = "deposit"
    PAYOUT = "payout"
    #: Between a partner's float and its sub-accounts.
    FUNDING = "funding"
    WITHDRAWAL = "withdrawal"


class Transfer(msgspec.Struct, kw_only=True, gc=False):
    """`amount_kopecks` (over 0) goes from account `source` to account `target` (account ids).

    All but `trade_id` is settled when it is made; the trade gets its id once the whole batch is decided.
    """

    kind: TransferKind
    source: int
    target: int
    amount_kopecks: int
    trade_id: int | None = None
    position_id: int | None = None


class UnpostedTransfers(Exception):
    """A block that made transfers ended without posting them; its transaction must not commit."""


class LedgerTransaction:
    """Balances locked by one database transaction, and the transfers made among them.

        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([house, account])
            ledger_tx.transfer(Transfer(kind=CREDIT, source=house, target=account, amount_kopecks=5_00))
            ledger_tx.post(at_ms=now_ms)

    The block raises `UnpostedTransfers` if it ends with transfers that were not posted.

    Lock order, the same everywhere so that no two transactions wait for each other: pools in id order, then partners'
    floats in id order, then all other accounts in id order, then events. Each `lock` keeps it.
    """

    def __init__(self, tx: WriteTx) -> None:
        """Start with nothing locked."""
        self._tx = tx
        self._balances: dict[int, int] = {}
        self._unbounded: set[int] = set()
        self._before: dict[int, int] = {}
        self._unposted: list[Transfer] = []
        self._is_open = False

    def __enter__(self) -> Self:
        self._is_open = True
        return self

    def __exit__(self, failed: type[BaseException] | None, _failure: object, _trace: object) -> None:
        self._is_open = False
        if failed is None and self._unposted:
            raise UnpostedTransfers(f"{len(self._unposted)} transfers were made and not posted")

    def lock(self, account_ids: Iterable[int]) -> None:
        """Lock accounts until the transaction ends and read their balances."""
        wanted = set(account_ids) - self._balances.keys()
        if not wanted:
            return
        for account_id, kind, balance_kopecks in _LOCK.fetch(self._tx, {"ids": wanted}):
            self._balances[account_id] = self._before[account_id] = balance_kopecks
            if kind == AccountKind.HOUSE:
                self._unbounded.add(account_id)

    def balance_kopecks(self, account_id: int) -> int:
        """Return a locked account's balance after the transfers so far."""
        return self._balances[account_id]

    def transfer(self, transfer: Transfer, *, over_limit: bool = False) -> Transfer:
        """Transfer money between two locked accounts and return the transfer, to be posted.

        Raises `InsufficientFunds` or `BalanceLimit` and changes nothing; a settlement is paid `over_limit`.
        """
        assert self._is_open, "transfers are made inside the with block, whose end finds those not posted"
        assert transfer.amount_kopecks > 0
        assert transfer.source != transfer.target
        available = self._balances[transfer.source]
        if transfer.amount_kopecks > available and transfer.source not in self._unbounded:
            raise InsufficientFunds(required=transfer.amount_kopecks, available=available)
        after = self._balances[transfer.target] + transfer.amount_kopecks
        if after > AMOUNT_MAX and not over_limit and transfer.target not in self._unbounded:
            raise BalanceLimit
        self._balances[transfer.source] = available - transfer.amount_kopecks
        self._balances[transfer.target] = after
        self._unposted.append(transfer)
        return transfer

    def check_balance_limit(self, account_id: int, amount_kopecks: int) -> None:
        """Raise `BalanceLimit` if this amount would lift a balance over the limit."""
        if self._balances[account_id] + amount_kopecks > AMOUNT_MAX:
            raise BalanceLimit

    def post(self, *, at_ms: int) -> None:
        """Write the transfers made since the last call and the balances they lead to."""
        if not self._unposted:
            return
        insert_rows(self._tx, transfers, _TRANSFER, [_row(transfer, at_ms) for transfer in self._unposted])
        changed = [
            (balance, account_id)
            for account_id, balance in self._balances.items()
            if balance != self._before[account_id]
        ]
        update_rows(self._tx, accounts, ("balance_kopecks",), changed)
        self._unposted = []
        self._before = dict(self._balances)


def post(tx: WriteTx, wanted: Sequence[Transfer], *, at_ms: int) -> Mapping[int, int]:
    """Lock the accounts of a set of transfers, make and write them; return the new balances (kopecks) by account id.

    Raises `InsufficientFunds` or `BalanceLimit`; then nothing was written.
    """
    account_ids = {account_id for transfer in wanted for account_id in (transfer.source, transfer.target)}
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock(account_ids)
        for transfer in wanted:
            ledger_tx.transfer(transfer)
        ledger_tx.post(at_ms=at_ms)
    return {account_id: ledger_tx.balance_kopecks(account_id) for account_id in account_ids}


_LOCK = CompiledQuery(
    lambda _dialect: (
        sa.select(accounts.c.id, accounts.c.kind, accounts.c.balance_kopecks)
        .where(in_array(accounts.c.id))
        # False sorts first: floats before all others.
        .order_by(accounts.c.kind != AccountKind.FLOAT.value, accounts.c.id)
        .with_for_update()
    )
)
_TRANSFER = (
    "kind",
    "source_account_id",
    "target_account_id",
    "amount_kopecks",
    "trade_id",
    "position_id",
    "created_at_ms",
)


def _row(move: Transfer, at_ms: int) -> tuple[Any, ...]:
    return (move.kind.value, move.source, move.target, move.amount_kopecks, move.trade_id, move.position_id, at_ms)


def open_account(tx: WriteTx, *, kind: AccountKind, owner_id: int) -> int:
    """Open an account with balance 0 and return its id."""
    row = accounts.insert().values(kind=kind.value, owner_id=owner_id, balance_kopecks=0)
    return int(tx.execute(row.returning(accounts.c.id)).scalar_one())


def house_account(tx: WriteTx) -> int:
    """Return the house's account, opened on first use."""
    query = sa.select(accounts.c.id).where(accounts.c.kind == AccountKind.HOUSE.value)
    found = tx.execute(query).scalar()
    return int(found) if found is not None else open_account(tx, kind=AccountKind.HOUSE, owner_id=0)


def account_ids(tx: ReadTx, *, kind: AccountKind, owner_ids: Collection[int]) -> dict[int, int]:
    """Return the account id of each owner that has one."""
    return _by_owner(_IDS.fetch(tx, {"kind": kind.value, "ids": owner_ids}))


def balances_kopecks(tx: ReadTx, *, kind: AccountKind, owner_ids: Collection[int]) -> dict[int, int]:
    """Return the present balance of each owner that has an account, without locking."""
    return _by_owner(_BALANCES.fetch(tx, {"kind": kind.value, "ids": owner_ids}))


def _by_owner(rows: Sequence[Sequence[int]]) -> dict[int, int]:
    return {owner_id: number for owner_id, number in rows}  # noqa: C416 # dict() takes no rows of any length


def _of_owners(column: sa.Column[int]) -> CompiledQuery:
    return CompiledQuery(
        lambda _dialect: sa.select(accounts.c.owner_id, column).where(
            accounts.c.kind == sa.bindparam("kind"), in_array(accounts.c.owner_id)
        )
    )


_IDS, _BALANCES = _of_owners(accounts.c.id), _of_owners(accounts.c.balance_kopecks)
