"""Many rows in one statement whose text does not depend on how many: found by their keys, inserted, or changed.

The statements of the trade desk run once a batch, so what counts is that they are built once, travel once and are
planned once: keys and rows go as one parameter (JSON on SQLite, arrays on PostgreSQL), never as hundreds.

    one_of(column, name)   a condition for statements made at import: the column is among the integers bound as `name`
    given(dialect, …)      literal rows to be joined, bound as one parameter by `as_rows`
    PlainRows              a query whose rows come all at once
    PlainChange            a statement run for a few sets of parameters
    insert_rows            inserts tuples
    update_rows            sets columns of rows known by their id
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from foreknow.db.driver import run_on_sqlite

Statement = TypeVar("Statement")
DIALECTS = ("sqlite", "postgresql")
#: Rows in one statement of SQLite, which allows 32,766 values.
RUN_MAX = 128


class _Integers(TypeDecorator[Collection[int]]):
    """A list of 64-bit integers as one parameter."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:
        """Choose an array on PostgreSQL, JSON text on SQLite."""
        return dialect.type_descriptor(postgresql.ARRAY(sa.BigInteger) if dialect.name == "postgresql" else sa.Text())

    def process_bind_param(self, value: Collection[int] | None, dialect: sa.Dialect) -> Any:
        """Encode."""
        listed = list(value or ())
        return listed if dialect.name == "postgresql" else _as_json(listed)


class _OneOf(FunctionElement[bool]):
    """`column = ANY(array)`, in each database's own words."""

    inherit_cache = True
    type = sa.Boolean()

    def self_group(self, against: Any = None) -> _OneOf:
        """Return itself: SQLAlchemy would write `… = 1` behind a condition it does not know.

        SQLite then reads the whole table.
        """
        return self


@compiles(_OneOf, "sqlite")
def _in_json(element: _OneOf, compiler: Any, **rest: Any) -> str:
    column, integers = element.clauses
    return f"{compiler.process(column, **rest)} IN (SELECT value FROM json_each({compiler.process(integers, **rest)}))"


@compiles(_OneOf, "postgresql")
def _in_array(element: _OneOf, compiler: Any, **rest: Any) -> str:
    column, integers = element.clauses
    return f"{compiler.process(column, **rest)} = ANY({compiler.process(integers, **rest)})"


def one_of(column: sa.Column[int], name: str = "ids") -> sa.ColumnElement[bool]:
    """Return the condition that `column` is among the integers that the statement's parameter `name` will hold."""
    return _OneOf(column, sa.bindparam(name, type_=_Integers()))


def per_dialect(build: Callable[[str], Statement]) -> Mapping[str, Statement]:
    """Build a statement for each database, to be picked by `tx.dialect.name`."""
    return {dialect: build(dialect) for dialect in DIALECTS}


def given(dialect: str, name: str, columns: Mapping[str, sa.types.TypeEngine[Any]]) -> sa.FromClause:
    """Return literal rows as a table to be joined; the statement's parameter `name` holds them, see `as_rows`."""
    bound = sa.bindparam(name, type_=sa.Text())
    if dialect == "sqlite":
        each = sa.func.json_each(bound).table_valued("value")
        fields = [sa.func.json_extract(each.c.value, f"$[{index}]").label(key) for index, key in enumerate(columns)]
        return sa.select(*fields).subquery(name)
    each = sa.func.json_array_elements(sa.cast(bound, postgresql.JSON)).table_valued(
        sa.column("value", postgresql.JSON)
    )
    fields = [
        sa.cast(each.c.value.op("->>")(sa.literal_column(str(index))), kind).label(key)
        for index, (key, kind) in enumerate(columns.items())
    ]
    return sa.select(*fields).subquery(name)


def as_rows(rows: Collection[Sequence[int | str]]) -> str:
    """Return what the parameter of a `given` table is bound to."""
    return msgspec.json.encode(list(rows)).decode()


class PlainRows:
    """A query of integers and texts whose rows SQLite gives in one step, as JSON, for the reason told in `_run`."""

    def __init__(self, build: Callable[[str], sa.Select[Any]]) -> None:
        """Prepare the query that `build` gives for a dialect."""
        self._query = build("postgresql")
        rows = build("sqlite").subquery()
        one_value = sa.select(sa.func.json_group_array(sa.func.json_array(*rows.c)))
        self._compiled = one_value.compile(dialect=sqlite.dialect())

    def fetch(self, tx: sa.Connection, parameters: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Return all rows; `parameters` are the collections of `one_of`, and texts and integers."""
        if tx.dialect.name == "postgresql":
            return tx.execute(self._query, parameters).all()
        ((found,),) = run_on_sqlite(tx, self._compiled.string, _in_order(self._compiled, parameters))
        return _decode_rows(found)


class PlainChange:
    """A statement that changes rows by integers and texts, run for a few sets of parameters."""

    def __init__(self, build: Callable[[str], sa.Insert | sa.Update]) -> None:
        """Prepare the statement that `build` gives for a dialect."""
        self._statement = build("postgresql")
        self._compiled = build("sqlite").compile(dialect=sqlite.dialect())

    def run(self, tx: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it for each of `rows`, in their order."""
        if not rows:
            return
        if tx.dialect.name == "postgresql":
            tx.execute(self._statement, rows)
            return
        for row in rows:
            run_on_sqlite(tx, self._compiled.string, _in_order(self._compiled, row))


def _in_order(compiled: Any, parameters: Mapping[str, Any]) -> list[Any]:
    """Return a value for each `?` of a statement: the parameter's, or the one that stands in the statement."""
    bound = {**compiled.params, **parameters}
    return [_plain(bound[name]) for name in compiled.positiontup]


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int)) else _as_json(value)


def _as_json(integers: Collection[int]) -> str:
    return msgspec.json.encode(list(integers)).decode()


_decode_rows = msgspec.json.Decoder(list[list[Any]]).decode


def insert_rows(tx: sa.Connection, table: sa.Table, names: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows, each with the values of the columns `names`."""
    if rows:
        _run(tx, _insert_text, table, names, rows)


def update_rows(tx: sa.Connection, table: sa.Table, names: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> None:
    """Set the columns `names` of rows known by their id: each of `rows` has these values and then the id, once."""
    if rows:
        _run(tx, _update_text, table, names, rows)


def _run(
    tx: sa.Connection,
    build: Callable[[str, sa.Table, tuple[str, ...], int], str],
    table: sa.Table,
    names: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
) -> None:
    # The driver's own words: for rows without types of our own, SQLAlchemy would only look at every value once more.
    if tx.dialect.name == "postgresql":
        columns = [list(column) for column in zip(*rows, strict=True)]
        tx.exec_driver_sql(build("postgresql", table, names, 1), tuple(columns))
        return
    # One statement for many rows is one step of SQLite, during which Python goes on with other things: a statement a
    # row would take and give back Python's lock once a row. Runs of powers of two keep the texts few.
    at = 0
    while at < len(rows):
        count = min(RUN_MAX, 1 << (len(rows) - at).bit_length() - 1)
        text = build("sqlite", table, names, count)
        run_on_sqlite(tx, text, tuple(itertools.chain.from_iterable(rows[at : at + count])))
        at += count


@functools.cache
def _insert_text(dialect: str, table: sa.Table, names: tuple[str, ...], count: int) -> str:
    if dialect == "sqlite":
        return f"INSERT INTO {table.name} ({', '.join(names)}) {_values(len(names), count)}"
    return f"INSERT INTO {table.name} ({', '.join(names)}) SELECT * FROM {_unnested(table, names)}"


@functools.cache
def _update_text(dialect: str, table: sa.Table, names: tuple[str, ...], count: int) -> str:
    whole = (*names, "id")
    if dialect == "sqlite":
        changes = ", ".join(f"{name} = given.column{place}" for place, name in enumerate(names, 1))
        rows = f"({_values(len(whole), count)}) AS given"
        return f"UPDATE {table.name} SET {changes} FROM {rows} WHERE {table.name}.id = given.column{len(whole)}"
    changes = ", ".join(f"{name} = given.{name}" for name in names)
    rows = f"{_unnested(table, whole)} AS given ({', '.join(whole)})"
    return f"UPDATE {table.name} SET {changes} FROM {rows} WHERE {table.name}.id = given.id"


def _values(width: int, count: int) -> str:
    row = f"({', '.join('?' * width)})"
    return f"VALUES {', '.join([row] * count)}"


def _unnested(table: sa.Table, names: tuple[str, ...]) -> str:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call] # SQLAlchemy does not type its constructor
    kinds = [table.c[name].type.compile(dialect) for name in names]
    return f"unnest({', '.join(f'${place}::{kind}[]' for place, kind in enumerate(kinds, 1))})"
