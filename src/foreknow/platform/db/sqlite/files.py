"""SQLite's files: what their failures mean, how their loss is detected, and how the database is written again.

An open file accepts writes and syncs after its removal, and its contents are lost when the process ends. SQLite does
not check. The service does, by device and inode of the database, its log (`-wal`) and the log's index (`-shm`).

SQLite overwrites deleted rows with zeros (`secure_delete`). What a page held before its rows moved to another one may
stay in its unused bytes, and the log holds pages as they were. VACUUM writes all rows to new pages.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy.exc import DatabaseError, OperationalError

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.transactions import LOCK_S, Locked

#: Interval of the checks by reads; commits check each time.
CHECK_INTERVAL_S = 0.5
_Identity = tuple[int, int]
#: Longest wait for readers of the log, in which no write begins.
LOG_WAIT_MS = 500
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


class FileGone(Unavailable):
    """A database file was removed or replaced; the cause's text says which one, and what to do."""

    message = "The database's files are not in their place; the log says what to do."


class DatabaseFiles:
    """The files of one SQLite database, as opened. Valid while a connection is open."""

    def __init__(self, path: str, *, timer: Callable[[], float] = time.monotonic) -> None:
        """Record the files' identities; a connection must have read the database already."""
        # SQLite keeps the log beside the target of a symbolic link.
        target = os.path.realpath(path)
        self._names = (path, f"{target}-wal", f"{target}-shm")
        self._opened = [_identity(name) for name in self._names]
        self._timer = timer
        self._checked_at_s = timer()
        self._lost: str | None = None

    @property
    def is_only_log_lost(self) -> bool:
        """Whether the database is in place, and its log or the log's index is missing but not replaced."""
        now = [_identity(name) for name in self._names]
        log_files = zip(now[1:], self._opened[1:], strict=True)
        return now[0] == self._opened[0] and all(found in {None, opened} for found, opened in log_files)

    def check(self) -> None:
        """Raise `FileGone` unless every file is the one that was opened; after a loss, always."""
        if self._lost is None:
            self._checked_at_s = self._timer()
            for name, opened in zip(self._names, self._opened, strict=True):
                if _identity(name) != opened:
                    self._lost = name
                    break
        if self._lost is not None:
            raise FileGone from _LostFile(Path(self._lost))

    def check_if_due(self) -> None:
        """Check unless the last check was under `CHECK_INTERVAL_S` ago; `FileGone`."""
        if self._lost is not None or self._timer() >= self._checked_at_s + CHECK_INTERVAL_S:
            self.check()


class _LostFile(Exception):
    """The cause of `FileGone`, for the log: clients do not see paths."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} was removed or replaced while the service had it open: nothing is read or written any more. "
            "Stop the service, see that the right database is in its place (a backup, if it is gone), start it again"
        )


def _identity(name: str) -> _Identity | None:
    try:
        found = os.stat(name)  # noqa: PTH116 # runs for every commit, and a Path costs more than the call
    except OSError:
        return None
    return found.st_dev, found.st_ino


def rewrite_file(path: Path) -> bool:
    """Write the file again and empty its log; False where a reader still needs the log. `Unavailable`.

    No write begins meanwhile. Takes some 10 ms a megabyte, and the space of two more such files.
    """
    # Beside the database, where there is space for a copy; /tmp may be memory.
    folder = str(path.parent.absolute()).replace("'", "''")
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=LOCK_S)) as connection:
            for pragma in (
                "synchronous=FULL",
                "temp_store=FILE",
                f"temp_store_directory='{folder}'",
                "secure_delete=ON",
            ):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("VACUUM")
            connection.execute(f"PRAGMA busy_timeout={LOG_WAIT_MS}")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error as failure:
        raise Unavailable from failure
    return not busy
