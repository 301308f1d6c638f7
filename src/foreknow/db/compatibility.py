"""Which code a database still works with.

A migration is such that the code before it goes on working. One that in the end takes away what older code uses names,
as its `oldest_code`, the oldest migration whose code does without; the database remembers it, and code that knows only
older migrations refuses to start. It stands where no table is needed for it: as SQLite's `user_version`, or as a
comment on PostgreSQL's table of the current revision.
"""

from __future__ import annotations

import sqlalchemy as sa


class DatabaseTooNew(Exception):
    """A newer release has migrated the database, and this one cannot work on it; its text says which one can."""


def remember_oldest_code(connection: sa.Connection, revision: str) -> None:
    """Note that code which does not know the migration `revision` cannot work on this database any more."""
    number = int(revision)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {number}")
    else:
        connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{number}'")


def refuse_what_needs_newer_code(connection: sa.Connection, *, newest_known: str) -> None:
    """Raise `DatabaseTooNew` where code that knows migrations up to `newest_known` cannot work on this database."""
    if connection.dialect.name == "sqlite":
        noted = connection.exec_driver_sql("PRAGMA user_version").scalar()
    else:
        noted = connection.exec_driver_sql("SELECT obj_description('alembic_version'::regclass)").scalar()
    oldest = int(noted or 0)
    if oldest > int(newest_known):
        raise DatabaseTooNew(
            "a newer release has migrated the database, and this one cannot work on it any more: start one that has "
            f"migration {oldest:04} (this one has those up to {newest_known})"
        )
