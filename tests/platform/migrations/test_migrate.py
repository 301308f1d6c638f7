"""Migrations lead to exactly the tables that the code declares, one process at a time, beside running servers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from foreknow.platform.db import migrate as migrations
from foreknow.platform.db.compatibility import DatabaseTooOld
from foreknow.platform.db.metadata import DIALECT
from foreknow.platform.db.migrate import ADVISORY_LOCK, is_up_to_date, migrate
from foreknow.service.tables import metadata
from tests.support import forks
from tests.support.proofs import proves
from tests.support.schema import SqliteFiles, prepare
from tests.support.transactions import look

if TYPE_CHECKING:
    from tests.support.postgres import Postgres

Result = TypeVar("Result")


@pytest.fixture
def empty_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of the kind whose turn it is, without any table."""
    if database_kind == "sqlite":
        return f"sqlite:///{tmp_path}/new-folder/foreknow.sqlite3"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def migrated_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A copy of a database that was migrated from nothing."""
    if database_kind == "sqlite":
        files: SqliteFiles = request.getfixturevalue("sqlite_files")
        yield files.fresh_database()
        return
    server: Postgres = request.getfixturevalue("postgres")
    url = server.fresh_database(prepare)
    yield url
    server.drop(url)


@pytest.fixture
def migrated_postgres_url(postgres: Postgres) -> Iterator[str]:
    """Such a copy on PostgreSQL."""
    url = postgres.fresh_database(prepare)
    yield url
    postgres.drop(url)


def parts(statement: str) -> list[str]:
    """Cut a statement at its line breaks and at the commas of its outermost list: both may stand in another order.

    SQLite writes an added column behind the constraints, on their line.
    """
    depth = 0
    found = [""]
    for sign in statement:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "\n" or (sign == "," and depth == 1):
            found.append("")
        elif sign == ")" and depth == 0:
            # Its own part: a column that was added later stands on the same line.
            found += [")", ""]
        else:
            found[-1] += sign
    return sorted(filter(None, (" ".join(part.split()) for part in found)))


def test_the_migrated_schema_is_the_declared_one(migrated_url: str) -> None:
    def differences(connection: sa.Connection) -> list[Any]:
        def is_here(item: Any, *_: Any) -> bool:
            return bool(item.info.get(DIALECT, connection.dialect.name) == connection.dialect.name)

        options = {"compare_type": True, "include_object": is_here}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    assert look(migrated_url, differences) == []


def test_on_sqlite_it_is_so_to_the_letter(sqlite_files: SqliteFiles, tmp_path: Path) -> None:
    """Alembic compares no STRICT, default, CHECK, WHERE or trigger; SQLite's own record shows them all."""

    def statements(connection: sa.Connection) -> dict[str, list[str]]:
        query = sa.text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
        return {name: parts(sql) for name, sql in connection.execute(query)}

    migrated, declared = sqlite_files.fresh_database(), f"sqlite:///{tmp_path}/declared.sqlite3"
    look(declared, metadata.create_all)
    assert look(migrated, statements) == look(declared, statements)
    assert "STRICT" in look(
        migrated, lambda c: c.scalar(sa.text("SELECT sql FROM sqlite_master WHERE name = 'trades'"))
    )


@pytest.mark.postgres
def test_on_postgres_it_has_the_same_checks_defaults_indexes_and_triggers(
    migrated_postgres_url: str, postgres_url: str
) -> None:
    def definitions(connection: sa.Connection) -> list[tuple[str, ...]]:
        query = """
            SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'alembic_version'
            UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes
            WHERE schemaname = 'public' AND tablename <> 'alembic_version'
            UNION ALL SELECT table_name, column_name, column_default FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name <> 'alembic_version'
            UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger
            WHERE NOT tgisinternal
            ORDER BY 1, 2, 3"""
        return [tuple(row) for row in connection.execute(sa.text(query))]

    look(postgres_url, metadata.create_all)
    assert look(migrated_postgres_url, definitions) == look(postgres_url, definitions)


def test_migrating_again_does_nothing(migrated_url: str) -> None:
    assert migrate(migrated_url) is False


@proves("decisions: `serve` and every other command bring the database up to date first, one process at a time.")
def test_processes_at_once_migrate_once(empty_url: str) -> None:
    program = f"from foreknow.platform.db.migrate import migrate; print(migrate({empty_url!r}))"
    started = [
        forks.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    answers = [process.communicate(timeout=180) for process in started]
    assert sorted(out.strip() for out, _ in answers) == ["False", "True"], answers


def test_a_database_of_a_newer_release_is_left_alone(migrated_url: str) -> None:
    look(migrated_url, lambda c: c.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))
    assert migrate(migrated_url) is False


def test_a_database_from_before_the_first_migration_is_refused_and_left_alone(empty_url: str) -> None:
    def leave(connection: sa.Connection) -> None:
        connection.execute(sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(sa.text("INSERT INTO alembic_version VALUES ('0094')"))

    def state(connection: sa.Connection) -> tuple[list[str], str]:
        version: str = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one()
        return sa.inspect(connection).get_table_names(), version

    look(empty_url, leave)
    with pytest.raises(DatabaseTooOld, match=r"git checkout \w+ && bin/foreknow migrate"):
        migrate(empty_url)
    assert look(empty_url, state) == (["alembic_version"], "0094")


def test_a_migration_that_fails_leaves_nothing(empty_url: str) -> None:
    """A table is there already: none of those that were made before it may stay."""
    look(empty_url, metadata.tables["admin_log"].create)
    with pytest.raises(sa.exc.DBAPIError, match="already exists"):
        migrate(empty_url)
    assert look(empty_url, lambda c: sa.inspect(c).get_table_names()) == ["admin_log"]


@pytest.mark.postgres
def test_on_postgres_it_waits_for_another_migration(postgres_url: str) -> None:
    finished = threading.Event()

    def run() -> None:
        migrate(postgres_url)
        finished.set()

    async def hold(then: Callable[[], Awaitable[None]]) -> None:
        engine = create_async_engine(make_url(postgres_url).set(drivername="postgresql+asyncpg"))
        async with engine.begin() as other:
            await other.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            await then()
        await engine.dispose()

    async def start() -> None:
        thread.start()
        assert not await asyncio.to_thread(finished.wait, 0.3)

    thread = threading.Thread(target=run)
    asyncio.run(hold(start))
    thread.join(30)
    assert finished.is_set()
    assert look(postgres_url, is_up_to_date)


@pytest.mark.postgres
def test_on_postgres_it_does_not_queue_long_for_a_table_in_use(
    migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration that waits for a table lets no order past: the wait is short, given up, and tried again."""
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_MS", 100)
    monkeypatch.setattr(migrations, "PAUSE_S", 0.1)
    url = migrated_postgres_url
    look(url, lambda c: c.execute(sa.text("UPDATE alembic_version SET version_num = 'one before'")))
    tries = threading.Semaphore(0)

    def lock_a_table_in_use(connection: sa.Connection) -> None:
        tries.release()
        connection.execute(sa.text("ALTER TABLE markets ADD COLUMN extra BIGINT"))

    monkeypatch.setattr(migrations, "is_up_to_date", lambda _: False)
    monkeypatch.setattr(migrations, "upgrade", lock_a_table_in_use)

    async def race() -> None:
        engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"))
        async with engine.begin() as reader:
            await reader.execute(sa.text("SELECT count(*) FROM markets"))
            migration = asyncio.create_task(asyncio.to_thread(migrate, url))
            for _ in range(3):
                assert await asyncio.to_thread(tries.acquire, timeout=60)
            async with engine.begin() as other:  # it gets in between two tries
                await asyncio.wait_for(other.execute(sa.text("SELECT count(*) FROM markets")), 30)
        assert await migration is True
        await engine.dispose()

    asyncio.run(race())
