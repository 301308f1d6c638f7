"""Trees of the project that a benchmark runs: this checkout, and other commits, each with an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Stands for this checkout where a commit is wanted.
HERE = "."


class NotBuilt(Exception):
    """There is no such commit, or its environment could not be made; the message says which."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Files of one state of the project, and the Python that has its packages."""

    name: str
    folder: Path = ROOT
    python: str = sys.executable

    @property
    def server(self) -> tuple[str, ...]:
        """The command that serves it with the benchmarks' endpoints; a port follows."""
        return (self.python, "-m", "bench.server")


def tree_of(commit: str, *, repository: Path = ROOT, cache: Path | None = None) -> Tree:
    """Return a commit's files with an environment made by its own `bin/setup`, kept in `cache` for the next time.

    "." is this checkout, uncommitted changes included. Raises `NotBuilt`.
    """
    if commit == HERE:
        return Tree("this checkout")
    try:
        found = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotBuilt(f"no such commit in {repository}: {commit}") from error
    commit_id = found.decode().strip()
    folder = (cache or _cache()) / commit_id
    if not folder.exists():
        _extract(repository, commit_id, folder)
    # Does nothing, quickly, where the environment is there. The web client has no part in a benchmark.
    setup = subprocess.run(["bin/setup", "runtime"], cwd=folder, env=os.environ | {"FOREKNOW_WEB": "off"}, check=False)
    if setup.returncode:
        raise NotBuilt(f"bin/setup of {commit} failed in {folder}")
    return Tree(commit, folder, str(folder / ".venv/bin/python"))


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "foreknow-bench"


def _extract(repository: Path, commit_id: str, folder: Path) -> None:
    """Put a commit's files into a folder, which is there once all of them are."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        files = Path(unfinished) / "files"
        files.mkdir()
        archive = _git(repository, "archive", commit_id)
        subprocess.run(["tar", "-x", "-C", str(files)], input=archive, check=True)
        # Another process may have been faster.
        with suppress(OSError):
            files.rename(folder)


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True).stdout
