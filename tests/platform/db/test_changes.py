"""Changes of many rows, alone and sent together."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from foreknow.platform.db.changes import (
    Delete,
    Insert,
    Update,
    Writes,
    adding,
    apply,
    insert_rows,
    on_conflict,
    update_rows,
    written_keys,
)
from foreknow.platform.db.engine import Database
from foreknow.platform.db.metadata import Bytes, Float64, Int64, Text
from foreknow.platform.db.transactions import ReadTx, WriteTx

NOTES = sa.Table(
    "notes", sa.MetaData(), sa.Column("id", Int64, primary_key=True), sa.Column("name", Text), sa.Column("seen", Int64)
)
NAMES = ("id", "name", "seen")
#: More than a statement of SQLite's takes.
MANY = 300


@pytest.fixture
async def notes(db: Database) -> AsyncIterator[Database]:
    """A database with a table more, of rows with unique names, which goes again: so the next test can have it."""
    await db.write(
        lambda tx: tx.exec_driver_sql("CREATE TABLE notes (id BIGINT PRIMARY KEY, name TEXT UNIQUE, seen BIGINT)")
    )
    yield db
    await db.write(lambda tx: tx.exec_driver_sql("DROP TABLE notes"))


def rows(tx: ReadTx) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in tx.execute(sa.select(NOTES).order_by(NOTES.c.id))]


@pytest.mark.parametrize("together", [True, False])
async def test_rows_are_inserted_changed_added_to_and_deleted(notes: Database, *, together: bool) -> None:
    seen_once_more = Insert(NOTES, NAMES, conflict=adding(NOTES, "seen"))
    add = Update(NOTES, ("seen",), added=("seen",), shared=True)
    delete = Delete(NOTES, {"least": Int64, "most": Int64}, "old.id >= given.least AND old.id <= given.most")

    def work(tx: WriteTx) -> list[tuple[Any, ...]]:
        insert_rows(tx, NOTES, NAMES, [(number, str(number), 0) for number in range(MANY)])
        with Writes(tx) as writes:
            into = writes if together else tx
            update_rows(into, NOTES, ("name", "seen"), [("one", 1, 1), ("two", 2, 2)])
            apply(into, add, [(7, 5), (6, 4)])
            apply(into, seen_once_more, [(3, "", 9), (MANY, "new", 1)])
            apply(into, delete, [(6, 7), (8, MANY - 2)])
            apply(into, add, [])
        return rows(tx)

    expected = [(0, "0", 0), (1, "one", 1), (2, "two", 2), (3, "3", 9), (4, "4", 6), (5, "5", 7)]
    assert await notes.write(work) == [*expected, (MANY - 1, str(MANY - 1), 0), (MANY, "new", 1)]


async def test_every_value_is_stored_as_it_was_given(db: Database) -> None:
    values = sa.Table(
        "values_kept",
        sa.MetaData(),
        sa.Column("id", Int64, primary_key=True),
        sa.Column("text", Text),
        sa.Column("bytes", Bytes),
        sa.Column("float", Float64),
    )
    texts = [None, "", "NULL", "null", "a b", '"', "\\", '\\"{},', "x\ny\t'", "Ж 漢 🙂", "{1,2}", " a ", "\u2028"]
    pieces = [None, b"", b"\x00\xff", b'"\\', bytes(range(256)), b"NULL"]
    numbers = [None, 0.0, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 1e22, -1e-7, 2.0**53 + 2]
    found = [(number, *row) for number, row in enumerate(itertools.zip_longest(texts, pieces, numbers), start=-(2**63))]

    def work(tx: WriteTx) -> list[tuple[Any, ...]]:
        values.create(tx)
        with Writes(tx) as writes:
            insert_rows(writes, values, ("id", "text", "bytes", "float"), found)
        return [tuple(row) for row in tx.execute(sa.select(values).order_by(values.c.id))]

    assert list(map(repr, await db.write(work))) == list(map(repr, found))


async def test_only_the_keys_of_written_rows_are_returned(notes: Database) -> None:
    new = Insert(NOTES, NAMES, conflict=on_conflict(NOTES))
    renamed = Insert(NOTES, NAMES, conflict=on_conflict(NOTES, name="excluded.name"))

    def work(tx: WriteTx) -> tuple[set[int], set[int], list[tuple[Any, ...]]]:
        insert_rows(tx, NOTES, NAMES, [(number, str(number), 0) for number in range(MANY)])
        written = written_keys(tx, new, [(number, str(number), 1) for number in range(2, MANY + 200)])
        changed = written_keys(tx, renamed, [(1, "one", 9), (MANY + 200, "last", 9)])
        assert written_keys(tx, new, []) == ()
        return {key for (key,) in written}, {key for (key,) in changed}, rows(tx)

    written, changed, found = await notes.write(work)
    assert (written, changed) == (set(range(MANY, MANY + 200)), {1, MANY + 200})
    assert found[:3] == [(0, "0", 0), (1, "one", 0), (2, "2", 0)]
    assert found[MANY:][:1] == [(MANY, str(MANY), 1)]


async def test_changes_sent_together_are_executed_in_their_order(notes: Database) -> None:
    def renamed_first(tx: WriteTx) -> list[tuple[Any, ...]]:
        insert_rows(tx, NOTES, NAMES, [(1, "a", 0), (2, "b", 0)])
        with Writes(tx) as writes:
            update_rows(writes, NOTES, ("name",), [("c", 1)])
            insert_rows(writes, NOTES, NAMES, [(3, "a", 0)])
            update_rows(writes, NOTES, ("name",), [("d", 2)])
            insert_rows(writes, NOTES, NAMES, [(4, "b", 0)])
        return rows(tx)

    def inserted_first(tx: WriteTx) -> None:
        with Writes(tx) as writes:
            insert_rows(writes, NOTES, NAMES, [(5, "d", 0)])
            update_rows(writes, NOTES, ("name",), [("e", 2)])

    assert await notes.write(renamed_first) == [(1, "c", 0), (2, "d", 0), (3, "a", 0), (4, "b", 0)]
    with pytest.raises(IntegrityError):
        await notes.write(inserted_first)


async def test_nothing_is_sent_after_a_failure(notes: Database) -> None:
    def fail(tx: WriteTx) -> None:
        with Writes(tx) as writes:
            insert_rows(writes, NOTES, NAMES, [(1, "a", 0)])
            raise LookupError

    def work(tx: WriteTx) -> list[tuple[Any, ...]]:
        with pytest.raises(LookupError):
            fail(tx)
        return rows(tx)

    assert await notes.write(work) == []
