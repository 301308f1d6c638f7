"""Bringing a database up to date: the migrations under `foreknow.db.migrations`, run by one process at a time.

Every command but `backup` does it before anything else, so that starting a new release is all an upgrade takes. A
release starts on a database that a newer one has migrated, too: migrations are such that the code before them goes on
working, which is what lets servers be replaced one by one (docs/adr/0009-rolling-upgrades.md). Where one is not, it
says so, and older code refuses to start.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool

from foreknow.db.compatibility import refuse_what_needs_newer_code
from foreknow.db.connections import postgres_engine
from foreknow.db.sqlite import sqlite_engine

#: The standard library's: a command that has not set up logs, and answers on standard output, says nothing of it.
log = logging.getLogger("foreknow.db")

HEAD = "head"
#: Where the migrations are; tests add a folder of their own.
VERSIONS: tuple[Path, ...] = (Path(__file__).parent / "migrations" / "versions",)
#: Whoever migrates on PostgreSQL holds this advisory lock; the number means nothing but must never change.
ADVISORY_LOCK = 4_701_968_322_119
#: Whoever waits for that lock asks again so often. It must not wait inside a statement: that would hold a snapshot,
#: which whoever builds an index concurrently waits for in turn.
ASK_S = 0.2
#: So long a migration waits for a table that a running server uses; a longer wait would hold up that server's orders,
#: which queue behind it.
LOCK_TIMEOUT_MS = 500
#: A migration that did not get its locks is tried again this often, after a pause in which the servers work on.
ATTEMPTS = 120
PAUSE_S = 1.0
#: lock_not_available; deadlock_detected, where it and an order waited for each other.
_TRY_AGAIN = {"55P03", "40P01"}


class TableInUse(Exception):
    """A migration waited in vain for a table; its text says what to look for."""


def migrate(url: str) -> bool:
    """Bring the database at `url` up to date, creating a SQLite file that is not there; tell if anything was to do.

    Safe beside running servers and other processes doing the same: one works, the others wait and find it done.
    Raises `OSError` or `sqlalchemy.exc.DBAPIError` where the database cannot be reached or refuses, `DatabaseTooNew`
    where it is of a release that this one cannot work with, `TableInUse` where a table is never free.
    """
    if url.startswith("sqlite:"):
        return _migrate_sqlite(url)
    # In a thread of its own, so that it may be called where an event loop already runs.
    with ThreadPoolExecutor(1, thread_name_prefix="migrate") as thread:
        return thread.submit(asyncio.run, _migrate_postgres(url)).result()


def upgrade(connection: sa.Connection, *, target: str = HEAD) -> None:
    """Run the missing migrations up to `target`: in the connection's transaction, or each in one of its own."""
    command.upgrade(config_for(connection), target)


def is_up_to_date(connection: sa.Connection) -> bool:
    """Tell whether the newest migration this code knows has run; a database of a newer release is up to date, too.

    Raises `DatabaseTooNew` where the newer release has taken away what this code needs.
    """
    current = MigrationContext.configure(connection).get_current_revision()
    script = ScriptDirectory.from_config(config_for(connection))
    head = script.get_current_head()
    if current == head:
        return True
    if current is None or head is None or _is_known(script, current):
        return False
    refuse_what_needs_newer_code(connection, newest_known=head)
    log.info("the database is of a newer release: %s, and this one knows %s", current, head)
    return True


def config_for(connection: sa.Connection, **attributes: object) -> Config:
    """Return an Alembic configuration that works on `connection`; no ini file is needed."""
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
            # The write lock from the start: whoever comes second waits here, then reads what the first one did.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            stale = not is_up_to_date(connection)
            if stale:
                upgrade(connection)
            connection.commit()
            return stale
    finally:
        engine.dispose()


async def _migrate_postgres(url: str) -> bool:
    engine = postgres_engine(url, poolclass=NullPool)
    try:
        if await _is_up_to_date(engine):
            return False
        async with _alone(engine):
            # Whoever was before us may have done it.
            if await _is_up_to_date(engine):
                return False
            await _upgrade_postgres(engine)
            return True
    finally:
        await engine.dispose()


async def _is_up_to_date(engine: AsyncEngine) -> bool:
    async with engine.connect() as connection:
        return await connection.run_sync(is_up_to_date)


@contextlib.asynccontextmanager
async def _alone(engine: AsyncEngine) -> AsyncIterator[None]:
    """Be the only one who migrates while the block runs; wait without a limit: whoever is before us does our work.

    The lock is held by a transaction of its own, as migrations open and close theirs. It is idle meanwhile and has no
    snapshot, so nothing waits for it.
    """
    while True:
        async with engine.begin() as guard:
            asked = sa.text("SELECT pg_try_advisory_xact_lock(:key)")
            if await guard.scalar(asked, {"key": ADVISORY_LOCK}):
                await guard.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
                yield
                return
        await asyncio.sleep(ASK_S)


async def _upgrade_postgres(engine: AsyncEngine) -> None:
    """Run the missing migrations, each in its own transaction; what was done before a try failed need not be again."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            async with engine.connect() as connection:
                await connection.execute(sa.text(f"SET lock_timeout = {LOCK_TIMEOUT_MS}"))
                await connection.commit()
                await connection.run_sync(upgrade)
        except DBAPIError as failure:
            if getattr(failure.orig, "sqlstate", None) not in _TRY_AGAIN:
                raise
            log.info("a migration waits for a table in use, attempt %d of %d", attempt, ATTEMPTS)
            if attempt == ATTEMPTS:
                raise TableInUse(
                    f"a table that a migration changes was in use {attempt} times: find the long transaction in "
                    "pg_stat_activity, end it, and start again"
                ) from failure
        else:
            return
        await asyncio.sleep(PAUSE_S)
    raise AssertionError
