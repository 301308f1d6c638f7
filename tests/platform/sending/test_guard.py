"""Every way in which a database comes to be served elsewhere, or as it was before; and what is no such way."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from foreknow.kernel.settings import Settings
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import open_database
from foreknow.platform.sending import Guard, Hold, IdsUsed, SendingWatch
from foreknow.platform.sending.service import CLONED, COPIED, GONE_BACK, IDS_PER_MS, NOT_MARKED
from foreknow.platform.sending.tables import sending
from foreknow.service.sending import guard_of
from foreknow.site.admin.service import add_partner, deposit
from tests.support.kinds import ON_SQLITE
from tests.support.postgres import Postgres
from tests.support.restoring import Backup, path_of
from tests.support.schema import prepare
from tests.support.standby import running_standby
from tests.support.transactions import look


def guard(url: str, folder: Path) -> Guard:
    return guard_of(Settings(database_url=url, data_dir=folder))


def served(url: str, folder: Path, watcher: Guard | None = None) -> str:
    """Serve a database for a moment, as one does with `folder`; return why sending is held then, "" if it is not."""

    async def run() -> Hold | None:
        db = open_database(url)
        watch = SendingWatch(db, watcher or guard(url, folder))
        await watch.look()
        await watch.stop()
        held = await db.read(lambda tx: (watcher or guard(url, folder)).look(tx).hold)
        await db.close()
        return held

    held = asyncio.run(run())
    return "" if held is None else held.reason


def trade(url: str) -> int:
    """Move money; return the id of the line about it."""

    def work(tx: Any) -> int:
        name = f"p{now_ms(tx)}"
        add_partner(tx, None, name=name, at_ms=now_ms(tx))
        deposit(tx, None, name=name, amount_kopecks=5, at_ms=now_ms(tx))
        return int(tx.exec_driver_sql("SELECT max(id) FROM partner_transactions").scalar_one())

    return look(url, work)


def no_ids(_: Any) -> IdsUsed:
    return IdsUsed(0, 0)


def copy_file(source: Path, target: Path) -> None:
    shutil.copy2(source, target)


def vacuum_into(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("VACUUM INTO ?", [str(target)])


def restore_into(source: Path, target: Path) -> None:
    """What `.restore` of the SQLite shell does, and Litestream."""
    with closing(sqlite3.connect(source)) as from_, closing(sqlite3.connect(target)) as to:
        from_.backup(to)


SQLITE_WAYS = [copy_file, vacuum_into, restore_into]


@ON_SQLITE
@pytest.mark.parametrize("way", SQLITE_WAYS)
def test_a_copy_of_a_file_is_noticed_wherever_it_is(
    database_url: str, tmp_path: Path, way: Callable[[Path, Path], None]
) -> None:
    assert served(database_url, tmp_path) == ""
    assert served(database_url, tmp_path) == ""
    known = trade(database_url)
    copy = tmp_path / "copy.sqlite3"
    way(path_of(database_url), copy)
    url = f"sqlite:///{copy}"
    assert served(url, tmp_path) == served(url, tmp_path) == COPIED
    line = trade(url)
    assert line > known * 1_000
    # A copy of the copy goes on above it.
    again = tmp_path / "again.sqlite3"
    way(copy, again)
    assert served(f"sqlite:///{again}", tmp_path) == COPIED
    assert trade(f"sqlite:///{again}") > line
    assert served(database_url, tmp_path) == ""


@ON_SQLITE
@pytest.mark.parametrize("way", SQLITE_WAYS)
def test_an_earlier_state_in_the_same_file_is_noticed(
    database_url: str, tmp_path: Path, way: Callable[[Path, Path], None]
) -> None:
    path, folder, kept = path_of(database_url), tmp_path / "data", tmp_path / "kept"
    assert served(database_url, folder) == ""
    trade(database_url)
    way(path, kept)
    lost = trade(database_url)
    assert served(database_url, folder) == ""
    with kept.open("rb") as source, path.open("r+b") as target:
        target.truncate()
        shutil.copyfileobj(source, target)
    assert served(database_url, folder) == GONE_BACK
    assert trade(database_url) > lost * 1_000
    look(database_url, guard(database_url, folder).confirm)
    assert served(database_url, folder) == ""


@ON_SQLITE
def test_a_move_within_a_disk_is_no_copy(database_url: str, tmp_path: Path) -> None:
    assert served(database_url, tmp_path / "data") == ""
    known = trade(database_url)
    moved = tmp_path / "moved"
    moved.mkdir()
    path_of(database_url).rename(moved / "foreknow.sqlite3")
    url = f"sqlite:///{moved}/foreknow.sqlite3"
    assert served(url, moved) == ""
    assert trade(url) == known + 1


@ON_SQLITE
def test_a_backup_of_an_earlier_release_is_noticed_where_this_one_ran(database_url: str, tmp_path: Path) -> None:
    trade(database_url)
    assert served(database_url, tmp_path) == ""
    look(database_url, lambda tx: tx.execute(sending.delete()))
    assert served(database_url, tmp_path) == NOT_MARKED
    look(database_url, lambda tx: tx.execute(sending.delete()))
    assert served(database_url, tmp_path / "elsewhere") == ""


def test_ids_leap_in_every_table_and_grow(database_url: str, tmp_path: Path) -> None:
    known = trade(database_url)
    watcher = guard(database_url, tmp_path)
    before_ms = look(database_url, now_ms)
    look(database_url, watcher.hold)
    first = trade(database_url)
    assert first > before_ms * IDS_PER_MS > known
    # Exact in JavaScript.
    assert first < 2**53
    held = look(database_url, watcher.hold)
    assert trade(database_url) == first + 1
    assert look(database_url, watcher.confirm) == held
    assert look(database_url, watcher.confirm) is None
    assert served(database_url, tmp_path, watcher) == ""


@pytest.mark.postgres
def test_a_dump_is_noticed_in_another_database_and_in_the_same(
    postgres: Postgres, postgres_url: str, tmp_path: Path
) -> None:
    site = postgres.fresh_database(prepare)
    backup = Backup(site, postgres_url, tmp_path / "dump")
    assert served(site, tmp_path) == ""
    known = trade(site)
    backup.make()
    backup.restore_elsewhere()
    assert served(postgres_url, tmp_path) == COPIED
    assert trade(postgres_url) > known * 1_000
    # On a machine that never saw it, too.
    backup.restore_in_place()
    assert served(site, tmp_path / "elsewhere") == COPIED
    look(site, guard(site, tmp_path).confirm)
    assert served(site, tmp_path) == ""
    name = site.rpartition("/")[2]
    postgres.sql(f"CREATE DATABASE {name}_copy TEMPLATE {name}")
    assert served(f"{site}_copy", tmp_path) == COPIED
    for url in (f"{site}_copy", site):
        postgres.drop(url)


@pytest.mark.postgres
def test_a_physical_copy_is_noticed_and_a_failover_is_none(postgres: Postgres, tmp_path: Path) -> None:
    site, machine = postgres.fresh_database(prepare), tmp_path / "machine"
    assert served(site, machine) == ""
    trade(site)
    assert served(site, machine) == ""
    with running_standby(postgres) as standby:
        standby.catch_up()
        promoted = standby.url(site)
        standby.server.sql("SELECT pg_promote()")

        # A balancer leads the site to it. A machine that never saw the database cannot know; one that saw more does.
        unknowing = guard(site, tmp_path / "new")
        assert look(promoted, unknowing.look).change == CLONED
        more = guard(site, tmp_path / "more")
        more.witness.note(look(promoted, more.look).place, 1_000)
        assert look(promoted, more.look).change == GONE_BACK
        # Another server runs on it, or the machine saw what is there: it is the same.
        assert look(promoted, Guard(site, tmp_path, ids_used=no_ids, is_served=lambda _: True).look).change == ""
        assert served(promoted, machine, guard(site, machine)) == ""
        assert look(promoted, unknowing.look).change is None
        # At an address of its own it is a trial.
        assert served(promoted, tmp_path / "trial") == CLONED
    postgres.drop(site)
