"""Detects that a file SQLite has open was removed or replaced.

An open file accepts writes and syncs after its removal, and its contents are lost when the process ends. SQLite does
not check. The service does, by device and inode of the database, its log (`-wal`) and the log's index (`-shm`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from foreknow.kernel.errors import Unavailable

#: Interval of the checks by reads; commits check each time.
CHECK_INTERVAL_S = 0.5
_Identity = tuple[int, int]


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
