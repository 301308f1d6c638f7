"""Bringing a database up to date: the migrations under `foreknow.db.migrations`, run by one process at a time.

Every command does it before anything else, so that starting a new release is all an upgrade takes. A release starts on
a database that a newer one has migrated, too: migrations are such that the code before them goes on working, which is
what lets servers be replaced one by one.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from foreknow.db.engine import sync_engine

HEAD = "head"
#: Whoever migrates on PostgreSQL holds this advisory lock; the number means nothing but must never change.
ADVISORY_LOCK = 4_701_968_322_119
#: So long a migration waits for a table that a running server uses; a longer wait would hold up that server's orders,
#: which queue behind it.
LOCK_TIMEOUT_MS = 3_000
#: A migration that did not get its locks is tried again this often, after a pause in which the servers work on.
ATTEMPTS = 20
PAUSE_S = 1.0
_LOCK_NOT_AVAILABLE = "55P03"


def migrate(url: str) -> bool:
    """Bring the database at `url` up to date, creating a SQLite file that is not there; tell if anything was to do.

    Safe beside running servers and other processes doing the same: one works, the others wait and find it done.
    Raises `OSError` or `sqlalchemy.exc.DBAPIError` where the database cannot be reached or refuses.
    """
    if url.startswith("sqlite:"):
        return _migrate_sqlite(url)
    # In a thread of its own, so that it may be called where an event loop already runs.
    with ThreadPoolExecutor(1, thread_name_prefix="migrate") as thread:
        return thread.submit(asyncio.run, _migrate_postgres(url)).result()


def upgrade(connection: sa.Connection, *, target: str = HEAD) -> None:
    """Run the missing migrations up to `target` in the connection's transaction."""
    command.upgrade(config_for(connection), target)


def is_up_to_date(connection: sa.Connection) -> bool:
    """Tell whether the newest migration this code knows has run; a database of a newer release is up to date, too."""
    current = MigrationContext.configure(connection).get_current_revision()
    script = ScriptDirectory.from_config(config_for(connection))
    if current == script.get_current_head():
        return True
    return current is not None and not _is_known(script, current)


def config_for(connection: sa.Connection, **attributes: object) -> Config:
    """Return an Alembic configuration that works on `connection`; no ini file is needed."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
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
    engine = sync_engine(url)
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
    target = make_url(url).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(target, poolclass=NullPool, hide_parameters=True)
    try:
        async with engine.connect() as connection:
            if await connection.run_sync(is_up_to_date):
                return False
        # The lock is held by a transaction of its own, so that a migration may open and close others. It waits
        # without a limit: whoever holds it is doing our work.
        async with engine.begin() as guard:
            await guard.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    return await _upgrade_postgres(engine)
                except DBAPIError as failure:
                    if getattr(failure.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE or attempt == ATTEMPTS:
                        raise
                await asyncio.sleep(PAUSE_S)
        raise AssertionError
    finally:
        await engine.dispose()


async def _upgrade_postgres(engine: AsyncEngine) -> bool:
    async with engine.begin() as connection:
        await connection.execute(sa.text(f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}"))
        if await connection.run_sync(is_up_to_date):
            return False
        await connection.run_sync(upgrade)
        return True
