"""Which failures of a database mean that it cannot be used now, and which are mistakes of ours."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.postgres import database as postgres
from foreknow.platform.db.statements.row_locks import lock_rows
from foreknow.platform.db.transactions import Locked
from tests.support.postgres import one_waits
from tests.support.rows import insert_user

Work = Callable[[sa.Connection], None]


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite database with one table."""
    database = open_database(f"sqlite:///{tmp_path}/database")
    await database.write(run("CREATE TABLE notes (text TEXT)"))
    yield database
    await database.close()


def run(*statements: str) -> Work:
    def work(tx: sa.Connection) -> None:
        for statement in statements:
            tx.exec_driver_sql(statement)

    return work


async def test_a_statement_that_makes_no_sense_is_a_mistake_of_ours(db: Database) -> None:
    with pytest.raises(DBAPIError):
        await db.read(run("SELECT 1 FROM nowhere"))
    with pytest.raises(DBAPIError):
        await db.write(run("INSERT INTO nowhere VALUES (1)"))
    await db.write(run("SELECT 1"))


async def test_a_full_disk_is_said_to_pass(sqlite: Database) -> None:
    fill = "INSERT INTO notes VALUES (zeroblob(1000000))"
    with pytest.raises(Unavailable):
        await sqlite.write(run("PRAGMA max_page_count=10", fill))
    await sqlite.write(run("PRAGMA max_page_count=100000", fill))


async def test_a_file_that_another_process_does_not_let_go_of_is_said_to_pass(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(sqlite.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(Locked):
            await sqlite.write_orders(run("INSERT INTO notes VALUES ('')"), limit_s=30, lock_s=0.01)
        monkeypatch.setattr("foreknow.platform.db.sqlite.database.LOCK_S", 0.01)
        with pytest.raises(Locked):
            await sqlite.write(run("INSERT INTO notes VALUES ('')"))
    finally:
        other.close()
    await sqlite.write(run("INSERT INTO notes VALUES ('')"))


async def test_who_waits_behind_others_waits_no_longer_than_they_for_another_process(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreknow.platform.db.sqlite.database.LOCK_S", 1.0)
    monkeypatch.setattr("foreknow.platform.db.sqlite.database.LAST_WAIT_S", 0.005)
    other = sqlite3.connect(sqlite.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        # One after the other, they would wait for 100 s.
        async with asyncio.timeout(60):
            work = run("INSERT INTO notes VALUES ('')")
            writes = [sqlite.write_orders(work, limit_s=30) if n % 2 else sqlite.write(work) for n in range(100)]
            met = await asyncio.gather(*writes, return_exceptions=True)
    finally:
        other.close()
    assert {type(one).__mro__[1] for one in met} == {Locked}
    await sqlite.write(run("INSERT INTO notes VALUES ('')"))


async def test_a_damaged_file_is_said_to_pass(tmp_path: Path) -> None:
    """SQLite calls one damaged whose disk gives an error for what it reads."""
    (tmp_path / "database").write_bytes(b"no database of SQLite's" * 1_000)
    database = open_database(f"sqlite:///{tmp_path}/database")
    for read in (database.read, database.lookup):
        with pytest.raises(Unavailable):
            await read(run("SELECT 1"))
    for write in (database.write, partial(database.write_orders, limit_s=30)):
        with pytest.raises(Unavailable):
            await write(run("SELECT 1"))
    await database.close()


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
@pytest.mark.parametrize("condition", ["disk_full", "out_of_memory", "io_error", "query_canceled"])
async def test_what_postgresql_lacks_is_said_to_pass(db: Database, condition: str) -> None:
    lacking = f"DO $$ BEGIN RAISE 'no' USING ERRCODE = '{condition}'; END $$"
    with pytest.raises(Unavailable):
        await db.write(run(lacking))
    with pytest.raises(Unavailable):
        await db.read(run(lacking))
    with pytest.raises(DBAPIError):
        await db.write(run(lacking.replace(condition, "division_by_zero")))


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_who_waits_for_a_row_behind_others_knows_its_table(db: Database) -> None:
    """PostgreSQL tells the first who waits alone."""
    row = f"SELECT id FROM users WHERE id = {await db.write(insert_user)} FOR UPDATE"
    holder, first = await asyncpg.connect(db.url), await asyncpg.connect(db.url)
    try:
        async with holder.transaction():
            await holder.execute(row)
            waiting = asyncio.create_task(first.execute(row))
            await one_waits(holder)
            with pytest.raises(Locked) as met:
                await db.write_orders(lambda tx: lock_rows(tx, [row]), limit_s=30, lock_s=0.1)
            assert met.value.table == "users"
        await waiting
    finally:
        await first.close()
        await holder.close()


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_waiting_for_a_lock_has_a_time_limit(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "LOCK_S", 0.2)
    database = open_database(database_url)
    holder = await asyncpg.connect(database_url)
    async with holder.transaction():
        await holder.execute("LOCK TABLE users")
        with pytest.raises(Locked):
            await database.write(run("LOCK TABLE users"))
        for lock_s in (None, 0.1):
            with pytest.raises(Locked):
                await database.write_orders(lambda tx: lock_rows(tx, ["LOCK TABLE users"]), limit_s=30, lock_s=lock_s)
        with pytest.raises(Unavailable):
            await database.read(run("SELECT count(*) FROM users"))
    await holder.close()
    # What a transaction says for itself is not said for the next.
    waits = await database.read(lambda tx: str(tx.exec_driver_sql("SHOW lock_timeout").scalar_one()))
    assert waits == "200ms"
    await database.close()


async def test_a_file_that_cannot_be_opened_is_said_to_pass(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}")
    with pytest.raises(Unavailable):
        await database.read(run("SELECT 1"))
    await database.close()


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
async def test_a_closed_database_does_not_wait_for_a_lock(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "CLOSE_S", 0.1)
    holder = await asyncpg.connect(database_url)
    async with holder.transaction():
        await holder.execute("LOCK TABLE users")
        database = open_database(database_url)
        write = asyncio.create_task(database.write(run("LOCK TABLE users")))
        await one_waits(holder)
        await database.close()
        with pytest.raises(Unavailable):
            await write
    await holder.close()
