"""What SQLite's failures mean: another process has the lock, the file is unusable, or the statement is wrong."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from sqlalchemy.exc import DatabaseError, OperationalError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.transactions import Locked

#: A damaged file, or one that is not SQLite's: a disk that lost data may return zeros.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class Busy(Locked):
    """Another process holds SQLite's lock."""


@contextlib.contextmanager
def raising_busy() -> Iterator[None]:
    """Turn SQLite's SQLITE_BUSY into `Busy`."""
    try:
        yield
    except OperationalError as failure:
        if _error_code(failure) != sqlite3.SQLITE_BUSY:
            raise
        raise Busy from failure


@contextlib.contextmanager
def usable(*, reading: bool = False) -> Iterator[None]:
    """Raise `Unavailable` if SQLite cannot use its files."""
    try:
        yield
    except DatabaseError as failure:
        if _is_statement_error(failure, reading=reading):
            raise
        raise Unavailable from failure


def _is_statement_error(failure: DatabaseError, *, reading: bool) -> bool:
    """Return whether the statement is wrong, not the file unusable: the driver has one class for both."""
    if isinstance(failure, OperationalError):
        code = _error_code(failure)
        # In a read, READONLY means a statement that writes; in a write, a read-only file or disk.
        return code == sqlite3.SQLITE_ERROR or (reading and code == sqlite3.SQLITE_READONLY)
    return _error_code(failure) not in _DAMAGED


def _error_code(failure: DatabaseError) -> int:
    code: int = getattr(failure.orig, "sqlite_errorcode", sqlite3.SQLITE_BUSY)
    # The low byte is the primary code, the rest the extended one.
    return code & 0xFF
