"""Which tables a connection to the SQLite file has written: rows of others are as they were read."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from foreknow.platform.db.transactions import WriteTx

#: Stands for every table: of a statement that is not understood.
ANY = "*"
_WRITES = re.compile(
    r'\s*(?:(?:INSERT|REPLACE)(?:\s+OR\s+\w+)?\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+"?(\w+)\b(?!"?\s*\.)',
    re.IGNORECASE,
)
_READS = re.compile(r"\s*SELECT\b", re.IGNORECASE)


class WrittenTables:
    """The statements that transactions of a connection have sent, where they are noted: by the table they write."""

    def __init__(self) -> None:
        """Begin with a new connection."""
        #: Rows that these transactions have changed, as the driver's `total_changes` counts them.
        self.rows = 0
        self.is_noting = False
        self._statements: Counter[str] = Counter()

    def count(self, tables: Collection[str]) -> int:
        """Return a number that has grown if one of these tables may have been written."""
        return self._statements[ANY] + sum([self._statements[table] for table in tables])

    def note(self, statement: str) -> None:
        """Count a statement."""
        table = written_table(statement)
        if table is not None:
            self._statements[table] += 1


def written_tables(tx: sa.Connection) -> WrittenTables:
    """Return what is noted of the connection to the file that a transaction uses."""
    found: WrittenTables | None = tx.info.get(WrittenTables)
    if found is None:
        found = tx.info[WrittenTables] = WrittenTables()
    return found


@contextmanager
def noting_tables(tx: WriteTx) -> Iterator[None]:
    """Note the tables that a transaction on SQLite writes meanwhile; undone changes count, too."""
    noted, driver = written_tables(tx), _driver(tx)

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        noted.note(statement)

    before = driver.total_changes
    sa.event.listen(tx, "before_cursor_execute", note)
    noted.is_noting = True
    try:
        yield
    finally:
        noted.is_noting = False
        sa.event.remove(tx, "before_cursor_execute", note)
        noted.rows += driver.total_changes - before


def noted_alone(tx: sa.Connection, statement: str) -> bool:
    """Note a statement that is to go past SQLAlchemy; False, and it must not, where anything else listens for it."""
    noted: WrittenTables | None = tx.info.get(WrittenTables)
    if noted is None or not noted.is_noting or len(tx.dispatch.before_cursor_execute) > 1:
        return False
    noted.note(statement)
    return True


@functools.lru_cache(maxsize=1024)
def written_table(statement: str) -> str | None:
    """Return the table that a statement writes: None for none, `ANY` where that is not plain from its beginning.

    There are no triggers that write, and no foreign keys that do.
    """
    if _READS.match(statement):
        return None
    found = _WRITES.match(statement)
    return ANY if found is None else found[1].lower()


def _driver(tx: sa.Connection) -> Any:
    return tx.connection.dbapi_connection
