"""Transfers: `post` for a fixed set, `LedgerTransaction` for decisions that depend on locked balances.

The rows are written in the caller's transaction, with the reason for the transfer and its idempotency record.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import msgspec
import sqlalchemy as sa

from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.money.ledger.tables import accounts, transfers
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.changes import Sink, insert_rows, update_rows
from foreknow.platform.db.ids import ids_fetch
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: A locked account: id, kind, balance (kopecks), the trader's newest trade.
AccountRow = tuple[int, str, int, int | None]


class AccountKind(enum.StrEnum):
    """Who owns the money of an account."""

    #: The house's capital and deposits from outside; the only kind that may be below 0.
    HOUSE = "house"
    #: The balance of a user or a partner's sub-account.
    USER = "user"
    #: A partner's float.
    FLOAT = "float"
    #: A pool's money for paying its outcomes.
    ESCROW = "escrow"
    #: A pool's fees, earned for the house.
    FEES = "fees"
    #: What a pool's limit orders hold: bids, and what fills and ends owe their owners. It changes under the pool's lock
    #: alone, so that the filling of a resting order locks no account of its owner.
    ORDERS = "orders"


class TransferKind(enum.StrEnum):
    """The reason for a transfer."""

    BET = "bet"
    FEE = "fee"
    SALE = "sale"
    SETTLEMENT = "settlement"
    #: The house's loss bound, paid into escrow on publication, and the rest returned after settlement.
    SUBSIDY = "subsidy"
    RETURN = "return"
    #: An admin's credit to a user, and its reversal.
    CREDIT = "credit"
    DEBIT = "debit"
    #: The house's gift to a user; and a deleted user's balance, back to the house.
    GRANT = "grant"
    FORFEIT = "forfeit"
    #: Money into and out of a partner's float.
    DEPOSIT = "deposit"
    PAYOUT = "payout"
    #: Between a partner's float and its sub-accounts.
    FUNDING = "funding"
    WITHDRAWAL = "withdrawal"
    #: Between the house and its own trader, which moves pools to the prices of a source.
    ODDS_FUNDING = "odds_funding"
    ODDS_RETURN = "odds_return"
    #: Between a trader and the pool's order account: what a resting order holds, and what comes back.
    ORDER = "order"
    ORDER_RETURN = "order_return"
    #: Between the pool's order account and its escrow: fills of resting orders.
    ORDER_BET = "order_bet"
    ORDER_SALE = "order_sale"


class Transfer(msgspec.Struct, kw_only=True, gc=False):
    """`amount_kopecks` (over 0) from account id `source` to account id `target`.

    `trade_id` of a bet or sale is set later, when all orders of the batch are executed.
    """

    kind: TransferKind
    source: int
    target: int
    amount_kopecks: int
    trade_id: int | None = None
    position_id: int | None = None
    #: Of a credit, debit or grant.
    note: str | None = None
    #: Of a limit order's hold, return or fill.
    order_id: int | None = None


class UnpostedTransfers(Exception):
    """The block of a `LedgerTransaction` ended with unposted transfers; the database transaction must not commit."""


class LedgerTransaction:
    """Account balances locked by one database transaction, and transfers between them.

        with LedgerTransaction(tx) as ledger_tx:
            ledger_tx.lock([house, account])
            ledger_tx.transfer(Transfer(kind=CREDIT, source=house, target=account, amount_kopecks=5_00))
            ledger_tx.post(at_ms=now_ms)

    The block raises `UnpostedTransfers` if it ends with transfers that were not posted.

    One call of `lock` keeps the order of locks (docs/rules.md) among its accounts, the caller among several calls.
    """

    def __init__(self, tx: WriteTx) -> None:
        """Start without locks."""
        self._tx = tx
        self._balances: dict[int, int] = {}
        self._kinds: dict[int, str] = {}
        self._stored_balances: dict[int, int] = {}
        self._last_trades: dict[int, int | None] = {}
        #: Accounts whose newest trade is to be written.
        self._traded: set[int] = set()
        self._unposted: list[Transfer] = []
        #: Accounts to be opened: id, kind, owner.
        self._new: list[tuple[int, str, int]] = []
        self._is_open = False

    def __enter__(self) -> Self:
        self._is_open = True
        return self

    def __exit__(self, failed: type[BaseException] | None, _failure: object, _trace: object) -> None:
        self._is_open = False
        if failed is None and (self._unposted or self._new):
            raise UnpostedTransfers(f"{len(self._unposted)} transfers were made and not posted")

    def lock(self, account_ids: Iterable[int]) -> None:
        """Lock accounts until the database transaction ends and read their balances."""
        unlocked = set(account_ids) - self._balances.keys()
        if not unlocked:
            return
        self.hold(map(_account, _LOCK.fetch(self._tx, {"ids": unlocked})))

    def hold(self, locked: Iterable[AccountRow]) -> None:
        """Take accounts that are locked already, as `accounts_fetch` read them after their locks."""
        for account_id, kind, balance_kopecks, last_trade_id in locked:
            self._balances[account_id] = self._stored_balances[account_id] = balance_kopecks
            self._last_trades[account_id] = last_trade_id
            self._kinds[account_id] = kind

    def held(self) -> Iterator[AccountRow]:
        """Return the locked accounts, once all transfers are posted."""
        assert not self._unposted
        for account_id, kind in self._kinds.items():
            yield (account_id, kind, self._balances[account_id], self._last_trades[account_id])

    def open(self, account_id: int, *, kind: AccountKind, owner_id: int) -> None:
        """Open an account, whose id is drawn, with balance 0; `write_new_accounts` writes it."""
        self._balances[account_id] = self._stored_balances[account_id] = 0
        self._last_trades[account_id] = None
        self._kinds[account_id] = kind.value
        self._new.append((account_id, kind.value, owner_id))

    def balance_kopecks(self, account_id: int) -> int:
        """Return a locked account's balance after the transfers so far."""
        return self._balances[account_id]

    def transfer(self, transfer: Transfer, *, over_limit: bool = False) -> Transfer:
        """Transfer money between two locked accounts; return the transfer, which `post` will write.

        Raises `InsufficientFunds` or `BalanceLimit` and changes nothing. Settlements ignore the limit (`over_limit`).
        """
        assert self._is_open, "transfer outside of the with block, which checks that all are posted"
        assert transfer.amount_kopecks > 0
        assert transfer.source != transfer.target
        available = self._balances[transfer.source]
        if transfer.amount_kopecks > available and self._kinds[transfer.source] != AccountKind.HOUSE:
            raise InsufficientFunds(required=transfer.amount_kopecks, available=available)
        after = self._balances[transfer.target] + transfer.amount_kopecks
        if after > AMOUNT_MAX and not over_limit and self._kinds[transfer.target] != AccountKind.HOUSE:
            raise BalanceLimit
        self._balances[transfer.source] = available - transfer.amount_kopecks
        self._balances[transfer.target] = after
        self._unposted.append(transfer)
        return transfer

    def note_trade(self, account_id: int, trade_id: int) -> int | None:
        """Make a trade the newest of a locked account; return the one before it. `post` will write it."""
        before = self._last_trades[account_id]
        self._last_trades[account_id] = trade_id
        self._traded.add(account_id)
        return before

    def check_balance_limit(self, account_id: int, amount_kopecks: int) -> None:
        """Raise `BalanceLimit` if adding this amount would exceed the limit of a balance."""
        if self._balances[account_id] + amount_kopecks > AMOUNT_MAX:
            raise BalanceLimit

    def write_new_accounts(self, into: Sink) -> None:
        """Write the accounts opened since the last call, with the balances that they have by now."""
        rows = [(*account, self._balances[account[0]], self._last_trades[account[0]]) for account in self._new]
        insert_rows(into, accounts, ("id", "kind", "owner_id", "balance_kopecks", "last_trade_id"), rows)
        self._traded.difference_update(account[0] for account in self._new)
        self._stored_balances.update((account[0], self._balances[account[0]]) for account in self._new)
        self._new = []

    def post(self, *, at_ms: int, into: Sink | None = None) -> None:
        """Write the transfers since the last call and the new balances, with other changes if `into` is given."""
        assert not self._new, "the new accounts are to be written first"
        if not self._unposted:
            return
        sink = self._tx if into is None else into
        marked = [one for one in self._unposted if one.order_id is not None or one.note is not None]
        plain = self._unposted
        if marked:
            plain = [one for one in self._unposted if one.order_id is None and one.note is None]
        insert_rows(sink, transfers, _TRANSFER, [_row(transfer, at_ms) for transfer in plain])
        if marked:
            rows = [(*_row(transfer, at_ms), transfer.note, transfer.order_id) for transfer in marked]
            insert_rows(sink, transfers, _MARKED, rows)
        changed = [
            (balance, self._last_trades[account_id], account_id)
            for account_id, balance in self._balances.items()
            if balance != self._stored_balances[account_id] or account_id in self._traded
        ]
        update_rows(sink, accounts, ("balance_kopecks", "last_trade_id"), changed)
        self._unposted = []
        self._traded.clear()
        self._stored_balances = dict(self._balances)


def post(tx: WriteTx, requested: Sequence[Transfer], *, at_ms: int) -> Mapping[int, int]:
    """Lock the accounts of a set of transfers, write them, and return the new balances (kopecks) by account id.

    Raises `InsufficientFunds` or `BalanceLimit`; then nothing is written.
    """
    account_ids = {account_id for transfer in requested for account_id in (transfer.source, transfer.target)}
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock(account_ids)
        for transfer in requested:
            ledger_tx.transfer(transfer)
        ledger_tx.post(at_ms=at_ms)
    return {account_id: ledger_tx.balance_kopecks(account_id) for account_id in account_ids}


def lock_statement(account_ids: str) -> str:
    """Return PostgreSQL's statement that locks accounts in their order, for `lock_rows`; the ids are an SQL array."""
    order = f"kind <> '{AccountKind.FLOAT.value}', id"
    return f"SELECT id FROM accounts WHERE id = ANY({account_ids}) ORDER BY {order} FOR UPDATE"  # noqa: S608 # ids and columns of ours


def accounts_fetch(account_ids: Collection[int]) -> Fetch[list[AccountRow]]:
    """Return the query of locked accounts, for `LedgerTransaction.hold`."""
    return Fetch(_READ, {"ids": account_ids}, lambda rows: list(map(_account, rows)), is_empty=not account_ids)


def accounts_of_fetch(kind: AccountKind, owner_ids: Collection[int]) -> Fetch[dict[int, AccountRow]]:
    """Return the query of the accounts of those owners that have one, by owner, for `LedgerTransaction.hold`."""
    return Fetch(
        _OF_OWNERS,
        {"kind": kind.value, "ids": owner_ids},
        lambda rows: {owner_id: _account(row) for owner_id, *row in rows},
        is_empty=not owner_ids,
    )


_ROWS = sa.select(accounts.c.id, accounts.c.kind, accounts.c.balance_kopecks, accounts.c.last_trade_id).where(
    in_array(accounts.c.id)
)
_READ = CompiledQuery(_ROWS)
_OF_OWNERS = CompiledQuery(
    sa.select(
        accounts.c.owner_id, accounts.c.id, accounts.c.kind, accounts.c.balance_kopecks, accounts.c.last_trade_id
    ).where(accounts.c.kind == sa.bindparam("kind"), in_array(accounts.c.owner_id))
)
_LOCK = CompiledQuery(
    # False sorts first: floats before all other accounts.
    _ROWS.order_by(accounts.c.kind != AccountKind.FLOAT.value, accounts.c.id).with_for_update()
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


#: In a statement of its own: bets have neither, and need not write that.
_MARKED = (*_TRANSFER, "note", "order_id")


def _row(transfer: Transfer, at_ms: int) -> tuple[Any, ...]:
    return (
        transfer.kind._value_,
        transfer.source,
        transfer.target,
        transfer.amount_kopecks,
        transfer.trade_id,
        transfer.position_id,
        at_ms,
    )


def open_account(tx: WriteTx, *, kind: AccountKind, owner_id: int) -> int:
    """Open an account with balance 0 and return its id."""
    row = accounts.insert().values(kind=kind.value, owner_id=owner_id, balance_kopecks=0)
    return int(tx.execute(row.returning(accounts.c.id)).scalar_one())


def account_ids_fetch(count: int) -> Fetch[list[int]]:
    """Return the query that draws ids for new accounts (`LedgerTransaction.open`)."""
    return ids_fetch(accounts, count)


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
    return balances_fetch(kind=kind, owner_ids=owner_ids).fetch(tx)


def balances_fetch(*, kind: AccountKind, owner_ids: Collection[int]) -> Fetch[dict[int, int]]:
    """Return `balances_kopecks` as a query to be fetched with others."""
    return Fetch(_BALANCES, {"kind": kind.value, "ids": owner_ids}, _by_owner, is_empty=not owner_ids)


def last_trade_ids(tx: ReadTx, user_ids: Collection[int]) -> dict[int, int]:
    """Return the newest trade of each trader who has one that `note_trade` has noted."""
    rows = _LAST_TRADES.fetch(tx, {"kind": AccountKind.USER.value, "ids": user_ids})
    return {user_id: trade_id for user_id, trade_id in rows if trade_id is not None}


def _account(row: Sequence[Any]) -> AccountRow:
    account_id, kind, balance_kopecks, trade_id = row
    return (account_id, kind, balance_kopecks, trade_id)


def _by_owner(rows: Sequence[Sequence[int]]) -> dict[int, int]:
    return {owner_id: number for owner_id, number in rows}  # noqa: C416 # dict() takes no rows of any length


def _of_owners(column: sa.Column[int]) -> CompiledQuery:
    return CompiledQuery(
        sa.select(accounts.c.owner_id, column).where(
            accounts.c.kind == sa.bindparam("kind"), in_array(accounts.c.owner_id)
        )
    )


_IDS, _BALANCES = _of_owners(accounts.c.id), _of_owners(accounts.c.balance_kopecks)
_LAST_TRADES = _of_owners(accounts.c.last_trade_id)
