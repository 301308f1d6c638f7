"""INSERTs, UPDATEs and DELETEs of any number of rows, run at once or sent together.

    Insert, Update, Delete    a statement whose text does not depend on its rows
    apply                     runs it on a transaction, or adds it to `Writes`
    insert_rows, update_rows  the same for plain statements
    written_keys              runs an `Insert` and returns the keys of the rows it wrote
    on_conflict, adding       what an `Insert` does with a row whose key is there already
    Writes                    changes that are sent together: one exchange with PostgreSQL

All bulk writing goes here; `platform/db/bulk.py` reads. These statements go past SQLAlchemy, which would inspect every
value for type conversions that none of these needs.
"""

from __future__ import annotations

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

import msgspec
import sqlalchemy as sa

from foreknow.platform.db.bulk import DIALECTS
from foreknow.platform.db.statements.driver import Rows, execute_raw
from foreknow.platform.db.statements.row_locks import has_begun
from foreknow.platform.db.transactions import WriteTx

#: Rows per SQLite statement; SQLite allows 32,766 values.
BATCH_ROWS_MAX = 128
#: A SQLite statement has fewer rows than this, or a multiple of it: each text is prepared for a number of rows.
FEW_ROWS = 16


def _numbers(column: Sequence[Any]) -> str:
    return f"{{{_encode(column).decode()[1:-1]}}}"


def _floats(column: Sequence[float | None]) -> str:
    encoded = _numbers(column)
    # JSON has no numbers that are not finite, and would make them NULL.
    return encoded if "null" not in encoded else f"{{{','.join(map(_float, column))}}}"


def _float(value: float | None) -> str:
    return "NULL" if value is None else repr(value)


def _texts(column: Sequence[str | None]) -> str:
    known = [value for value in column if value is not None]
    if len(known) == len(column) and "".join(known).isalnum():
        # Names and codes, nearly always: none needs to be looked at alone.
        return '{"' + '","'.join(known) + '"}'
    return f"{{{','.join(['NULL' if value is None else _quoted(value) for value in column])}}}"


def _quoted(value: str) -> str:
    if value.isalnum():
        return f'"{value}"'
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _bytes(column: Sequence[bytes | None]) -> str:
    return f"{{{','.join(['NULL' if value is None else _HEX + value.hex() for value in column])}}}"


_encode = msgspec.json.Encoder().encode
#: Before the digits of bytes in an array: a backslash, which arrays double, and x.
_HEX = r"\\x"
#: How a column becomes the text of an array, by type. The driver would ask of each value whether it is an array in
#: turn, which takes longer than all else that it does with it. PostgreSQL reads a double as JSON has it, exactly.
_AS_ARRAY: Mapping[str, Callable[[Sequence[Any]], str]] = {
    "BIGINT": _numbers,
    "BOOLEAN": _numbers,
    "DOUBLE PRECISION": _floats,
    "TEXT": _texts,
    "BYTEA": _bytes,
}


class Change(ABC):
    """A statement that changes rows of a table by rows of values, which it calls `given`."""

    def __init__(self, table: sa.Table, given: Mapping[str, sa.types.TypeEngine[Any]]) -> None:
        """`given` are the names and types of a row's values."""
        self._table = table.name
        self._names = tuple(given)
        self._types = [kind.compile(DIALECTS["postgresql"]) for kind in given.values()]
        #: What makes PostgreSQL's text of an array of each column.
        self._as_array = [_AS_ARRAY[kind] for kind in self._types]

    @property
    def places(self) -> int:
        """Return the number of values of a row: on PostgreSQL each is a parameter, an array."""
        return len(self._names)

    @abstractmethod
    def on_postgres(self, first: int, after: str) -> str:
        """Return the statement; its parameters are numbered from `first`. It begins once `after` is evaluated."""

    @abstractmethod
    def on_sqlite(self, count: int) -> str:
        """Return the statement for `count` rows."""

    def columns(self, rows: Rows) -> list[str]:
        """Return the values of rows as PostgreSQL takes them."""
        if not rows:
            return ["{}"] * len(self._names)
        return [as_array(column) for as_array, column in zip(self._as_array, zip(*rows, strict=True), strict=True)]

    def _unnested(self, first: int) -> str:
        arrays = ", ".join(f"${place}::text::{kind}[]" for place, kind in enumerate(self._types, first))
        return f"unnest({arrays}) AS given ({', '.join(self._names)})"

    def _values(self, count: int) -> str:
        row = f"({', '.join('?' * len(self._names))})"
        return f"VALUES {', '.join([row] * count)}"


class Insert(Change):
    """Inserts rows."""

    def __init__(
        self,
        table: sa.Table,
        names: Sequence[str],
        *,
        conflict: str = "",
        computed: tuple[str, Mapping[str, str]] | None = None,
    ) -> None:
        """`conflict`: an ON CONFLICT clause. `computed`: a further column, and its expression on each database."""
        super().__init__(table, {name: table.c[name].type for name in names})
        self._conflict = conflict
        #: The columns of the primary key.
        self.key = ", ".join(column.name for column in table.primary_key)
        self._computed = computed

    def on_postgres(self, first: int, after: str) -> str:
        """See `Change`."""
        names, values = self._columns("postgresql", "given.*")
        return (
            f"INSERT INTO {self._table} ({names}) SELECT {values} FROM {self._unnested(first)} WHERE {after}"
            f" {self._conflict}"
        )

    def on_sqlite(self, count: int) -> str:
        """See `Change`."""
        names, values = self._columns("sqlite", "*")
        if self._computed is None:
            return f"INSERT INTO {self._table} ({names}) {self._values(count)} {self._conflict}"
        # Without a condition SQLite would read ON as that of a join.
        rows = f"SELECT {values} FROM ({self._values(count)}) WHERE true"
        return f"INSERT INTO {self._table} ({names}) {rows} {self._conflict}"

    def _columns(self, dialect: str, given: str) -> tuple[str, str]:
        names = ", ".join(self._names)
        if self._computed is None:
            return names, given
        name, expressions = self._computed
        return f"{names}, {name}", f"{given}, {expressions[dialect]}"


def on_conflict(table: sa.Table, **values: str) -> str:
    """Return the clause that sets these columns of a row whose key is there already; without any, it stays.

    The values are SQL for both databases, with the table's name for the old row and `excluded` for the given one.
    """
    key = ", ".join(column.name for column in table.primary_key)
    changes = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"ON CONFLICT ({key}) DO UPDATE SET {changes}" if changes else f"ON CONFLICT ({key}) DO NOTHING"


def adding(table: sa.Table, *names: str) -> str:
    """Return the clause that adds these columns up."""
    return on_conflict(table, **{name: f"{table.name}.{name} + excluded.{name}" for name in names})


class Update(Change):
    """Changes rows found by a unique key: a row's values are the new ones, or what is added, then the key."""

    def __init__(
        self,
        table: sa.Table,
        names: Sequence[str],
        *,
        key: str = "id",
        added: Collection[str] = (),
        shared: bool = False,
    ) -> None:
        """`added` are the columns that values are added to.

        `shared`: other transactions change these rows without a lock that we hold: they are locked in the key's order.
        """
        super().__init__(table, {name: table.c[name].type for name in (*names, key)})
        self._key = key
        self._changed = [(name, f"{table.name}.{name} + " if name in added else "") for name in names]
        self._shared = shared

    def on_postgres(self, first: int, after: str) -> str:
        """See `Change`."""
        given = self._unnested(first)
        if self._shared:
            locked = f"JOIN {self._table} AS locked ON locked.{self._key} = given.{self._key}"
            order = f"ORDER BY locked.{self._key} FOR NO KEY UPDATE OF locked"
            given = f"(SELECT given.* FROM {given} {locked} WHERE {after} {order}) AS given"
        changes = ", ".join(f"{name} = {old}given.{name}" for name, old in self._changed)
        found = f"{self._table}.{self._key} = given.{self._key}"
        return f"UPDATE {self._table} SET {changes} FROM {given} WHERE {found} AND {after}"

    def on_sqlite(self, count: int) -> str:
        """See `Change`."""
        changes = ", ".join(f"{name} = {old}given.column{place}" for place, (name, old) in enumerate(self._changed, 1))
        found = f"{self._table}.{self._key} = given.column{len(self._names)}"
        return f"UPDATE {self._table} SET {changes} FROM ({self._values(count)}) AS given WHERE {found}"


class Delete(Change):
    """Deletes the rows `old` for which a condition on them and on a given row holds."""

    def __init__(
        self,
        table: sa.Table,
        given: Mapping[str, sa.types.TypeEngine[Any]],
        condition: str,
    ) -> None:
        """`condition` is SQL for both databases."""
        super().__init__(table, given)
        key = [column.name for column in table.primary_key]
        self._key = ", ".join(key)
        self._old_key = ", ".join(f"old.{name}" for name in key)
        self._condition = condition

    def on_postgres(self, first: int, after: str) -> str:
        """See `Change`."""
        return f"{self._statement(self._unnested(first))} AND {after}"

    def on_sqlite(self, count: int) -> str:
        """See `Change`."""
        names = ", ".join(f"column{place} AS {name}" for place, name in enumerate(self._names, 1))
        return self._statement(f"(SELECT {names} FROM ({self._values(count)})) AS given")

    def _statement(self, given: str) -> str:
        found = f"SELECT {self._old_key} FROM {given} JOIN {self._table} AS old ON {self._condition}"
        return f"DELETE FROM {self._table} WHERE ({self._key}) IN ({found})"


class Writes:
    """Changes that are sent together when the block ends: one exchange with PostgreSQL, however many they are.

        with Writes(tx) as writes:
            insert_rows(writes, trades, names, rows)
            update_rows(writes, accounts, names, rows)

    They are executed in the order in which they are added. On PostgreSQL they are parts of one statement: none sees
    rows as another has left them, and no two may change the same row. A change without rows stays a part of it there,
    so that few statements are planned.
    """

    def __init__(self, tx: WriteTx) -> None:
        """Send them in `tx`."""
        self._tx = tx
        self._changes: list[tuple[Change, Rows]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, _failure: object, _trace: object) -> None:
        if failed is None and self._changes:
            self._send()

    def add(self, change: Change, rows: Rows) -> None:
        """Add a change."""
        self._changes.append((change, rows))

    def _send(self) -> None:
        if self._tx.dialect.name == "sqlite":
            for change, rows in self._changes:
                _run(self._tx, change, rows)
            return
        assert has_begun(self._tx), "a batch of orders takes its locks before it writes"
        values = [column for change, rows in self._changes for column in change.columns(rows)]
        execute_raw(self._tx, _together(tuple(change for change, _ in self._changes)), values)


#: Where changes go: to the database at once, or together with others.
Sink = WriteTx | Writes


def apply(into: Sink, change: Change, rows: Rows) -> None:
    """Change rows."""
    if isinstance(into, Writes):
        into.add(change, rows)
    else:
        _run(into, change, rows)


def insert_rows(into: Sink, table: sa.Table, names: tuple[str, ...], rows: Rows) -> None:
    """Insert rows of values for the columns `names`."""
    apply(into, _insert(table, names), rows)


def update_rows(into: Sink, table: sa.Table, names: tuple[str, ...], rows: Rows) -> None:
    """Set the columns `names` of rows found by id: each of `rows` has these values, then the id, which is unique."""
    apply(into, _update(table, names), rows)


def written_keys(tx: WriteTx, change: Insert, rows: Rows) -> Rows:
    """Insert rows at once; return the primary keys of those that were written, in no order."""
    return _run(tx, change, rows, returning=change.key)


@functools.cache
def _insert(table: sa.Table, names: tuple[str, ...]) -> Insert:
    return Insert(table, names)


@functools.cache
def _update(table: sa.Table, names: tuple[str, ...]) -> Update:
    return Update(table, names)


def _run(tx: WriteTx, change: Change, rows: Rows, *, returning: str = "") -> Rows:
    if not rows:
        return ()
    if tx.dialect.name == "postgresql":
        return execute_raw(tx, _text("postgresql", change, 0, returning), change.columns(rows))
    # SQLite releases Python's GIL in every step: one statement for many rows is one step, where a statement a row would
    # let another thread in once a row.
    start = 0
    returned: list[Sequence[Any]] = []
    while start < len(rows):
        count = min(BATCH_ROWS_MAX, len(rows) - start)
        if count > FEW_ROWS:
            count -= count % FEW_ROWS
        values = tuple(itertools.chain.from_iterable(rows[start : start + count]))
        returned += execute_raw(tx, _text("sqlite", change, count, returning), values)
        start += count
    return returned


@functools.cache
def _text(dialect: str, change: Change, count: int, returning: str) -> str:
    text = change.on_sqlite(count) if dialect == "sqlite" else change.on_postgres(1, "true")
    return f"{text} RETURNING {returning}" if returning else text


@functools.cache
def _together(changes: tuple[Change, ...]) -> str:
    """Return PostgreSQL's statement of several changes.

    PostgreSQL executes the parts of a statement in no promised order. So each part's condition counts the rows of the
    part before it, for which that must be executed as a whole.
    """
    parts: list[str] = []
    first, after = 1, "true"
    for number, change in enumerate(changes, 1):
        parts.append(f"part{number} AS ({change.on_postgres(first, after)} RETURNING 1)")
        first += change.places
        after = f"(SELECT count(*) FROM part{number}) >= 0"
    return f"WITH {', '.join(parts)} SELECT {after}"
