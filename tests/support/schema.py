"""The schema of a test's database, made once a run and then copied."""

from __future__ import annotations

import functools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import sqlalchemy as sa

from foreknow.platform.db import migrate as migrating
from foreknow.platform.db.migrate import HEAD, VERSIONS, migrate
from foreknow.platform.db.sqlite.connections import sqlite_engine


def prepare(url: str) -> None:
    """Give the empty database at `url` every table, leaving no connection open."""
    migrate(url)


class SqliteFiles:
    """Makes SQLite databases with the schema, each a copy of a template."""

    def __init__(self, folder: Path) -> None:
        """Keep the template and the copies in `folder`."""
        self._folder = folder
        self._template = folder / "template.sqlite3"
        self._count = 0

    def fresh_database(self) -> str:
        """Make a database and return its URL."""
        if not self._template.exists():
            prepare(f"sqlite:///{self._template}")
        self._count += 1
        path = self._folder / f"test_{self._count}" / "foreknow.sqlite3"
        path.parent.mkdir()
        shutil.copy(self._template, path)
        return f"sqlite:///{path}"

    def drop(self, url: str) -> None:
        """Throw a database away, with what stands beside it."""
        shutil.rmtree(Path(urlsplit(url).path[1:]).parent, ignore_errors=True)


def upgrade_at_once(connection: sa.Connection, *, target: str = HEAD) -> None:
    """Upgrade as `foreknow.platform.db.migrate.upgrade`: an empty SQLite database by the statements that its schema
    comes down to, a twentieth of the time, for tests of what comes after it.
    """
    is_empty = connection.dialect.name == "sqlite" and not sa.inspect(connection).get_table_names()
    if not is_empty or target != HEAD or migrating.VERSIONS != VERSIONS:
        _upgrade(connection, target=target)
        return
    for statement in _statements():
        connection.exec_driver_sql(statement)


_upgrade: Callable[..., None] = migrating.upgrade


@functools.cache
def _statements() -> list[str]:
    """Return what makes the schema, with the rows of its migrations; the transaction is the caller's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.sqlite3"
        engine = sqlite_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            _upgrade(connection)
        engine.dispose()
        with closing(sqlite3.connect(path)) as database:
            (number,) = database.execute("PRAGMA user_version").fetchone()
            made = [line for line in database.iterdump() if line not in ("BEGIN TRANSACTION;", "COMMIT;")]
    return [*made, f"PRAGMA user_version = {number}"]
