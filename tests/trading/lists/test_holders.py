"""What a piece keeps from its holders while it is under way: their deletion waits, their orders elsewhere do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.util import await_

from foreknow.market.pools.store import lock_pools
from foreknow.money.ledger import AccountKind, LedgerTransaction, account_ids
from foreknow.people.notifications.tables import notifications
from foreknow.people.users.store import lock_person
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.effects.turning import turn_piece
from tests.support.postgres import one_waits
from tests.trading.lists.crowds import split_crowd

pytestmark = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
SIZE = 100


class Held:
    """A transaction that has done its work and does not commit before it may."""

    def __init__(self, db: Database, work: Callable[[WriteTx], object]) -> None:
        """Begin it."""
        self._is_done, self._may_commit = asyncio.Event(), asyncio.Event()
        self._work = work
        self._task = asyncio.create_task(db.write_private(self._run))

    async def done(self) -> None:
        """Return once it has done its work."""
        await self._is_done.wait()

    async def commit(self) -> None:
        """Let it commit."""
        self._may_commit.set()
        await self._task

    def _run(self, tx: WriteTx) -> None:
        self._work(tx)
        self._is_done.set()
        await_(self._may_commit.wait())


async def test_an_order_of_a_holder_elsewhere_does_not_wait_for_a_piece(db: Database) -> None:
    made = await split_crowd(db)
    piece = Held(db, lambda tx: turn(tx, made.pool_id))
    await piece.done()

    def trade(tx: WriteTx) -> None:
        with LedgerTransaction(tx) as ledger_tx:
            user_ids = [person.user_id for person in made.people]
            ledger_tx.lock(account_ids(tx, kind=AccountKind.USER, owner_ids=user_ids).values())

    await db.write(trade)
    await piece.commit()


async def test_a_deletion_waits_for_a_piece_that_came_first(db: Database) -> None:
    made = await split_crowd(db)
    gone = made.people[0].user_id
    piece = Held(db, lambda tx: turn(tx, made.pool_id))
    await piece.done()
    deletion = Held(db, lambda tx: delete(tx, gone))
    await until_one_waits(db)
    await piece.commit()
    await deletion.commit()
    assert await db.read(lambda tx: notices_of(tx, gone)) == 1


async def test_a_piece_waits_for_a_deletion_that_came_first_and_notifies_no_one(db: Database) -> None:
    made = await split_crowd(db)
    gone = made.people[0].user_id
    deletion = Held(db, lambda tx: delete(tx, gone))
    await deletion.done()
    piece = Held(db, lambda tx: turn(tx, made.pool_id))
    await until_one_waits(db)
    await deletion.commit()
    await piece.commit()
    assert await db.read(lambda tx: notices_of(tx, gone)) == 0
    assert await db.read(lambda tx: notices_of(tx, made.people[1].user_id)) == 1


def turn(tx: WriteTx, pool_id: int) -> None:
    assert turn_piece(tx, lock_pools(tx, [pool_id])[pool_id], size=SIZE) is not None


def delete(tx: WriteTx, user_id: int) -> None:
    lock_person(tx, user_id)
    tx.execute(users.update().where(users.c.id == user_id).values(deleted_at_ms=1))


def notices_of(tx: ReadTx, user_id: int) -> int:
    about = sa.select(sa.func.count()).where(
        notifications.c.user_id == user_id, notifications.c.type == "outcome_added"
    )
    return int(tx.execute(about).scalar_one())


async def until_one_waits(db: Database) -> None:
    watcher = await asyncpg.connect(db.url)
    try:
        await one_waits(watcher)
    finally:
        await watcher.close()
