"""The copy into another database and the backup: output and failures."""

from __future__ import annotations

import os
import sqlite3
import sys
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rich.console import Console
from sqlalchemy.exc import DBAPIError

from foreknow.commands.audit import CHECKS
from foreknow.commands.backup import DumpFailed, Saved, back_up_site
from foreknow.commands.cli.database import require_database, write_as_it_is
from foreknow.commands.cli.environment import written_settings
from foreknow.commands.cli.errors import CommandFailed
from foreknow.commands.cli.progress import ProgressBar
from foreknow.commands.copying import CannotCopy, copy
from foreknow.kernel.clock import system_clock
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.hosts import without_secrets
from foreknow.kernel.settings import Settings
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import name_of
from foreknow.platform.db.loading import LoadFailed
from foreknow.platform.db.sqlite.backup import BackupFailed
from foreknow.site.admin.backups import note_backup

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


def back_up_into(given: Settings, into: Path) -> Path:
    """Back up the configured site, note that in its database, and print a summary; return the backup's folder."""
    url = require_database(given)
    text = written_settings(os.environ)
    saved = Saved(url=url, settings=text, images=_images(given), looks=given.site_dir)
    try:
        with ProgressBar(has_lines=True) as watcher:
            on_progress = partial(watcher.reach, "backing up")
            made = back_up_site(saved, into, keep_days=given.backup_days, at_ms=system_clock(), on_progress=on_progress)
    except (BackupFailed, DumpFailed) as failure:
        raise CommandFailed(str(failure)) from failure
    except sqlite3.Error as failure:
        raise CommandFailed(f"{name_of(url)}: {failure}") from failure
    try:
        write_as_it_is(url, lambda tx: note_backup(tx, at_ms=now_ms(tx)))
    except (DBAPIError, Unavailable):
        # A database that is not migrated yet has no place for it.
        print("foreknow: the backup is whole, but its time is not noted in the database", file=sys.stderr)
    print(f"Backed up {name_of(url)} into {made.folder}, {made.size} bytes.")
    if saved.images is None:
        print(f"Images are not in it: they are in {without_secrets(given.image_store_url)}.")
    return made.folder


def _images(given: Settings) -> Path | None:
    """Return the folder of images; None where they are in object storage."""
    parts = urlsplit(given.image_store_url)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return None if given.image_store_url else given.data_dir / "images"
