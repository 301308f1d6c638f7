"""Whether the files that SQLite has open are still the ones in the folder.

A file that is removed or replaced while it is open goes on taking writes, and every sync of it succeeds; only nobody
finds it again once the process ends. SQLite does not look. So the service does: by device and inode, for the database,
its log (`-wal`) and the log's index (`-shm`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from foreknow.kernel.errors import Unavailable

#: So often whoever reads looks whether the files are there; whoever writes looks each time.
LOOK_EVERY_S = 0.5
_Identity = tuple[int, int]


class FileGone(Unavailable):
    """A file of the database was removed or replaced; its text says which, and what to do."""

    message = "The database's files are not in their place; whoever runs the service is told what to do."


class DatabaseFiles:
    """The files of one SQLite database, as they were when it was opened. Use it while a connection is open."""

    def __init__(self, path: str, *, timer: Callable[[], float] = time.monotonic) -> None:
        """Remember which files they are; a connection must have read the database already."""
        # SQLite keeps the log beside the file that a link leads to.
        beside = os.path.realpath(path)
        self._names = (path, f"{beside}-wal", f"{beside}-shm")
        self._opened = [_identity(name) for name in self._names]
        self._timer = timer
        self._looked_at_s = timer()
        self._gone: str | None = None

    @property
    def is_log_lost_alone(self) -> bool:
        """Whether the database is in its place, and nothing where its log or the log's index should be."""
        now = [_identity(name) for name in self._names]
        beside = zip(now[1:], self._opened[1:], strict=True)
        return now[0] == self._opened[0] and all(found in {None, opened} for found, opened in beside)

    def check(self) -> None:
        """Raise `FileGone` unless every file is the one that was opened; once gone is gone for good."""
        if self._gone is None:
            self._looked_at_s = self._timer()
            for name, opened in zip(self._names, self._opened, strict=True):
                if _identity(name) != opened:
                    self._gone = name
                    break
        if self._gone is not None:
            raise FileGone from _Gone(Path(self._gone))

    def check_now_and_then(self) -> None:
        """Do as `check`, but look only where nobody has for a while."""
        if self._gone is not None or self._timer() >= self._looked_at_s + LOOK_EVERY_S:
            self.check()


class _Gone(Exception):
    """Says in the log what the client need not know."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} was removed or replaced while the service had it open: nothing is read or written any more. "
            "Stop the service, see that the right database is in its place (a backup, if it is gone), start it again"
        )


def _identity(name: str) -> _Identity | None:
    try:
        found = os.stat(name)  # noqa: PTH116 # this is done for every commit, and a Path costs more than the look
    except OSError:
        return None
    return found.st_dev, found.st_ino
