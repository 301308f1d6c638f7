"""Files of a SQLite database that are removed or replaced while it is open."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.sqlite.files import FileGone


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite database with one table, and a row that is only in its log."""
    database = open_database(f"sqlite:///{tmp_path}/database")
    await database.write(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (text TEXT)"))
    await database.write(write_down)
    yield database
    await database.close()


def write_down(tx: sa.Connection) -> None:
    tx.exec_driver_sql("INSERT INTO notes VALUES ('answered')")


def count(tx: sa.Connection) -> int:
    return int(tx.exec_driver_sql("SELECT count(*) FROM notes").scalar_one())


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("brief", [True, False])
async def test_no_commit_counts_once_a_file_is_gone(
    notes: Database, tmp_path: Path, suffix: str, *, brief: bool
) -> None:
    (tmp_path / f"database{suffix}").unlink()
    with pytest.raises(Unavailable):
        await (notes.write_orders(write_down, limit_s=30) if brief else notes.write(write_down))
    with pytest.raises(FileGone):
        await (notes.lookup(count) if brief else notes.read(count))


async def test_a_file_that_goes_while_a_transaction_runs_is_noticed_by_its_commit(
    notes: Database, tmp_path: Path
) -> None:
    calls: list[None] = []
    notes.on_write.append(lambda: calls.append(None))

    def work(tx: sa.Connection) -> None:
        write_down(tx)
        Path(f"{tmp_path}/database-wal").unlink()

    with pytest.raises(FileGone):
        await notes.write(work)
    assert calls == []


async def test_a_file_that_was_replaced_is_gone(notes: Database, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "database", tmp_path / "copy")
    (tmp_path / "copy").rename(tmp_path / "database")
    with pytest.raises(FileGone):
        await notes.write(write_down)
    # And stays so, whatever comes into its place.
    with pytest.raises(FileGone):
        await notes.write(write_down)


async def test_what_only_a_lost_log_held_is_written_into_the_database(notes: Database, tmp_path: Path) -> None:
    with capture_logs() as lines:
        (tmp_path / "database-wal").unlink()
        while not any(line["event"] == "lost database log checkpointed" for line in lines):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    (said,) = [line["reason"] for line in lines if line["event"] == "database file lost"]
    assert f"{tmp_path}/database-wal was removed or replaced" in said
    assert "Stop the service" in said
    # As after `kill -9`: the file alone.
    shutil.copy(tmp_path / "database", tmp_path / "left")
    assert sqlite3.connect(tmp_path / "left").execute("SELECT text FROM notes").fetchall() == [("answered",)]


async def test_files_that_others_open_and_close_are_not_gone(notes: Database, tmp_path: Path) -> None:
    for _ in range(3):
        other = sqlite3.connect(tmp_path / "database")
        other.execute("INSERT INTO notes VALUES ('theirs')")
        other.commit()
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        other.close()
        await notes.write(write_down)
    assert await notes.read(count) == 7


async def test_a_link_to_a_database_leads_to_its_log(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "database")
    linked = open_database(f"sqlite:///{tmp_path}/link")
    await linked.write(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (text TEXT)"))
    await linked.write(write_down)
    (tmp_path / "elsewhere" / "database-wal").unlink()
    with pytest.raises(FileGone):
        await linked.write(write_down)
    await linked.close()
