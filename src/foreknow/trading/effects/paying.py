"""Paying users in the background, some of whom may have deleted their accounts: what these get goes on to the house.

And the lines of partners' statements that payments and trades write.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, forfeit, house_account
from foreknow.money.statements import StatementLine, StatementType
from foreknow.people.users.store import deleted_among
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx


@dataclass(slots=True)
class Paying:
    """A transaction that holds the locks of the accounts."""

    ledger_tx: LedgerTransaction
    #: Users among those paid whose accounts were deleted: they get no notifications.
    deleted_ids: Collection[int]
    #: Of everything that it writes, Unix milliseconds.
    at_ms: int
    #: What the house got of what the deleted were paid; known at the end.
    forfeited_kopecks: int = 0

    def write(self, tx: WriteTx) -> None:
        """Count what went to the house: last, as transactions of other pools lock that row too."""
        if self.forfeited_kopecks:
            stats.record_grants(tx, at_ms=self.at_ms, amount_kopecks=-self.forfeited_kopecks)


@contextmanager
def paying(
    tx: WriteTx, accounts: Mapping[int, int], *, sources: Collection[int] = (), not_before_ms: int
) -> Iterator[Paying]:
    """Lock the accounts of users (user id → account), and `sources`; at the end post what was transferred.

    Its time is read after these locks, and is no earlier than `not_before_ms`: an order in another pool that had one of
    the accounts before is dated before, and the clock may have been set back.
    """
    deleted_ids = deleted_among(tx, accounts)
    with LedgerTransaction(tx) as ledger_tx:
        house = house_account(tx) if deleted_ids else None
        ledger_tx.lock({*accounts.values(), *sources, *([] if house is None else [house])})
        # Again: a deletion locks the account first. Should this late lock deadlock, the transaction runs again.
        deleted_ids = deleted_among(tx, accounts)
        if deleted_ids and house is None:
            house = house_account(tx)
            ledger_tx.lock([house])
        made = Paying(ledger_tx, deleted_ids, max(now_ms(tx), not_before_ms))
        yield made
        if house is not None:
            made.forfeited_kopecks = sum(forfeit(ledger_tx, accounts[one], house=house) for one in deleted_ids)
        ledger_tx.post(at_ms=made.at_ms)


class StatementOwner(Protocol):
    """Whose line it is: a row of a user, or of what is a user's; a user of a partner where it goes into a statement."""

    @property
    def user_id(self) -> int: ...  # noqa: D102 - a field of the row
    @property
    def partner_id(self) -> int | None: ...  # noqa: D102
    @property
    def external_user_id(self) -> str | None: ...  # noqa: D102


class PartnersUser(NamedTuple):
    """A user of a partner's."""

    partner_id: int | None
    user_id: int
    external_user_id: str | None


def line_of(
    trader: StatementOwner,
    kind: StatementType,
    *,
    at_ms: int,
    market_id: int | None = None,
    order_id: int | None = None,
    float_change_kopecks: int = 0,
    balance_change_kopecks: int = 0,
) -> StatementLine:
    """Return the line of a partner's user. A trade's and a basket's gets its id once that is known."""
    assert trader.partner_id is not None
    return StatementLine(
        partner_id=trader.partner_id,
        type=kind,
        user_id=trader.user_id,
        external_user_id=trader.external_user_id,
        market_id=market_id,
        order_id=order_id,
        float_change_kopecks=float_change_kopecks,
        balance_change_kopecks=balance_change_kopecks,
        created_at_ms=at_ms,
    )
