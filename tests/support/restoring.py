"""Backups as operators make and restore them, into another place or the same one."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from foreknow.platform.db.sqlite.backup import back_up
from tests.support.postgres import PACKAGES, PROGRAMS


def path_of(url: str) -> Path:
    """Return the file of a SQLite database."""
    return Path(url.removeprefix("sqlite:///"))


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup of the database at `url`, which is to be restored to another one, too."""

    url: str
    target_url: str
    file: Path

    def make(self) -> None:
        if self.url.startswith("sqlite:"):
            back_up(path_of(self.url), self.file, on_progress=lambda *_: None)
        else:
            _run("pg_dump", "--format=custom", f"--file={self.file}", self.url)

    def restore_elsewhere(self) -> None:
        if self.url.startswith("sqlite:"):
            path_of(self.target_url).parent.mkdir()
            shutil.copy(self.file, path_of(self.target_url))
        else:
            _run("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={self.target_url}", str(self.file))

    def restore_in_place(self) -> None:
        """Restore into the same file or database."""
        if self.url.startswith("sqlite:"):
            shutil.copy(self.file, path_of(self.url))
        else:
            options = ["--clean", "--if-exists", "--exit-on-error", "--no-owner"]
            _run("pg_restore", *options, f"--dbname={self.url}", str(self.file))


def _run(program: str, *arguments: str) -> None:
    subprocess.run([PACKAGES / PROGRAMS / "bin" / program, *arguments], check=True, capture_output=True)
