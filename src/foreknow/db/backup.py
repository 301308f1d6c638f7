"""A copy of a SQLite database that is in use, as one file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

#: Pages copied at a time, 16 MiB of them.
PAGES = 4_096


class CannotBackUp(Exception):
    """There is no backup; its text says why."""


def back_up(source: Path, target: Path, *, tell: Callable[[int, int], None]) -> None:
    """Copy what the database `source` is at this moment into the new file `target`, which only its owner may read.

    Nobody who writes the database waits for it. `tell(done, total)` hears how many pages are done. Raises
    `CannotBackUp`, `sqlite3.Error` and `OSError`.
    """
    if not source.exists():
        raise CannotBackUp(f"there is no database {source}")
    if target.exists():
        raise CannotBackUp(f"{target} is there already; nothing is written over it")
    # It gets its name once it is whole and on the disk. What an attempt that was broken off left is written over.
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)
    try:
        with _open(source) as reader, _open(partial) as copy:
            _copy(reader, copy, tell)
        _flush(partial)
        partial.rename(target)
        _flush(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def _open(path: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(path))


def _copy(reader: sqlite3.Connection, copy: sqlite3.Connection, tell: Callable[[int, int], None]) -> None:
    # A snapshot that stays: without it, SQLite would begin anew whenever somebody has written.
    reader.isolation_level = None
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    reader.backup(copy, pages=PAGES, progress=lambda _status, left, total: tell(total - left, total))
    # One file alone, without a log beside it, until a service opens it.
    copy.execute("PRAGMA journal_mode = DELETE")
    wrong = copy.execute("PRAGMA quick_check").fetchone()[0]
    if wrong != "ok":
        raise CannotBackUp(f"the database is damaged: {wrong}")


def _flush(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
