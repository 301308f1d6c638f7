"""Many rows in one statement whose text does not depend on their number.

The trade desk's statements run once a batch, so they are built, sent and planned once: keys and rows are one
parameter (JSON on SQLite, arrays on PostgreSQL), not hundreds.

    in_array(column, name)    condition: the column is among the integers bound as `name`
    integers_table            integers to join, bound as one parameter
    values_table(dialect, …)  literal rows to join, bound as one parameter by `as_rows`
    found_by(dialect, …)      the rows of a growing table with these keys; `found_beside`: each beside its key
    CompiledQuery             a query that fetches all rows at once
    Fetch, fetch_together     queries whose rows come in one exchange with PostgreSQL

`platform/db/changes.py` writes many rows in one statement.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from foreknow.platform.db.statements.driver import Rows, execute_raw
from foreknow.platform.db.transactions import ReadTx

DIALECTS: Mapping[str, sa.Dialect] = {
    "sqlite": sqlite.dialect(),
    "postgresql": asyncpg.dialect(),  # type: ignore[no-untyped-call] # SQLAlchemy does not type its constructor
}
Found = TypeVar("Found")
Compiled = TypeVar("Compiled")


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
    """`column = ANY(array)`, in each database's dialect."""

    inherit_cache = True
    type = sa.Boolean()

    def self_group(self, against: Any = None) -> _OneOf:
        """Return itself: SQLAlchemy would append `= 1` to an unknown condition, and SQLite then scan the table."""
        return self


@compiles(_OneOf, "sqlite")
def _in_json(element: _OneOf, compiler: Any, **rest: Any) -> str:
    column, integers = element.clauses
    return f"{compiler.process(column, **rest)} IN (SELECT value FROM json_each({compiler.process(integers, **rest)}))"


@compiles(_OneOf, "postgresql")
def _in_array(element: _OneOf, compiler: Any, **rest: Any) -> str:
    column, integers = element.clauses
    return f"{compiler.process(column, **rest)} = ANY({compiler.process(integers, **rest)})"


def in_array(column: sa.ColumnElement[int], name: str = "ids") -> sa.ColumnElement[bool]:
    """Return the condition that `column` is among the integers of the statement's parameter `name`."""
    return _OneOf(column, sa.bindparam(name, type_=_Integers()))


def integers_table(dialect: str, name: str) -> sa.FromClause:
    """Return a table with one column `value`: the integers of the statement's parameter `name`."""
    bound = sa.bindparam(name, type_=_Integers())
    if dialect == "sqlite":
        return sa.func.json_each(bound).table_valued("value")
    return sa.func.unnest(bound).table_valued(sa.column("value", sa.BigInteger()))


def values_table(dialect: str, name: str, columns: Mapping[str, sa.types.TypeEngine[Any]]) -> sa.FromClause:
    """Return a table of literal rows to join; the statement's parameter `name` holds them, see `as_rows`."""
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


def found_by(
    dialect: str, key: Sequence[sa.Column[Any]], wanted: sa.FromClause, rows: sa.Select[Any]
) -> sa.Select[Any]:
    """Return the query of those of `rows` whose `key`, the columns of a unique index, is among the rows of `wanted`.

    For tables that grow, as `found_beside`.
    """
    if dialect == "sqlite":
        return rows.where(*(column == wanted.c[column.name] for column in key))
    found = found_beside(key, wanted, rows)
    return sa.select(*found.c).select_from(wanted.join(found, sa.true()))


def found_beside(key: Sequence[sa.Column[Any]], wanted: sa.FromClause, rows: sa.Select[Any]) -> sa.FromClause:
    """Return what PostgreSQL joins to `wanted`: the row of `rows` that has the same `key`, the columns of a unique
    index.

    For tables that grow. PostgreSQL keeps the plan of a statement that was prepared while a table was small until
    the table is analyzed, within a minute or two. A plain join may read all rows meanwhile, or all of a market's; this
    finds each by its key.
    """
    *first, last = ((column, wanted.c[column.name]) for column in key)
    matches = [column == value for column, value in first]
    # OFFSET keeps PostgreSQL from making a join of it. Of a small table all indexes seem equally good: only that of the
    # whole key has its last column in order, and BETWEEN does not say, as = would, that there is nothing to order.
    each = rows.where(*matches, last[0].between(last[1], last[1])).order_by(last[0]).offset(sa.literal_column("0"))
    return each.lateral()


def as_rows(rows: Collection[Sequence[int | str | None]]) -> str:
    """Encode rows for the parameter of a `values_table`."""
    return msgspec.json.encode(list(rows)).decode()


class _ByDialect(dict[str, Compiled]):
    """A statement compiled for a dialect when it is first run there: no process, and no command, runs all for both."""

    def __init__(self, compiled_for: Callable[[str], Compiled]) -> None:
        super().__init__()
        self._compiled_for = compiled_for

    def __missing__(self, name: str) -> Compiled:
        self[name] = compiled = self._compiled_for(name)
        return compiled


class CompiledQuery:
    """A query compiled once, which fetches all rows at once.

    Where all columns are integers and texts, SQLite returns its rows in one step, as JSON, for the reason given in
    `_run`. JSON would round floats and cannot hold bytes: such rows are fetched one by one.
    """

    def __init__(self, query: sa.Select[Any] | Callable[[str], sa.Select[Any]]) -> None:
        """Compile a query, or the one that a function returns for a dialect."""
        build = (lambda _name: query) if isinstance(query, sa.Select) else query
        self._by_dialect = _ByDialect(lambda name: _Query(build(name), DIALECTS[name]))

    def fetch(self, tx: ReadTx, parameters: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Return all rows; `parameters` are collections for `in_array`, texts and integers."""
        return self._by_dialect[tx.dialect.name].fetch(tx, parameters)

    def part(self, dialect: str) -> _Part:
        """Return the query as a part of `fetch_together`'s statement."""
        return self._by_dialect[dialect].part


class Fetch(Generic[Found]):
    """A query with its parameters, and what its rows mean; fetched alone, or with others by `fetch_together`."""

    def __init__(
        self,
        query: CompiledQuery,
        parameters: Mapping[str, Any],
        convert: Callable[[Rows], Found],
        *,
        is_empty: bool = False,
    ) -> None:
        """`is_empty`: there are no rows, because nothing is looked for."""
        self.query = query
        self.parameters = parameters
        self.convert = convert
        self.is_empty = is_empty
        self._rows: Rows | None = None

    def fetch(self, tx: ReadTx) -> Found:
        """Run the query alone."""
        self.load(tx)
        return self.result

    def load(self, tx: ReadTx) -> None:
        """Run the query alone, for `result`."""
        self._rows = () if self.is_empty else self.query.fetch(tx, self.parameters)

    def keep(self, rows: Rows) -> None:
        """Take the rows that were fetched."""
        self._rows = rows

    @property
    def result(self) -> Found:
        """What was fetched."""
        assert self._rows is not None
        return self.convert(self._rows)


def fetch_together(tx: ReadTx, fetches: Sequence[Fetch[Any]]) -> None:
    """Run queries: on PostgreSQL in one exchange and on one snapshot, on SQLite one after the other.

    On PostgreSQL the statement has a part for each query, the empty ones too: few statements are planned, and what an
    empty part costs is less than an exchange.
    """
    if tx.dialect.name == "sqlite" or len(fetches) == 1:
        for one in fetches:
            one.load(tx)
        return
    if not fetches:
        return
    parts = tuple(one.query.part("postgresql") for one in fetches)
    values = [value for one, part in zip(fetches, parts, strict=True) for value in part.text.values(one.parameters)]
    (row,) = execute_raw(tx, _joined(parts), values)
    for one, part, encoded in zip(fetches, parts, row, strict=True):
        one.keep(part.decode(encoded))


@functools.cache
def _joined(parts: tuple[_Part, ...]) -> str:
    """Return one SELECT of several: each query's rows are one JSON value."""
    texts: list[str] = []
    before = 0
    for part in parts:
        texts.append(f"({shifted(part.text.text, before)})")
        before += part.text.places
    return f"SELECT {', '.join(texts)}"


def shifted(text: str, places: int) -> str:
    """Return a PostgreSQL statement whose parameters are numbered `places` higher."""
    return _PLACE.sub(lambda found: f"${int(found[1]) + places}", text)


_PLACE = re.compile(r"\$(\d+)")


class _Part:
    """A query as one column of a statement: all of its rows as one JSON value, on PostgreSQL."""

    def __init__(self, query: sa.Select[Any], dialect: sa.Dialect) -> None:
        types = [column.type for column in query.selected_columns]
        self._readers = [(place, read) for place, kind in enumerate(types) if (read := _json_reader(kind, dialect))]
        rows = sa.func.json_agg(sa.func.json_build_array(*query.subquery().c))
        self.text = _Text(sa.select(sa.cast(rows, sa.Text())), dialect)

    def decode(self, encoded: str | None) -> Rows:
        """Return the rows; NULL stands for none."""
        rows = [] if encoded is None else _decode_rows(encoded)
        for row in rows:
            for place, read in self._readers:
                if row[place] is not None:
                    row[place] = read(row[place])
        return rows


def _json_reader(kind: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> Callable[[Any], Any] | None:
    """Return what makes a JSON value the column's value; None for the same value."""
    if isinstance(kind, sa.Float):
        return float
    if isinstance(kind, sa.LargeBinary):
        # PostgreSQL writes bytes as \\x and hexadecimal digits.
        return lambda written: bytes.fromhex(written[2:])
    return kind.result_processor(dialect, None) if isinstance(kind, TypeDecorator) else None


class _Query:
    """A query compiled for one dialect."""

    def __init__(self, query: sa.Select[Any], dialect: sa.Dialect) -> None:
        self._dialect, self._select = dialect, query
        types = [column.type for column in query.selected_columns]
        #: By column index: conversions from the driver's values to our own types (`platform/db/metadata.py`).
        self._converters = [
            (place, read)
            for place, kind in enumerate(types)
            if isinstance(kind, TypeDecorator) and (read := kind.result_processor(dialect, None)) is not None
        ]
        is_json_safe = not self._converters and not any(isinstance(kind, _NOT_JSON_SAFE) for kind in types)
        self._fetches_json = is_json_safe and dialect.name == "sqlite"
        if self._fetches_json:
            query = sa.select(sa.func.json_group_array(sa.func.json_array(*query.subquery().c)))
        self._text = _Text(query, dialect)

    @functools.cached_property
    def part(self) -> _Part:
        """The query as a part of a statement; few of them ever are."""
        return _Part(self._select, self._dialect)

    def fetch(self, tx: ReadTx, parameters: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        rows = self._text.run(tx, parameters)
        if self._fetches_json:
            return _decode_rows(rows[0][0])
        return [self._convert(row) for row in rows] if self._converters else rows

    def _convert(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for place, read in self._converters:
            values[place] = read(values[place])
        return values


_NOT_JSON_SAFE = (sa.Float, sa.LargeBinary)


class _Text:
    """A statement as text for the driver, with the order of its parameters."""

    def __init__(self, statement: sa.ClauseElement, dialect: sa.Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.text: str = compiled.string
        #: Parameter names in order, and the values that the statement itself sets.
        self._names: Sequence[str] = compiled.positiontup
        self._constants: Mapping[str, Any] = compiled.params
        self._encode_array: Callable[[Collection[int]], Any] = _as_json if dialect.name == "sqlite" else list

    def run(self, tx: sa.Connection, parameters: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        return execute_raw(tx, self.text, self.values(parameters))

    @property
    def places(self) -> int:
        """Return how many parameters the statement has."""
        return len(self._names)

    def values(self, parameters: Mapping[str, Any]) -> list[Any]:
        """Return the parameters in the statement's order, as the driver takes them."""
        bound = {**self._constants, **parameters}
        return [self._encode(bound[name]) for name in self._names]

    def _encode(self, value: Any) -> Any:
        if value is None or isinstance(value, (str, int)):
            return value
        assert not isinstance(value, (bytes, float))
        return self._encode_array(value)


def _as_json(integers: Collection[int]) -> str:
    return msgspec.json.encode(list(integers)).decode()


_decode_rows = msgspec.json.Decoder(list[list[Any]]).decode
