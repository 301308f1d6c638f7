"""The house's own trader: the user that moves pools to the prices of a source, with the house's money.

It is a user without credentials, as a partner's sub-account is. Its account is empty between two transactions, but for
payouts of a pool whose payment is under way: `odds_funding` brings what its orders cost, `odds_return` takes back what
they and settlements bring.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.money.ledger import AccountKind, LedgerTransaction, Transfer, TransferKind, house_account, open_account
from foreknow.people.users.tables import HOUSE_TRADER_KEY, users
from foreknow.platform.db.metadata import Int64, Json, table
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions.tables import positions

house_pools = table(
    "house_pools",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: Stakes less payouts of sales.
    sa.Column("spent_kopecks", Int64, nullable=False),
    #: Its positions that are open, or were when the pool was settled, but for those that splits made.
    sa.Column("position_ids", Json, nullable=False),
)

#: What it has spent in all pools together, by UTC day. Its account's lock keeps two transactions from one row.
house_days = table(
    "house_days",
    #: Days since 1970-01-01, of its trades' `created_at`.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    #: Stakes less payouts of sales; below 0 where it sold more than it bought.
    sa.Column("spent_kopecks", Int64, nullable=False),
)


class HouseTrader(NamedTuple):
    """The ids of the trader; they never change."""

    user_id: int
    account_id: int


class Spending(NamedTuple):
    """What the trader has spent on a pool, stakes less payouts of sales, and its open positions there."""

    spent_kopecks: int
    position_ids: tuple[int, ...]


NOTHING_SPENT = Spending(0, ())


def find_trader(tx: ReadTx) -> HouseTrader | None:
    """Return the trader; None before it has ever traded."""
    row = tx.execute(sa.select(users.c.id, users.c.account_id).where(_IS_TRADER)).one_or_none()
    return None if row is None else HouseTrader(*row)


def open_trader(tx: WriteTx, *, name: str, at_ms: int) -> HouseTrader:
    """Return the trader with this name, which other traders see; it is created on first use.

    A process that loses the race for its key runs its transaction again.
    """
    found = find_trader(tx)
    if found is not None:
        tx.execute(users.update().where(users.c.id == found.user_id, users.c.name != name).values(name=name))
        return found
    row = users.insert().values(name=name, nickname_key=HOUSE_TRADER_KEY, created_at_ms=at_ms)
    user_id = int(tx.execute(row.returning(users.c.id)).scalar_one())
    account_id = open_account(tx, kind=AccountKind.USER, owner_id=user_id)
    tx.execute(users.update().where(users.c.id == user_id).values(account_id=account_id))
    return HouseTrader(user_id, account_id)


def spending_of(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, Spending]:
    """Return what the trader has spent on each of these pools."""
    found = dict.fromkeys(pool_ids, NOTHING_SPENT)
    query = sa.select(house_pools).where(house_pools.c.pool_id.in_(pool_ids))
    for row in tx.execute(query):
        found[row.pool_id] = Spending(row.spent_kopecks, tuple(row.position_ids))
    return found


def earned_kopecks(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, int]:
    """Return what the trader has earned on each of these pools, all of whose positions are paid."""
    spending = spending_of(tx, pool_ids)
    paid = _paid_kopecks(tx, [pool_id for pool_id, one in spending.items() if one is not NOTHING_SPENT])
    return {pool_id: paid.get(pool_id, 0) - one.spent_kopecks for pool_id, one in spending.items()}


def _paid_kopecks(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, int]:
    """Return what settled positions of the trader were paid in these pools; those that splits made are among them."""
    if not pool_ids:
        return {}
    of_events = positions.c.event_id.in_(sa.select(pools.c.event_id).where(pools.c.id.in_(pool_ids)))
    of_trader = sa.select(users.c.id).where(_IS_TRADER).scalar_subquery() == positions.c.user_id
    paid = sa.select(positions.c.pool_id, sa.func.sum(positions.c.settled_kopecks)).where(
        of_trader, of_events, positions.c.pool_id.in_(pool_ids), positions.c.closed_at_ms.is_not(None)
    )
    return {pool_id: int(kopecks) for pool_id, kopecks in tx.execute(paid.group_by(positions.c.pool_id))}


def write_spending(tx: WriteTx, pool_id: int, spending: Spending) -> None:
    """Write what the trader has spent on a locked pool."""
    values = {"spent_kopecks": spending.spent_kopecks, "position_ids": list(spending.position_ids)}
    changed = tx.execute(house_pools.update().where(house_pools.c.pool_id == pool_id).values(**values))
    if not changed.rowcount:
        tx.execute(house_pools.insert().values(pool_id=pool_id, **values))


def spent_in_day(tx: ReadTx, day: int) -> int:
    """Return what the trader has spent in all pools in a UTC day (days since 1970), kopecks; lock its account first."""
    return int(tx.execute(sa.select(_DAYS.spent_kopecks).where(_DAYS.day == day)).scalar() or 0)


def spend_in_day(tx: WriteTx, day: int, kopecks: int) -> None:
    """Add to what the trader, whose account is locked, has spent in a UTC day."""
    changed = tx.execute(
        house_days.update().where(_DAYS.day == day).values(spent_kopecks=_DAYS.spent_kopecks + kopecks)
    )
    if not changed.rowcount:
        tx.execute(house_days.insert().values(day=day, spent_kopecks=kopecks))


def take_back(tx: WriteTx, ledger_tx: LedgerTransaction, pool_id: int) -> int:
    """Return what settled positions of the trader were paid to the house, and what it earned on the pool (kopecks).

    Call it once, when all positions of a locked pool are paid, with the accounts of the trader (`find_trader`) and the
    house locked; then post the transfer.
    """
    spending = spending_of(tx, [pool_id])[pool_id]
    trader = find_trader(tx)
    if trader is None or spending is NOTHING_SPENT:
        return 0
    paid_kopecks = _paid_kopecks(tx, [pool_id]).get(pool_id, 0)
    if paid_kopecks:
        ledger_tx.transfer(
            Transfer(
                kind=TransferKind.ODDS_RETURN,
                source=trader.account_id,
                target=house_account(tx),
                amount_kopecks=paid_kopecks,
            )
        )
    return paid_kopecks - spending.spent_kopecks


_DAYS = house_days.c
_IS_TRADER = users.c.nickname_key == HOUSE_TRADER_KEY
