"""Brief work on SQLite runs on the event loop's own thread, and waits for others beside it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy.exc import IntegrityError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.sqlite import database as sqlite
from foreknow.platform.db.transactions import ReadTx, WriteTx, WriteWork

T = TypeVar("T")


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite database with one table."""
    database = open_database(f"sqlite:///{tmp_path}/database")
    await database.write(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (text TEXT UNIQUE)"))
    yield database
    await database.close()


def write_down(tx: WriteTx, text: str) -> int:
    """Write a note; return which thread did it."""
    tx.exec_driver_sql("INSERT INTO notes VALUES (?)", (text,))
    return threading.get_ident()


async def write_order(notes: Database, work: WriteWork[T]) -> T:
    return await notes.write_orders(work, limit_s=30)


async def write_as(notes: Database, work: WriteWork[T], *, order: bool) -> T:
    return await (write_order(notes, work) if order else notes.write(work))


def writing(text: str) -> Callable[[WriteTx], int]:
    return lambda tx: write_down(tx, text)


def texts(tx: ReadTx) -> list[str]:
    return list(tx.exec_driver_sql("SELECT text FROM notes ORDER BY rowid").scalars())


async def test_it_runs_here_and_other_work_beside(notes: Database) -> None:
    here = threading.get_ident()
    assert await write_order(notes, lambda tx: write_down(tx, "brief")) == here
    assert await notes.write_brief(lambda tx: write_down(tx, "piece")) == here
    assert await notes.write(lambda tx: write_down(tx, "long")) != here
    assert await notes.lookup(lambda _tx: threading.get_ident()) == here
    assert await notes.read(lambda _tx: threading.get_ident()) != here
    assert await notes.lookup(texts) == ["brief", "piece", "long"]


async def test_writes_of_both_kinds_follow_each_other_in_the_order_in_which_they_came(notes: Database) -> None:
    wanted = [f"{number}" for number in range(20)]
    await asyncio.gather(*(write_as(notes, writing(text), order=int(text) % 3 == 0) for text in wanted))
    assert await notes.read(texts) == wanted


async def test_what_fails_leaves_nothing_and_delays_no_other(notes: Database) -> None:
    def work(tx: WriteTx) -> None:
        write_down(tx, "never")
        raise LookupError

    with pytest.raises(LookupError):
        await write_order(notes, work)
    await notes.write(lambda tx: write_down(tx, "next"))
    assert await notes.lookup(texts) == ["next"]


async def test_a_lost_race_is_run_again(notes: Database) -> None:
    tries = iter(["taken", "free"])
    await notes.write(lambda tx: write_down(tx, "taken"))
    await write_order(notes, lambda tx: write_down(tx, next(tries)))
    assert await notes.read(texts) == ["taken", "free"]
    with pytest.raises(IntegrityError):
        await write_order(notes, lambda tx: write_down(tx, "taken"))


async def test_while_another_process_writes_the_loop_goes_on_and_the_work_waits(notes: Database) -> None:
    other = sqlite3.connect(notes.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO notes VALUES ('theirs')")
    write = asyncio.create_task(write_order(notes, lambda tx: write_down(tx, "ours")))
    for _ in range(20):
        # Other work is done meanwhile, and reads what was committed before.
        await asyncio.sleep(0.001)
        assert await notes.lookup(texts) == []
    assert not write.done()
    other.execute("COMMIT")
    other.close()
    assert await write == threading.get_ident()
    assert await notes.lookup(texts) == ["theirs", "ours"]


async def test_a_full_disk_is_said_to_pass(notes: Database) -> None:
    def fill(tx: WriteTx, pages: int) -> None:
        tx.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        tx.exec_driver_sql("INSERT INTO notes VALUES (zeroblob(1000000))")

    with pytest.raises(Unavailable):
        await write_order(notes, lambda tx: fill(tx, 10))
    await write_order(notes, lambda tx: fill(tx, 100_000))


@pytest.mark.parametrize("brief", [True, False])
async def test_a_commit_that_fails_leaves_no_transaction_behind(notes: Database, *, brief: bool) -> None:
    reference = "text TEXT REFERENCES notes (text) DEFERRABLE INITIALLY DEFERRED"
    await notes.write(lambda tx: tx.exec_driver_sql(f"CREATE TABLE answers ({reference})"))
    with pytest.raises(IntegrityError):
        await write_as(notes, lambda tx: tx.exec_driver_sql("INSERT INTO answers VALUES ('to nothing')"), order=brief)
    other = sqlite3.connect(notes.url.removeprefix("sqlite:///"), isolation_level=None, timeout=0)
    other.execute("BEGIN IMMEDIATE")
    other.close()
    await write_as(notes, writing("next"), order=brief)


@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_commit_waits_beside_the_loop_where_the_disk_is_slow(
    notes: Database, monkeypatch: pytest.MonkeyPatch, *, is_slow: bool
) -> None:
    if is_slow:
        monkeypatch.setattr(sqlite, "QUICK_S", -1.0)
    committers: set[int] = set()

    def note(text: str) -> None:
        if text == "COMMIT":
            committers.add(threading.get_ident())

    def work(tx: WriteTx) -> None:
        driver: Any = tx.connection.dbapi_connection
        driver.set_trace_callback(note)
        tx.exec_driver_sql("INSERT INTO notes VALUES (NULL)")

    # The first one shows how quick the disk is.
    await write_order(notes, writing("first"))
    await write_order(notes, work)
    assert (threading.get_ident() in committers) is not is_slow
    assert len(committers) == 1
    assert await notes.lookup(texts) == ["first", None]


async def test_what_comes_after_the_end_is_refused(notes: Database) -> None:
    await notes.close()
    for brief in (True, False):
        with pytest.raises(Unavailable):
            await write_as(notes, writing("late"), order=brief)
        with pytest.raises(Unavailable):
            await (notes.lookup(texts) if brief else notes.read(texts))


async def test_listeners_are_called_after_the_commit(notes: Database) -> None:
    seen: list[list[str]] = []
    reader = sqlite3.connect(notes.url.removeprefix("sqlite:///"))
    notes.on_write.append(lambda: seen.append([text for (text,) in reader.execute("SELECT text FROM notes")]))
    await notes.write(lambda tx: write_down(tx, "shown"))
    await notes.write_private(lambda tx: write_down(tx, "hidden"))
    assert seen == [["shown"]]
    reader.close()


async def test_it_ends_even_where_its_caller_goes_away(notes: Database) -> None:
    write = asyncio.create_task(write_order(notes, lambda tx: write_down(tx, "ours")))
    await asyncio.sleep(0)
    write.cancel()
    with pytest.raises(asyncio.CancelledError):
        await write
    await notes.write(lambda tx: write_down(tx, "next"))
    assert await notes.read(texts) == ["ours", "next"]


async def test_closing_waits_for_all_that_wait(tmp_path: Path, notes: Database) -> None:
    writes = [asyncio.create_task(write_as(notes, writing(f"{n}"), order=n % 2 == 0)) for n in range(6)]
    # No listener is called when a write begins.
    while sum(task.get_name() == "db-write" for task in asyncio.all_tasks()) < len(writes):  # noqa: ASYNC110
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    await notes.close()
    await asyncio.gather(*writes)
    again = open_database(f"sqlite:///{tmp_path}/database")
    assert len(await again.read(texts)) == 6
    await again.close()
