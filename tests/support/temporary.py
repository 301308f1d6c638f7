"""Temporary files in memory, for a run of several processes on a machine that has the space.

Tests make and throw away databases, profiles of browsers and servers' folders faster than the file system of a disk
keeps account of them. A run of one process leaves its files where they always are, so that one can look at them when a
test has failed; so does a run with `--basetemp`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

import pytest

SHARED_MEMORY: Final = Path("/dev/shm")
PREFIX: Final = "foreknow-tests-"
#: More than twice what a run has there at once.
SPACE_BYTES: Final = 4 << 30


class Folder:
    """A folder of this run's own, which is gone at its end, or when the next run begins after this was killed."""

    def __init__(self, above: Path = SHARED_MEMORY) -> None:
        """Make it, and throw away what killed runs left beside it."""
        _throw_left(above)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))
        self._lock = locked(self.path)
        # PostgreSQL's user has folders in it.
        self.path.chmod(0o711)

    def close(self) -> None:
        """Throw it away."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.unlock()

    def unlock(self) -> None:
        """Leave it to the next run, as a kill does."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def move(config: pytest.Config) -> Folder | None:
    """Let the temporary files of this run and its processes be in memory: in the folder returned, if there is one."""
    is_shared = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if not is_shared or config.getoption("basetemp") is not None or not has_space():
        return None
    folder = Folder()
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder.path)
    return folder


def has_space(folder: Path = SHARED_MEMORY, *, wanted_bytes: int = SPACE_BYTES) -> bool:
    """Tell whether a folder in memory may have so much more, and programs that can be run."""
    try:
        found = os.statvfs(folder)
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    except OSError:
        return False
    available_bytes = int(memory["MemAvailable"].removesuffix(" kB")) * 1024
    runs_programs = not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    # The processes themselves need as much.
    return runs_programs and found.f_bavail * found.f_frsize >= wanted_bytes and available_bytes >= 2 * wanted_bytes


def _throw_left(above: Path) -> None:
    for left in above.glob(f"{PREFIX}*"):
        if (lock := locked(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def locked(folder: Path) -> int | None:
    """Lock a folder until the file that is returned is closed; None where another process has it."""
    with contextlib.suppress(OSError):
        found = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        with contextlib.suppress(OSError):
            fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return found
        os.close(found)
    return None
