"""The copy into another database and the backup: progress, output and failures."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from sqlalchemy.engine import make_url

from foreknow.audit import CHECKS
from foreknow.cli.errors import CommandFailed, WrongUsage
from foreknow.copying import CannotCopy, copy
from foreknow.db.backup import BackupFailed, back_up
from foreknow.db.loading import LoadFailed

_SOURCE_CHANGED = """\
The source was in use while it was copied: what it wrote since is not in the copy. To move to it, stop the
service, copy into an empty database again, and start on that."""


class CopyProgress:
    """A `Watcher`, used as `with CopyProgress() as watcher`: one bar a stage on a terminal, else one line."""

    def __init__(self) -> None:
        """Write to standard error."""
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description:<22}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Begin."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing; the bars stay."""
        if raised is None:
            self._finish()
        self._progress.stop()

    def stage(self, what: str, steps: int) -> None:
        """Begin a stage, which ends the one before."""
        self._finish()
        self._task = self._progress.add_task(what, total=steps or None)
        if not self._console.is_terminal:
            self._console.out(f"{what}, {steps} rows" if steps else what)

    def step(self, count: int) -> None:
        """Advance the newest bar."""
        if self._task is not None:
            self._progress.advance(self._task, count)

    def reach(self, what: str, done: int, steps: int) -> None:
        """Set the bar of the only stage to `done`; the first call begins it."""
        if self._task is None:
            self.stage(what, 0)
        assert self._task is not None
        self._progress.update(self._task, completed=done, total=steps)

    def _finish(self) -> None:
        if self._task is not None and self._progress.tasks[self._task].total is None:
            self._progress.update(self._task, total=1, completed=1)


def copy_there(source_url: str, target_url: str) -> None:
    """Copy the configured installation into an empty database and print a summary."""
    try:
        with CopyProgress() as watcher:
            copied = copy(source_url=source_url, target_url=target_url, watcher=watcher)
    except (CannotCopy, LoadFailed) as failure:
        raise CommandFailed(str(failure)) from failure
    print(f"Copied {copied.rows} rows of {copied.tables} tables.")
    print(f"Both sides have the same rows, the same balances and clean books ({len(CHECKS)} checks each).")
    if copied.moved_on:
        Console(stderr=True).out(_SOURCE_CHANGED)


def back_up_to(url: str, file: Path) -> None:
    """Back up the configured SQLite database and print a summary."""
    if not url.startswith("sqlite:"):
        raise WrongUsage("backup is for SQLite; PostgreSQL's own pg_dump backs this database up (docs/operations.md)")
    source = Path(str(make_url(url).database))
    try:
        with CopyProgress() as watcher:
            back_up(source, file, on_progress=partial(watcher.reach, "backing up"))
    except (BackupFailed, sqlite3.Error) as failure:
        raise CommandFailed(str(failure)) from failure
    print(f"Backed up {source} into {file}, {file.stat().st_size} bytes.")
