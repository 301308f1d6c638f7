"""What is new is done once by any number of followers, and a killed one leaves nothing half done, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Cursor, Follower, Pieces
from foreknow.platform.jobs.follower import PIECE_MAX, PIECE_MIN, PIECE_ROWS
from foreknow.site.record.tables import record_cursor, recorded_pools

#: Tables of the service whose rows need no others: the place is up to which number `recorded_pools` has all.
BEGIN = 10
END = 30
PIECE = 3
TWICE = 1_000


def begin(_tx: ReadTx) -> Mapping[str, int]:
    return {"resolved_since_ms": BEGIN}


CURSOR = Cursor(record_cursor, begin)


class Numbers(Follower):
    """Writes the numbers after the cursor up to `END`, three at a time; fails at `failing`."""

    def __init__(self, db: Database, *, failing: int = 0) -> None:
        super().__init__("test", db, CURSOR)
        self.failing = failing
        self.swept: list[int] = []

    async def follow(self) -> bool:
        place = await self.db.read(lambda tx: CURSOR.get(tx, "resolved_since_ms")) or BEGIN
        through = min(place + PIECE, END)

        def work(tx: WriteTx) -> None:
            tx.execute(recorded_pools.insert(), [{"pool_id": one} for one in range(place + 1, through + 1)])
            if place < self.failing <= through:
                raise RuntimeError("killed")
            CURSOR.move(tx, resolved_since_ms=through)

        if place == END:
            return False
        # False: another one was faster.
        await self.write(work, if_at=lambda places: bool(places.resolved_since_ms == place))
        return True

    async def look_through(self) -> bool:
        """Note the numbers that are written, two at a time, and write each once more, `TWICE` higher."""

        def read(tx: ReadTx, after_id: int) -> tuple[list[int], int | None]:
            own = recorded_pools.c.pool_id
            query = sa.select(own).where(own > after_id, own < TWICE).order_by(own).limit(2)
            found = list(tx.execute(query).scalars())
            return found, found[-1] if found else None

        def write(tx: WriteTx, wrong: list[int]) -> None:
            tx.execute(recorded_pools.insert(), [{"pool_id": TWICE + one} for one in wrong])
            self.swept += wrong

        return await self.sweep(read, write)


async def work_through(follower: Numbers) -> None:
    while await follower.follow():
        pass


async def numbers(db: Database) -> list[int]:
    query = sa.select(recorded_pools.c.pool_id).order_by(recorded_pools.c.pool_id)
    return await db.read(lambda tx: list(tx.execute(query).scalars()))


async def places(db: Database) -> list[tuple[int, int]]:
    return await db.read(lambda tx: [tuple(row) for row in tx.execute(sa.select(record_cursor))])


async def test_what_several_do_at_once_is_done_once(db: Database) -> None:
    followers = [Numbers(db) for _ in range(4)]

    await asyncio.gather(*map(work_through, followers))

    assert await numbers(db) == list(range(BEGIN + 1, END + 1))
    assert sum(follower.writes for follower in followers) == -(-(END - BEGIN) // PIECE)


async def test_a_killed_one_leaves_nothing_and_another_goes_on(db: Database) -> None:
    with pytest.raises(RuntimeError, match="killed"):
        await work_through(Numbers(db, failing=BEGIN + 2 * PIECE))
    assert await numbers(db) == list(range(BEGIN + 1, BEGIN + PIECE + 1))

    await work_through(Numbers(db))

    assert await numbers(db) == list(range(BEGIN + 1, END + 1))


async def test_it_begins_once_however_many_start(db: Database) -> None:
    await asyncio.gather(*(Numbers(db).prepare() for _ in range(4)))
    assert await places(db) == [(1, BEGIN)]

    await db.write_private(lambda tx: CURSOR.move(tx, resolved_since_ms=END))
    await Numbers(db).prepare()

    assert await places(db) == [(1, END)]


async def test_a_sweep_looks_at_every_row_once(db: Database) -> None:
    follower = Numbers(db)
    await work_through(follower)

    while await follower.look_through():
        pass

    assert follower.swept == list(range(BEGIN + 1, END + 1))
    assert follower.swept_through is None


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_while_another_holds_the_cursor_nothing_waits_and_nothing_is_written(
    db: Database, database_url: str
) -> None:
    """On SQLite one transaction at a time writes."""
    follower = Numbers(db)
    await work_through(follower)
    written = await numbers(db)
    connection = await asyncpg.connect(database_url)
    async with connection.transaction():
        await connection.fetch("SELECT id FROM record_cursor FOR UPDATE")

        assert not await follower.look_through()
        assert await follower.step(lambda _tx: 1, lambda tx, _: CURSOR.move(tx, resolved_since_ms=0)) is None
        assert follower.swept_through == 0

    assert (await numbers(db), await places(db)) == (written, [(1, END)])
    assert await follower.look_through()
    await connection.close()


async def test_a_step_without_anything_new_writes_nothing(db: Database) -> None:
    follower = Numbers(db)

    def write(_tx: WriteTx, _found: object) -> None:
        raise AssertionError

    assert await follower.step(lambda _tx: None, write) is None
    assert (follower.writes, await places(db)) == (0, [])


@dataclass(frozen=True)
class Some:
    """A piece that adds up to `rows`."""

    rows: int
    is_full: bool = True


async def test_pieces_grow_while_they_add_up_to_few_rows_and_shrink_at_once(db: Database) -> None:
    asked: list[int] = []
    rows = {"each": 0.0}

    def read(_tx: ReadTx, _after: int, count: int) -> Some:
        asked.append(count)
        return Some(int(count * rows["each"]))

    pieces: Any = Pieces(read)
    for _ in range(7):
        await db.read(lambda tx: pieces.read(tx, 0))
    assert asked == [PIECE_MIN * 2**number for number in range(6)] + [PIECE_MAX]

    rows["each"] = 1.0
    assert (await db.read(lambda tx: pieces.read(tx, 0))).rows == PIECE_ROWS

    rows["each"] = 10.0
    assert (await db.read(lambda tx: pieces.read(tx, 0))).rows == 10 * PIECE_MIN
