"""SQLite's file after it was written again: nothing of what was deleted is in it, and no write was lost meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.kinds import ON_SQLITE

pytestmark = ON_SQLITE
MARK = "mark-of-a-text"


def path_of(db: Database) -> Path:
    return Path(make_url(db.url).database or "")


def marks(db: Database) -> int:
    """Count the mark in the file and its log."""
    path = path_of(db)
    files = (path, Path(f"{path}-wal"))
    return sum(file.read_bytes().count(MARK.encode()) for file in files if file.exists())


def fill(tx: WriteTx) -> None:
    """Write texts of many lengths, and let them grow: their rows move from page to page."""
    chance = random.Random(5)
    tx.execute(sa.text("CREATE TABLE said (id INTEGER PRIMARY KEY, place INTEGER, text TEXT)"))
    tx.execute(sa.text("CREATE INDEX ix_said ON said (place, text)"))
    for number in range(600):
        row = {"place": chance.randrange(1000), "text": MARK + "x" * chance.choice([0, 20, 300])}
        tx.execute(sa.text("INSERT INTO said (place, text) VALUES (:place, :text)"), row)
        grown = {"id": chance.randrange(1, number + 2), "more": "y" * chance.choice([1, 90, 900])}
        tx.execute(sa.text("UPDATE said SET text = text || :more WHERE id = :id"), grown)


async def test_nothing_that_was_deleted_is_left_in_the_file_or_its_log(db: Database) -> None:
    await db.write(fill)
    await db.write(lambda tx: tx.execute(sa.text("UPDATE said SET text = '' WHERE id % 3 > 0")))
    await db.write(lambda tx: tx.execute(sa.text("DELETE FROM said WHERE id % 3 = 0")))
    assert marks(db) > 0

    assert await db.rewrite()

    assert marks(db) == 0
    assert await db.read(lambda tx: tx.execute(sa.text("SELECT count(*) FROM said")).scalar_one()) == 400


async def test_writes_meanwhile_wait_and_are_done(db: Database) -> None:
    await db.write(fill)

    def add(tx: WriteTx) -> None:
        tx.execute(sa.text("INSERT INTO said (place, text) VALUES (-1, 'new')"))

    done = await asyncio.gather(
        *(db.write_private(add) for _ in range(5)), db.rewrite(), db.write_orders(add, limit_s=5)
    )

    assert done[5] is True
    count = await db.read(lambda tx: tx.execute(sa.text("SELECT count(*) FROM said WHERE place = -1")).scalar_one())
    assert count == 6


async def test_while_another_process_reads_the_log_it_is_to_be_repeated(db: Database) -> None:
    await db.write(fill)
    with contextlib.closing(sqlite3.connect(path_of(db), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM said").fetchone()
        assert not await db.rewrite()

    assert await db.rewrite()


async def test_where_it_cannot_be_done_that_is_said(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foreknow.platform.db.sqlite.files.LOCK_S", 0.1)
    await db.write(fill)
    with contextlib.closing(sqlite3.connect(path_of(db), isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable):
            await db.rewrite()
    assert await db.rewrite()
