"""Executes orders one by one, in memory, on the locked rows of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.errors import DomainError, IdempotencyKeyReused, InvalidPartnerKey, Unauthorized
from foreknow.money.ledger import IdempotencyRecord, LedgerTransaction, ScopedKey
from foreknow.platform.db.transactions import Locked
from foreknow.trading.desk.errors import Unturned
from foreknow.trading.desk.floor import Floor, OrderKind
from foreknow.trading.desk.orders import Executed, OrderCancellation
from foreknow.trading.desk.state import LockedState

#: The table of pools, as `Locked` names it.
POOLS = "pools"
CREATED = 201


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """The response to an executed order: its encoded body. `replayed`: an earlier request was executed."""

    body: bytes
    status: int = CREATED
    replayed: bool = False


#: What an order is answered with. A cancelling, which is kept under no key, says what it did.
OrderResponse = Receipt | OrderCancellation | DomainError


class PutOff(DomainError):
    """The batch holds enough trades: the order is the next batch's. No client sees it."""

    code = "unavailable"
    status = 503
    message = "The order waits for the next batch."


class InsolventPool(Exception):
    """A pool's escrow would not cover an outcome; nothing of the batch is written."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An order with the idempotency key of an earlier one in the same batch: it gets that one's receipt."""

    original: Executed


#: What became of an order; an `IdempotencyRecord` replays an earlier transaction.
Result = Executed | OrderCancellation | Duplicate | IdempotencyRecord | DomainError


class OrderProcessor:
    """Executes orders one by one, in memory, on locked rows."""

    def __init__(self, state: LockedState, ledger_tx: LedgerTransaction) -> None:
        """`ledger_tx` holds the locks of the accounts of `state`."""
        self.floor = Floor(state, ledger_tx)
        self._state = state
        #: Trades so far, those in many markets several times.
        self.trades = 0
        #: Executed orders with their fingerprints, by key.
        self._keyed: dict[ScopedKey, tuple[str, Executed]] = {}

    def process(self, order: OrderKind) -> Result:
        """Execute an order, or return the error that prevents it."""
        state = self._state
        if state.skipped_pool_ids:
            place = state.ids.markets.get(order.market_id)
            if place is not None and place.pool_id in state.skipped_pool_ids:
                return Locked(table=POOLS)
        try:
            self._check_credentials(order.caller)
            key = order.idempotency_key
            if key is not None and (earlier := self._earlier(key.scoped, key.fingerprint)) is not None:
                return earlier
            if state.unturned and order.trades:
                self._check_turned(order)
            executed = order.execute(self.floor)
        except DomainError as error:
            return error
        if isinstance(executed, Executed):
            if key is not None:
                self._keyed[key.scoped] = (key.fingerprint, executed)
            self.trades += len(executed.fills) + order.weight
        return executed

    def new_records(self) -> dict[ScopedKey, IdempotencyRecord]:
        """Return the idempotency records of the executed orders, whose bodies are encoded."""
        return {
            key: IdempotencyRecord(fingerprint, CREATED, executed.body)
            for key, (fingerprint, executed) in self._keyed.items()
        }

    def check_escrows(self, executed: Iterable[Executed]) -> None:
        """Raise `InsolventPool` if the escrow of a traded pool cannot pay its worst outcome: no order can cause it."""
        for pool in {id(one.pool): one.pool for one in executed}.values():
            escrow_kopecks = self.floor.ledger_tx.balance_kopecks(pool.row.escrow_account_id)
            if escrow_kopecks < pool.market_maker.liabilities_kopecks():
                raise InsolventPool(pool.row.id)

    def _check_credentials(self, caller: UserCaller | PartnerCaller) -> None:
        if isinstance(caller, UserCaller):
            if caller.session_id not in self._state.live_session_ids:
                raise Unauthorized
        elif caller.key_id not in self._state.live_key_ids:
            raise InvalidPartnerKey

    def _earlier(self, key: ScopedKey, fingerprint: str) -> IdempotencyRecord | Duplicate | None:
        """Return what became of an earlier request with a key; `IdempotencyKeyReused` where that was another one."""
        if key in self._state.records:
            return self._state.records[key].replay_for(fingerprint)
        if key not in self._keyed:
            return None
        known, executed = self._keyed[key]
        if known != fingerprint:
            raise IdempotencyKeyReused
        return Duplicate(executed)

    def _check_turned(self, order: OrderKind) -> None:
        """Raise `Unturned` where the trader's position of Other is still to be turned after a split."""
        place, trader = self._state.ids.markets.get(order.market_id), self._state.trader(order)
        if place is not None and trader is not None and (trader.user_id, place.pool_id) in self._state.unturned:
            raise Unturned(place.pool_id, trader.user_id)


def response_of(result: Result) -> OrderResponse:
    """Return the receipt or error of a result."""
    if isinstance(result, Executed):
        return Receipt(result.body)
    if isinstance(result, Duplicate):
        return Receipt(result.original.body, replayed=True)
    if isinstance(result, IdempotencyRecord):
        return Receipt(result.body, result.status, replayed=True)
    return result
