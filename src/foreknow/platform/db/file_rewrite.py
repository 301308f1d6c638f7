"""Writes SQLite's file again without what it holds beside its rows.

SQLite overwrites deleted rows with zeros (`secure_delete`). What a page held before its rows moved to another one may
stay in its unused bytes, and the log holds pages as they were. VACUUM writes all rows to new pages.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.transactions import LOCK_S

#: Longest wait for readers of the log, in which no write begins.
LOG_WAIT_MS = 500


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
