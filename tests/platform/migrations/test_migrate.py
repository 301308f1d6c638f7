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

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.look_alikes import skeleton
from foreknow.market.events.tables import event_names_from, events
from foreknow.money.stats.tables import stats_days
from foreknow.people.users.tables import users
from foreknow.platform.db import migrate as migrations
from foreknow.platform.db.metadata import DIALECT
from foreknow.platform.db.migrate import ADVISORY_LOCK, DatabaseTooOld, is_up_to_date, migrate
from foreknow.service.tables import metadata
from foreknow.site.comments.tables import comments, event_comments
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


def event_row(event_id: int, key: str = "") -> dict[str, Any]:
    """Return the least that an event's row holds."""
    row: dict[str, Any] = dict.fromkeys(("name", "name_ru", "image_url", "external_event_url"), "")
    row |= {name: [] for name in ("tags", "versus_names", "versus_images")}
    row |= dict.fromkeys(("main_pool_index", "loop_interval_minutes", "created_at_ms"), 0)
    return {**row, "id": event_id, "creator_id": 1, "search_key": key, "status": "new", "has_draw": False}


def test_events_are_found_by_either_spelling_of_yo_once_migrated(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def before(connection: sa.Connection) -> None:
        connection.execute(users.insert().values(id=1, name="Ann", created_at_ms=0))
        for number, key in enumerate(["ёлка\uffff", "alder\uffffещё ёж", "fir\uffff"], start=1):
            connection.execute(events.insert().values(event_row(number, key)))
            for part in key.split("\uffff"):
                suffixes = [{"letters": part[at:].encode(), "event_id": number} for at in range(len(part))]
                if suffixes:
                    connection.execute(event_names_from.insert(), suffixes)

    def keys(connection: sa.Connection) -> list[str]:
        return list(connection.scalars(sa.select(events.c.search_key).order_by(events.c.id)))

    def index(connection: sa.Connection) -> set[tuple[int, str]]:
        rows = connection.execute(sa.select(event_names_from.c.event_id, event_names_from.c.letters))
        return {(event_id, bytes(letters).decode()) for event_id, letters in rows}

    monkeypatch.setattr(migrations.upgrade, "__kwdefaults__", {"target": "0097"})
    migrate(empty_url)
    monkeypatch.undo()
    look(empty_url, before)
    indexed = look(empty_url, index)
    assert migrate(empty_url) is True
    assert look(empty_url, keys) == ["елка\uffff", "alder\uffffеще еж", "fir\uffff"]
    assert look(empty_url, index) == {(event_id, letters.replace("ё", "е")) for event_id, letters in indexed}
    assert migrate(empty_url) is False


def test_rows_of_before_become_what_the_code_of_today_counts_on(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    people: list[dict[str, Any]] = [
        {"email": "ann@example.org", "nickname": "alice", "refused_email": "ann@example.org"},
        {"email": "a%evil.example@example.org", "nickname": "Аlice", "email_pending": "b@example.org"},
        {"email": "evil.example!a@example.org", "nickname": "bob", "email_pending": "c%d@example.org"},
        {"email": "eve@example.org", "nickname": "", "email_pending": "e!f@example.org", "deleted_at_ms": DAY_MS},
    ]
    events_, words = [7, 8, 9], ["", "kept"]

    def before(connection: sa.Connection) -> None:
        for number, person in enumerate(people, start=1):
            row = {"id": number, "name": "", "email_verified": True, "created_at_ms": DAY_MS - 1, **person}
            connection.execute(users.insert().values(row))
        days = [{"day": 0, "slot": slot, "sign_ups": count} for slot, count in ((1, 3), (2, 1))]
        connection.execute(stats_days.insert(), [*days, {"day": 1, "slot": 0, "sign_ups": 5}])
        for number in events_:
            connection.execute(events.insert().values(event_row(number)))
        comment_id = 0
        for event_id, said in zip(events_, ((0, 0, 1, 1, 1), (0,), (1, 1)), strict=True):
            first_id = comment_id + 1
            for place, word in enumerate(said):
                comment_id += 1
                reply = {"parent_id": first_id, "place": place} if place > 1 else {"parent_id": None, "place": None}
                row = {"id": comment_id, "event_id": event_id, "user_id": 1, "content": words[word], **reply}
                deleted_at_ms = None if word else 1
                connection.execute(
                    comments.insert().values({**row, "created_at_ms": 0, "deleted_at_ms": deleted_at_ms})
                )
            # The newest comment of each is not counted yet.
            counted = {"event_id": event_id, "comments": len(said) - 1, "counted_through_id": comment_id - 1}
            connection.execute(event_comments.insert().values(counted))

    def after(connection: sa.Connection) -> tuple[list[Any], dict[int, int], dict[int, int]]:
        about = (users.c.refused_email, users.c.email_verified, users.c.email_pending, users.c.nickname_skeleton)
        found = connection.execute(sa.select(*about).order_by(users.c.id))
        days = connection.execute(sa.select(stats_days.c.day, sa.func.sum(stats_days.c.sign_ups)).group_by("day"))
        numbers = connection.execute(sa.select(event_comments.c.event_id, event_comments.c.comments))
        return list(map(tuple, found)), dict(map(tuple, days)), dict(map(tuple, numbers))

    monkeypatch.setattr(migrations.upgrade, "__kwdefaults__", {"target": "0099"})
    migrate(empty_url)
    monkeypatch.undo()
    look(empty_url, before)
    assert migrate(empty_url) is True
    rows, sign_ups, numbers = look(empty_url, after)

    assert rows == [
        (None, True, None, skeleton("alice")),
        # Of two that look alike the older one keeps others away.
        (None, False, "b@example.org", None),
        (None, False, None, skeleton("bob")),
        (None, True, None, None),
    ]
    assert sign_ups == {0: 3, 1: 5}
    assert numbers == {7: 2, 8: 0, 9: 1}


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
