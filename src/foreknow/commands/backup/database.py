"""The database in one file: a copy of SQLite's, or what `pg_dump` writes of PostgreSQL's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.engine import URL

from foreknow.kernel.private_files import make_private_file
from foreknow.platform.db.engine import name_of
from foreknow.platform.db.postgres.connections import parse_database_url
from foreknow.platform.db.sqlite.backup import back_up

_MISSING = (
    "pg_dump is not installed: install PostgreSQL's client programs, at least as new as the server (on Debian "
    "postgresql-client)"
)


class DumpFailed(Exception):
    """`pg_dump` is missing or failed; the text says why."""


def save(url: str, folder: Path, *, on_progress: Callable[[int, int], None]) -> None:
    """Save the database at `url`, as it is at one moment, into a new file of `folder`.

    Raises `DumpFailed`, `BackupFailed`, `sqlite3.Error` and `OSError`.
    """
    if url.startswith("sqlite:"):
        back_up(Path(name_of(url)), folder / "foreknow.sqlite3", on_progress=on_progress)
    else:
        _dump(url, folder / "foreknow.dump")


def _dump(url: str, target: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise DumpFailed(_MISSING)
    parts = parse_database_url(url)
    # The command line can be read by all users of the machine.
    password = parts.password or parts.query.get("password")
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    # What asyncpg calls ssl is sslmode to PostgreSQL's own programs.
    query = {"sslmode" if name == "ssl" else name: text for name, text in parts.query.items() if name != "password"}
    address = URL.create(parts.drivername, parts.username, None, parts.host, parts.port, parts.database, query)
    make_private_file(target)
    ended = subprocess.run(  # noqa: S603 - PostgreSQL's own program
        [program, "--format=custom", "--no-password", f"--file={target}", f"--dbname={address.render_as_string()}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise DumpFailed(" ".join(ended.stderr.split()) or f"pg_dump ended with {ended.returncode}")
    with target.open("rb") as written:
        os.fsync(written.fileno())
