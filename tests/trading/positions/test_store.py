"""Rows of positions, read and written in bulk."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.positions import store
from foreknow.trading.positions.store import OpenPosition
from foreknow.trading.positions.tables import positions
from tests.support.plans import kept_plan
from tests.support.rows import PoolIds, insert_pool, insert_user


def held(pool: PoolIds, user_id: int, *, outcome: int = 0, side: str = "YES", shares: int = 5) -> OpenPosition:
    """Return a new position with shares that cost one kopeck each."""
    position = OpenPosition(
        user_id=user_id,
        market_id=pool.market_ids[outcome],
        pool_id=pool.pool_id,
        event_id=pool.event_id,
        side=side,
        opened_at_ms=1,
    )
    position.buy(shares=shares, stake_kopecks=shares)
    return position


async def test_positions_come_back_as_they_were_written(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        pool, ada, bob = insert_pool(tx), insert_user(tx), insert_user(tx, "Bob")
        new = [held(pool, ada), held(pool, ada, side="NO"), held(pool, bob, outcome=1), held(pool, bob)]
        store.write(tx, new)
        keys = [position.key for position in new]

        assert [position.id for position in new] == sorted({position.id for position in new})
        assert store.load_open(tx, keys) == {position.key: position for position in new}
        assert store.load_open(tx, keys[1:2]) == {keys[1]: new[1]}
        assert store.load_open(tx, [(bob, pool.market_ids[0], "NO")]) == {}
        assert store.load_open(tx, []) == {}
        first = pool.market_ids[0]
        assert store.open_of_market(tx, first, after_id=0, limit=9) == [new[0], new[1], new[3]]
        assert store.open_of_market(tx, first, after_id=new[0].id, limit=1) == [new[1]]

        new[0].sell(shares=2, payout_kopecks=1, at_ms=2)
        new[3].settle(payout_kopecks=4, won_side=1, at_ms=3)
        store.write(tx, new)

        assert store.load_open(tx, keys) == {position.key: position for position in new[:3]}
        closed = tx.execute(sa.select(positions).where(positions.c.id == new[3].id)).mappings().one()
        assert OpenPosition(**closed) == new[3]

    await db.write(work)


async def test_one_batch_may_close_a_position_and_open_the_next(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        pool, ada = insert_pool(tx), insert_user(tx)
        first = held(pool, ada)
        store.write(tx, [first])
        first.sell(shares=5, payout_kopecks=5, at_ms=2)
        second = held(pool, ada, shares=7)
        second.sell(shares=7, payout_kopecks=5, at_ms=2)
        third = held(pool, ada, shares=9)
        store.write(tx, [third, second, first])

        assert store.load_open(tx, [first.key]) == {first.key: third}
        assert len({first.id, second.id, third.id}) == 3

    await db.write(work)


async def test_the_database_keeps_two_open_positions_of_one_key_apart(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        pool, ada = insert_pool(tx), insert_user(tx)
        store.write(tx, [held(pool, ada), held(pool, ada)])

    with pytest.raises(IntegrityError):
        await db.write(work)


async def test_a_batch_is_written_in_few_statements(db: Database) -> None:
    statements: list[str] = []

    def work(tx: WriteTx) -> None:
        pool = insert_pool(tx)
        known = [held(pool, insert_user(tx)) for _ in range(64)]
        store.write(tx, known)
        new = [held(pool, insert_user(tx)) for _ in range(64)]
        sa.event.listen(tx, "before_cursor_execute", lambda _c, _u, statement, *_rest: statements.append(statement))
        found = store.load_open(tx, [position.key for position in [*known, *new]])
        for position in found.values():
            position.buy(shares=1, stake_kopecks=1)
        store.write(tx, [*found.values(), *new])

    await db.write(work)

    # Read, update, draw ids, insert.
    assert len([one for one in statements if one != "COMMIT"]) == 4, statements


@pytest.mark.parametrize("database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
async def test_positions_are_found_by_their_key_however_the_table_has_grown(new_db: Database) -> None:
    """A plan that was made while the table was small is kept, and so it must be that of a large one."""

    def work(tx: WriteTx) -> str:
        pool = insert_pool(tx)
        store.write(tx, [held(pool, insert_user(tx))])
        return kept_plan(tx, store.open_fetch([]).query)

    plan = await new_db.write(work)
    assert "uq_positions_open" in plan
    assert "ix_positions" not in plan
    assert "Bitmap" not in plan
