"""Online backup of a SQLite database into one file, which appears only when complete."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

#: Pages copied per step: 16 MiB.
PAGES_PER_STEP = 4_096


class BackupFailed(Exception):
    """No backup was made; the text says why."""


def back_up(source: Path, target: Path, *, on_progress: Callable[[int, int], None]) -> None:
    """Copy a snapshot of the database `source` into the new file `target`, readable by its owner only.

    Does not block writers. Calls `on_progress(done_pages, total_pages)` after each step. Raises `BackupFailed`,
    `sqlite3.Error` and `OSError`.
    """
    if not source.exists():
        raise BackupFailed(f"there is no database {source}")
    if target.exists():
        raise BackupFailed(f"{target} is there already; nothing is written over it")
    # Renamed to `target` once complete and synced; replaces what an interrupted backup left behind.
    partial = target.with_name(f"{target.name}.partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)
    try:
        with _open(source) as reader, _open(partial) as copy:
            _copy(reader, copy, on_progress)
        _flush(partial)
        partial.rename(target)
        _flush(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def _open(path: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(path))


def _copy(reader: sqlite3.Connection, copy: sqlite3.Connection, on_progress: Callable[[int, int], None]) -> None:
    # Without an open read transaction, SQLite would restart the copy after each write.
    reader.isolation_level = None
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    reader.backup(copy, pages=PAGES_PER_STEP, progress=lambda _status, left, total: on_progress(total - left, total))
    # A single file, without a `-wal` beside it.
    copy.execute("PRAGMA journal_mode = DELETE")
    check_result = copy.execute("PRAGMA quick_check").fetchone()[0]
    if check_result != "ok":
        raise BackupFailed(f"the database is damaged: {check_result}")


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
