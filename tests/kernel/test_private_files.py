"""Files of the database are closed to others without ever being opened."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

from foreknow.kernel.private_files import FILE_MODE, make_private_file

TRIES_TO_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(7)
"""


def is_locked(path: Path) -> bool:
    """Ask from another process: a process never meets its own locks."""
    return subprocess.run([sys.executable, "-c", TRIES_TO_LOCK, str(path)], check=False).returncode == 7


def test_the_locks_on_a_file_that_is_there_stay(tmp_path: Path) -> None:
    path = tmp_path / "database"
    make_private_file(path)
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert is_locked(path)
        path.chmod(0o644)
        make_private_file(path)
        assert is_locked(path)
    assert path.stat().st_mode & 0o777 == FILE_MODE
