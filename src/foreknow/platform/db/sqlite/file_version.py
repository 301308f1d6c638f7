"""Which state of some tables of the SQLite file a transaction sees: between equal versions none was written."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.statements.written_tables import written_tables
from foreknow.platform.db.transactions import WriteTx


class FileVersion(NamedTuple):
    """A state of some tables as one connection knows it; versions of different connections are never equal."""

    connection: Any
    #: Changes whenever another connection, of this process or of another, has committed.
    by_others: int
    #: Rows that this connection has changed since it was opened, those of undone transactions included, without those
    #: of transactions whose tables were noted.
    by_itself: int
    #: Changes whenever such a transaction may have written one of the tables.
    noted: int

    def now(self, tx: WriteTx) -> FileVersion:
        """Return the version after what `tx`, whose version this was at its beginning, has written."""
        driver: Any = tx.connection.dbapi_connection
        return self._replace(by_itself=driver.total_changes - written_tables(tx).rows)


def file_version(tx: WriteTx, tables: Collection[str]) -> FileVersion | None:
    """Return the version of these tables at the beginning of a write transaction; None on PostgreSQL."""
    if tx.dialect.name != "sqlite":
        return None
    driver: Any = tx.connection.dbapi_connection
    ((by_others,),) = execute_raw(tx, "PRAGMA data_version")
    written = written_tables(tx)
    return FileVersion(driver, by_others, driver.total_changes - written.rows, written.count(tables))
