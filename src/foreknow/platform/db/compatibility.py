"""The oldest code that a database still works with.

Older code goes on working after a migration, with one exception: a migration that removes what older code used names,
as its `oldest_code`, the oldest migration whose code does without. The database stores it, and code that knows only
older migrations refuses to start. It is stored outside of tables: in SQLite's `user_version`, or in a comment on
PostgreSQL's `alembic_version`.
"""

from __future__ import annotations

import sqlalchemy as sa


class DatabaseTooNew(Exception):
    """A newer release has migrated the database, and this one cannot use it; the text says which one can."""


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
