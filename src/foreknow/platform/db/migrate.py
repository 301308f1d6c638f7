"""Runs the migrations under `foreknow.platform.db.migrations`, in one process at a time.

Every command but `backup` does so first: starting a new release is the whole upgrade. A release also starts on a
database that a newer release has migrated, so that servers can be replaced one by one
(docs/adr/0009-rolling-upgrades.md); a migration after which older code does not work makes that code refuse to start.
A database from before the first migration here is refused unchanged (docs/adr/0027-one-first-migration.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool

from foreknow.platform.db.engine import naming
from foreknow.platform.db.postgres.connections import postgres_engine
from foreknow.platform.db.sqlite.connections import sqlite_engine
from foreknow.platform.db.transactions import Result

#: The standard library's: silent in a command that has not configured logging and writes results to standard output.
log = logging.getLogger("foreknow.db")

HEAD = "head"
#: Folders of migrations; tests add their own.
VERSIONS: tuple[Path, ...] = (Path(__file__).parent / "migrations" / "versions",)
#: PostgreSQL's advisory lock of a migration: an arbitrary number that must never change.
ADVISORY_LOCK = 4_701_968_322_119
#: Polling interval while another process holds that lock. Waiting inside a statement would hold a snapshot, which a
#: concurrent index build waits for.
LOCK_POLL_S = 0.2
#: Longest wait of a migration for a table lock: the orders of running servers queue behind it.
LOCK_TIMEOUT_MS = 500
#: Attempts of a migration that does not get its locks, and the pause between them, in which servers go on working.
ATTEMPTS = 120
PAUSE_S = 1.0
#: lock_not_available; deadlock_detected, of a migration and an order.
_RETRY_SQLSTATES = {"55P03", "40P01"}

#: The last commit with the migrations before the first one here.
LAST_WITH_OLDER = "3da23bb3cae4"


class DatabaseTooNew(Exception):
    """A newer release has migrated the database, and this one cannot use it; the text says which one can."""


class DatabaseTooOld(Exception):
    """An older checkout must migrate the database first; the text gives the command."""


class TableInUse(Exception):
    """A migration got no lock on a table; the text says what to look for."""


def migrate(url: str) -> bool:
    """Bring the database at `url` up to date, creating a missing SQLite file; return whether a migration ran.

    Safe beside running servers and other processes that migrate: one works, the others wait and find it done.
    Raises `OSError` or `sqlalchemy.exc.DBAPIError` if the database is unreachable or rejects a statement,
    `DatabaseTooNew` if a newer release made it incompatible, `DatabaseTooOld` if an older checkout must migrate it
    first, `TableInUse` if a table stays locked.
    """
    with naming(url):
        return _migrate_sqlite(url) if url.startswith("sqlite:") else _run(_migrate_postgres(url))


def is_installed(url: str) -> bool:
    """Return whether the database at `url` has ever been migrated; makes nothing.

    Raises as `migrate`, and `sqlite3.Error`.
    """
    with naming(url):
        if url.startswith("sqlite:"):
            return _is_sqlite_installed(Path(make_url(url).database or ""))
        return _run(_look_at_postgres(url, _revision)) is not None


def find_missing(url: str) -> list[str]:
    """Return the migrations that the installation at `url` lacks, the next one first; migrates nothing.

    Raises as `migrate`; `DatabaseTooNew` wherever a newer release has migrated it, also where this one could serve it.
    """
    with naming(url):
        if not url.startswith("sqlite:"):
            return _run(_look_at_postgres(url, _find_missing))
        engine = sqlite_engine(url)
        try:
            with engine.connect() as connection:
                return _find_missing(connection)
        finally:
            engine.dispose()


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    # In a thread of its own: the caller may already run an event loop.
    with ThreadPoolExecutor(1, thread_name_prefix="migrate") as thread:
        return thread.submit(asyncio.run, work).result()


def _is_sqlite_installed(path: Path) -> bool:
    # Opening a missing file would make it, and our engine would change one of another program.
    if not path.is_file():
        return False
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    return found is not None


def upgrade(connection: sa.Connection, *, target: str = HEAD) -> None:
    """Run the missing migrations up to `target`, in the connection's transaction or, without one, in one each."""
    command.upgrade(config_for(connection), target)


def is_up_to_date(connection: sa.Connection) -> bool:
    """Return whether the newest migration this code knows has run; true for the database of a newer release.

    Raises `DatabaseTooNew` if the newer release has removed what this code needs, `DatabaseTooOld` if the database is
    from before the first migration here.
    """
    current = _revision(connection)
    script = ScriptDirectory.from_config(config_for(connection))
    first, head = script.get_base(), script.get_current_head()
    if current == head:
        return True
    if current is None or first is None or head is None or _is_known(script, current):
        return False
    _check_database_is_new_enough(current, first_known=first)
    _check_code_is_new_enough(connection, newest_known=head)
    log.info("database is newer: at %s, known to %s", current, head)
    return True


def config_for(connection: sa.Connection, **attributes: object) -> Config:
    """Return an Alembic configuration for `connection`, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", os.pathsep.join(map(str, VERSIONS)))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes.update(attributes, connection=connection)
    return config


def _is_known(script: ScriptDirectory, revision: str) -> bool:
    try:
        script.get_revision(revision)
    except CommandError:
        return False
    return True


def _migrate_sqlite(url: str) -> bool:
    engine = sqlite_engine(url)
    try:
        with engine.connect() as connection:
            if is_up_to_date(connection):
                return False
            connection.rollback()
            # The write lock from the start: a second process waits here, then finds the migration done.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            is_outdated = not is_up_to_date(connection)
            if is_outdated:
                upgrade(connection)
            connection.commit()
            return is_outdated
    finally:
        engine.dispose()


async def _migrate_postgres(url: str) -> bool:
    engine = postgres_engine(url, poolclass=NullPool)
    try:
        if await _is_up_to_date(engine):
            return False
        async with _migration_lock(engine):
            # The process that held the lock before may have done it.
            if await _is_up_to_date(engine):
                return False
            await _upgrade_postgres(engine)
            return True
    finally:
        await engine.dispose()


async def _look_at_postgres(url: str, look: Callable[[sa.Connection], Result]) -> Result:
    engine = postgres_engine(url, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            return await connection.run_sync(look)
    finally:
        await engine.dispose()


def _find_missing(connection: sa.Connection) -> list[str]:
    current = _revision(connection)
    script = ScriptDirectory.from_config(config_for(connection))
    first, head = script.get_base(), script.get_current_head()
    if current is not None and first is not None and not _is_known(script, current):
        _check_database_is_new_enough(current, first_known=first)
        raise DatabaseTooNew(
            f"a newer release has migrated the database: it is at migration {current}, and this one knows those up to "
            f"{head}; go on with that release, or a newer one"
        )
    return [step.revision for step in script.iterate_revisions(head, current or "base")][::-1]


def _revision(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


async def _is_up_to_date(engine: AsyncEngine) -> bool:
    async with engine.connect() as connection:
        return await connection.run_sync(is_up_to_date)


@contextlib.asynccontextmanager
async def _migration_lock(engine: AsyncEngine) -> AsyncIterator[None]:
    """Hold the advisory lock while the block runs; waits without a limit, as the holder does the same work.

    A transaction of its own holds the lock, as migrations open and close theirs. It is idle and has no snapshot, so
    nothing waits for it.
    """
    while True:
        async with engine.begin() as holder:
            try_lock = sa.text("SELECT pg_try_advisory_xact_lock(:key)")
            if await holder.scalar(try_lock, {"key": ADVISORY_LOCK}):
                await holder.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
                yield
                return
        await asyncio.sleep(LOCK_POLL_S)


async def _upgrade_postgres(engine: AsyncEngine) -> None:
    """Run the missing migrations, each in its own transaction; a retry continues with the one that failed."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            async with engine.connect() as connection:
                await connection.execute(sa.text(f"SET lock_timeout = {LOCK_TIMEOUT_MS}"))
                await connection.commit()
                await connection.run_sync(upgrade)
        except DBAPIError as failure:
            if getattr(failure.orig, "sqlstate", None) not in _RETRY_SQLSTATES:
                raise
            log.info("migration waits for lock: attempt %d/%d", attempt, ATTEMPTS)
            if attempt == ATTEMPTS:
                raise TableInUse(
                    f"a table that a migration changes was in use {attempt} times: find the long transaction in "
                    "pg_stat_activity, end it, and start again"
                ) from failure
        else:
            return
        await asyncio.sleep(PAUSE_S)
    raise AssertionError


def _check_database_is_new_enough(revision: str, *, first_known: str) -> None:
    """Raise `DatabaseTooOld` if a database at `revision` is older than this code's first migration."""
    if revision < first_known:
        raise DatabaseTooOld(
            f"the database is at migration {revision}, and this release has none before {first_known}: migrate it in "
            f"a checkout first, by git checkout {LAST_WITH_OLDER} && bin/foreknow migrate && git checkout -"
        )


def remember_oldest_code(connection: sa.Connection, revision: str) -> None:
    """Store that code must know the migration `revision` to use this database.

    A migration that removes what older code used names, as its `oldest_code`, the oldest whose code does without. It is
    stored outside of tables: in SQLite's `user_version`, or in a comment on PostgreSQL's `alembic_version`.
    """
    number = int(revision)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {number}")
    else:
        connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{number}'")


def _check_code_is_new_enough(connection: sa.Connection, *, newest_known: str) -> None:
    """Raise `DatabaseTooNew` if code that knows migrations up to `newest_known` cannot use this database."""
    if connection.dialect.name == "sqlite":
        stored = connection.exec_driver_sql("PRAGMA user_version").scalar()
    else:
        stored = connection.exec_driver_sql("SELECT obj_description('alembic_version'::regclass)").scalar()
    oldest = int(stored or 0)
    if oldest > int(newest_known):
        raise DatabaseTooNew(
            "a newer release has migrated the database, and this one cannot work on it any more: start one that has "
            f"migration {oldest:04} (this one has those up to {newest_known})"
        )
