"""Files and folders readable by their owner only: they hold signing keys, addresses and password hashes."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(path: Path) -> None:
    """Create a private folder and its parent; an existing one stays unchanged."""
    for folder in (path.parent, path):
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def close_folder(path: Path) -> None:
    """Make an existing folder private.

    A folder of another user, or a shared one (sticky, such as /tmp), stays unchanged.
    """
    with contextlib.suppress(OSError):
        found = path.stat()
        if stat.S_ISDIR(found.st_mode) and not found.st_mode & stat.S_ISVTX:
            _restrict(path, found, FOLDER_MODE)


def make_private_file(path: Path) -> None:
    """Create an empty private file, or make an existing one private.

    An existing file is never opened: closing it would release all POSIX locks that this process holds on it, SQLite's
    among them. Errors are ignored; opening the file next reports them.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    close_file(path)


def close_file(path: Path) -> None:
    """Make an existing file of ours private."""
    with contextlib.suppress(OSError):
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            _restrict(path, found, FILE_MODE)


def _restrict(path: Path, found: os.stat_result, mode: int) -> None:
    if stat.S_IMODE(found.st_mode) & ~mode and found.st_uid == os.geteuid():
        path.chmod(mode)
