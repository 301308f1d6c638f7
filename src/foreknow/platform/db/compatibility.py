"""The oldest code that a database still works with, and the oldest database that this code migrates.

Older code goes on working after a migration, with one exception: a migration that removes what older code used names,
as its `oldest_code`, the oldest migration whose code does without. The database stores it, and code that knows only
older migrations refuses to start. It is stored outside of tables: in SQLite's `user_version`, or in a comment on
PostgreSQL's `alembic_version`.

A database from before this code's first migration is migrated by an older checkout.
"""

from __future__ import annotations

import sqlalchemy as sa

#: The last commit with the migrations before the first one here.
LAST_WITH_OLDER = "3da23bb3cae4"


class DatabaseTooNew(Exception):
    """A newer release has migrated the database, and this one cannot use it; the text says which one can."""


class DatabaseTooOld(Exception):
    """An older checkout must migrate the database first; the text gives the command."""


def check_database_is_new_enough(revision: str, *, first_known: str) -> None:
    """Raise `DatabaseTooOld` if a database at `revision` is older than this code's first migration."""
    if revision < first_known:
        raise DatabaseTooOld(
            f"the database is at migration {revision}, and this release has none before {first_known}: migrate it in "
            f"a checkout first, by git checkout {LAST_WITH_OLDER} && bin/foreknow migrate && git checkout -"
        )


def remember_oldest_code(connection: sa.Connection, revision: str) -> None:
    """Store that code must know the migration `revision` to use this database."""
    number = int(revision)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {number}")
    else:
        connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{number}'")


def check_code_is_new_enough(connection: sa.Connection, *, newest_known: str) -> None:
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
