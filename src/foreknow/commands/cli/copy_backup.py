"""The copy into another database and the backup: output and failures."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

from rich.console import Console

from foreknow.commands.audit import CHECKS
from foreknow.commands.cli.database import require_database
from foreknow.commands.cli.errors import CommandFailed, WrongUsage
from foreknow.commands.cli.progress import ProgressBar
from foreknow.commands.copying import CannotCopy, copy
from foreknow.kernel.settings import Settings
from foreknow.platform.db.backup import BackupFailed, back_up
from foreknow.platform.db.connections import name_of
from foreknow.platform.db.loading import LoadFailed

_SOURCE_CHANGED = """\
The source was in use while it was copied: what it wrote since is not in the copy. To move to it, stop the
service, copy into an empty database again, and start on that."""


def copy_there(source_url: str, target_url: str) -> None:
    """Copy the configured installation into an empty database and print a summary."""
    try:
        with ProgressBar(has_lines=True) as watcher:
            copied = copy(source_url=source_url, target_url=target_url, watcher=watcher)
    except (CannotCopy, LoadFailed) as failure:
        raise CommandFailed(str(failure)) from failure
    print(f"Copied {copied.rows} rows of {copied.tables} tables.")
    print(f"Both sides have the same rows, the same balances and clean books ({len(CHECKS)} checks each).")
    print(f"{name_of(target_url)} sends nothing until foreknow site confirm says that it is the site.")
    if copied.moved_on:
        Console(stderr=True).out(_SOURCE_CHANGED)


def back_up_to(given: Settings, file: Path) -> None:
    """Back up the configured SQLite database and print a summary."""
    if not given.resolved_database_url.startswith("sqlite:"):
        raise WrongUsage(
            "backup is for SQLite; PostgreSQL's own pg_dump backs this database up (docs/operations/backup.md)"
        )
    url = require_database(given)
    source = Path(name_of(url))
    try:
        with ProgressBar(has_lines=True) as watcher:
            back_up(source, file, on_progress=partial(watcher.reach, "backing up"))
    except BackupFailed as failure:
        raise CommandFailed(str(failure)) from failure
    except sqlite3.Error as failure:
        raise CommandFailed(f"{name_of(url)}: {failure}") from failure
    print(f"Backed up {source} into {file}, {file.stat().st_size} bytes.")
