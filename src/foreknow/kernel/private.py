"""Files and folders that only their owner may look into: they hold the signing keys, addresses and password hashes."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(path: Path) -> None:
    """Make a folder, and the one it lies in, closed to others; one that is there stays as it is."""
    for folder in (path.parent, path):
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def close_folder(path: Path) -> None:
    """Close a folder to others, if it is there.

    One that belongs to somebody else, or to everybody (sticky, such as /tmp), stays as it is.
    """
    with contextlib.suppress(OSError):
        found = path.stat()
        if stat.S_ISDIR(found.st_mode) and not found.st_mode & stat.S_ISVTX:
            _close(path, found, FOLDER_MODE)


def make_private_file(path: Path) -> None:
    """Make an empty file that only its owner may read, or close one that is there to others.

    A file that is there is never opened: closing it again would end all POSIX locks that this process holds on it, and
    SQLite's are such. What cannot be done is left: whoever opens the file next says so.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    close_file(path)


def close_file(path: Path) -> None:
    """Close a file to others, if it is there and ours."""
    with contextlib.suppress(OSError):
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            _close(path, found, FILE_MODE)


def _close(path: Path, found: os.stat_result, mode: int) -> None:
    if stat.S_IMODE(found.st_mode) & ~mode and found.st_uid == os.geteuid():
        path.chmod(mode)
