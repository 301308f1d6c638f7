"""Adding to counters: many rows in one statement, each inserted or added to what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.db.bulk import CompiledReturning, as_rows, values_table
from foreknow.db.transactions import WriteTx

#: A conflict's new values, from the table and the row that was to be inserted.
Merge = Callable[[Any, Any], Mapping[str, Any]]


class Upsert:
    """Inserts rows of some columns; where the key is there already, `merge` says what changes, or nothing does."""

    def __init__(self, table: sa.Table, names: Sequence[str], merge: Merge | None = None) -> None:
        """Return the columns of the key from `run`: of the rows that were written."""
        self._table = table
        self._names = names
        self._merge = merge
        self._statement = CompiledReturning(self._build)

    def run(self, tx: WriteTx, rows: Sequence[Sequence[int | str | None]]) -> Sequence[Sequence[Any]]:
        """Write rows, in the order given; no key twice."""
        return self._statement.run(tx, {"rows": as_rows(rows)}) if rows else ()

    def _build(self, dialect: str) -> Any:
        insert: Any = (sqlite if dialect == "sqlite" else postgresql).insert(self._table)
        given = values_table(dialect, "rows", {name: self._table.c[name].type for name in self._names})
        # Without a condition SQLite would read ON as that of a join.
        rows = sa.select(*(given.c[name] for name in self._names)).where(sa.true())
        statement = insert.from_select(list(self._names), rows, include_defaults=False)
        key = [column.name for column in self._table.primary_key]
        if self._merge is None:
            statement = statement.on_conflict_do_nothing(index_elements=key)
        else:
            change = self._merge(self._table.c, insert.excluded)
            statement = statement.on_conflict_do_update(index_elements=key, set_=change)
        return statement.returning(*(self._table.c[name] for name in key))


def adding(*names: str) -> Merge:
    """Add these columns up."""
    return lambda old, new: {name: old[name] + new[name] for name in names}
