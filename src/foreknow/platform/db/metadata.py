"""The one `MetaData`, and column types that mean the same on SQLite (STRICT tables) and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import TypeDecorator

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: In the `info` of an index or a foreign key: the only database that has it.
DIALECT = "dialect"
#: 64-bit integers: ids, kopecks, shares, Unix milliseconds.
Int64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
#: IEEE doubles.
Float64: sa.types.TypeEngine[float] = sa.Double().with_variant(sqlite.REAL(), "sqlite")
Text = sa.Text()
Bytes = sa.LargeBinary()


class Flag(TypeDecorator[bool]):
    """A boolean; 0 or 1 in SQLite's STRICT tables."""

    impl = sa.Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:
        """Choose the column's type: INTEGER on SQLite, BOOLEAN elsewhere."""
        return dialect.type_descriptor(sqlite.INTEGER() if dialect.name == "sqlite" else sa.Boolean())

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> bool | None:
        """Read 0 and 1 as booleans."""
        return None if value is None else bool(value)


class Json(TypeDecorator[Any]):
    """A JSON value stored as text, exactly as encoded (PostgreSQL's jsonb would reorder keys and rewrite numbers)."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str | None:
        """Encode."""
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        """Decode."""
        return None if value is None else msgspec.json.decode(value)


def table(name: str, *columns: Any, clustered: bool = False) -> sa.Table:
    """Declare a table: STRICT on SQLite, ids never reused.

    `clustered`: SQLite stores the rows in the order of the primary key (WITHOUT ROWID), so that rows read together are
    stored together, in whatever order they were written; for narrow rows.
    """
    order: dict[str, Any] = {"sqlite_with_rowid": False} if clustered else {}
    with_own_ids = any(isinstance(c, sa.Column) and c.name == "id" and c.primary_key for c in columns)
    return sa.Table(name, metadata, *columns, sqlite_strict=True, sqlite_autoincrement=with_own_ids, **order)


def own_id() -> sa.Column[int]:
    """Return the primary key `id`, numbered by the database."""
    return sa.Column("id", Int64, primary_key=True, autoincrement=True)


def partial_index(name: str, *columns: Any, where: sa.ColumnElement[bool], unique: bool = False) -> sa.Index:
    """Declare an index of only the rows `where` holds for."""
    return sa.Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


def postgres_index(name: str, *columns: Any, where: sa.ColumnElement[bool], operators: Mapping[str, str]) -> None:
    """Declare an index, of the rows `where` holds for, on PostgreSQL alone; `operators` are classes, by column."""
    index = sa.Index(
        name, *columns, postgresql_where=where, postgresql_ops=dict(operators), info={DIALECT: "postgresql"}
    )
    index.ddl_if(dialect="postgresql")


def sqlite_key(column: str, referred: str) -> sa.ForeignKeyConstraint:
    """Declare a foreign key on SQLite alone."""
    key = sa.ForeignKeyConstraint([column], [referred], info={DIALECT: "sqlite"})
    key.ddl_if(dialect="sqlite")
    return key
