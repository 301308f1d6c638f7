"""Which state of the SQLite file a transaction sees: two equal versions mean that nothing was written between them."""

from __future__ import annotations

from typing import Any, NamedTuple

from foreknow.platform.db.driver import execute_raw
from foreknow.platform.db.transactions import WriteTx


class FileVersion(NamedTuple):
    """A state of the file as one connection knows it; versions of different connections are never equal."""

    connection: Any
    #: Changes whenever another connection, of this process or of another, has committed.
    by_others: int
    #: Rows that this connection has changed since it was opened, those of undone transactions included.
    by_itself: int

    def now(self, tx: WriteTx) -> FileVersion:
        """Return the version after what `tx`, whose version this was at its beginning, has written."""
        driver: Any = tx.connection.dbapi_connection
        return self._replace(by_itself=driver.total_changes)


def file_version(tx: WriteTx) -> FileVersion | None:
    """Return the version at the beginning of a write transaction; None on PostgreSQL."""
    if tx.dialect.name != "sqlite":
        return None
    driver: Any = tx.connection.dbapi_connection
    ((by_others,),) = execute_raw(tx, "PRAGMA data_version")
    return FileVersion(driver, by_others, driver.total_changes)
