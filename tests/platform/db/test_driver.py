"""Statements that go to the drivers themselves behave as if SQLAlchemy had run them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.statements.driver import execute_raw

on_postgres = pytest.mark.parametrize(
    "database_kind", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
async def notes(db: Database) -> AsyncIterator[Database]:
    """A database with one table more, which goes again: so the next test can have it."""
    await db.write(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)"))
    yield db
    await db.write(lambda tx: tx.exec_driver_sql("DROP TABLE notes"))


def insert(tx: sa.Connection, number: int, text: str) -> None:
    places = "?, ?" if tx.dialect.name == "sqlite" else "$1, $2"
    assert not execute_raw(tx, f"INSERT INTO notes VALUES ({places})", (number, text))


async def test_rows_come_as_they_are(notes: Database) -> None:
    def work(tx: sa.Connection) -> list[tuple[Any, ...]]:
        insert(tx, 1, "one")
        return [tuple(row) for row in execute_raw(tx, "SELECT id, text FROM notes")]

    assert await notes.write(work) == [(1, "one")]
    assert await notes.read(lambda tx: [tuple(row) for row in execute_raw(tx, "SELECT text FROM notes")]) == [("one",)]


async def test_what_was_done_is_undone_with_its_transaction(notes: Database) -> None:
    def work(tx: sa.Connection) -> None:
        insert(tx, 1, "one")
        raise LookupError

    with pytest.raises(LookupError):
        await notes.write(work)
    assert not await notes.read(lambda tx: execute_raw(tx, "SELECT id FROM notes"))


@pytest.mark.parametrize("heard", [True, False])
async def test_failures_are_those_of_sqlalchemy_and_keep_values_to_themselves(notes: Database, *, heard: bool) -> None:
    def twice(tx: sa.Connection) -> None:
        if heard:
            sa.event.listen(tx, "before_cursor_execute", lambda *_given: None)
        insert(tx, 1, "secret")
        insert(tx, 1, "secret")

    with pytest.raises(IntegrityError) as refused:
        await notes.write(twice)
    assert "INSERT INTO notes" in str(refused.value)
    assert "secret" not in str(refused.value)
    with pytest.raises(DBAPIError):
        await notes.read(lambda tx: execute_raw(tx, "SELECT nothing FROM nowhere"))


async def test_who_listens_hears_of_them(notes: Database) -> None:
    heard: list[tuple[str, Any]] = []

    def work(tx: sa.Connection) -> None:
        sa.event.listen(tx, "before_cursor_execute", lambda _c, _u, text, values, *_rest: heard.append((text, values)))
        insert(tx, 1, "one")
        assert [tuple(row) for row in execute_raw(tx, "SELECT text FROM notes")] == [("one",)]

    await notes.write(work)
    texts, values = zip(*heard, strict=True)
    assert texts[1] == "SELECT text FROM notes"
    # SQLite's COMMIT may be heard, too.
    assert values[:2] == ((1, "one"), ())


@on_postgres
async def test_a_connection_that_was_lost_is_used_no_more(notes: Database) -> None:
    with pytest.raises(Unavailable):
        await notes.write(lambda tx: execute_raw(tx, "SELECT pg_terminate_backend(pg_backend_pid())"))
    with pytest.raises(Unavailable):
        await notes.read(lambda tx: execute_raw(tx, "SELECT pg_terminate_backend(pg_backend_pid())"))
    await notes.write(lambda tx: insert(tx, 1, "one"))


@on_postgres
async def test_a_column_that_changed_its_type_is_read_by_another_connection(notes: Database) -> None:
    await notes.write(lambda tx: insert(tx, 1, "one"))

    def read(tx: sa.Connection) -> list[Any]:
        return [number for (number,) in execute_raw(tx, "SELECT id FROM notes")]

    assert await notes.read(read) == [1]
    # Altered within the connection that will be lent again: it is the one that remembers.
    await notes.write(lambda tx: tx.exec_driver_sql("ALTER TABLE notes ALTER COLUMN id TYPE bigint"))
    with pytest.raises(Unavailable):
        await notes.read(read)
    assert await notes.read(read) == [1]
